import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';
import { xml } from './api/definition-examples.ts';

const VERSION_OPERATIONS = ['getWorkflowVersion', 'getWorkflowXml'];
const WORKFLOW_OPERATIONS = [
  'getWorkflow',
  'listWorkflowVersions',
  'publishWorkflow',
  'unpublishWorkflow',
  'getWorkflowSnapshot',
  ...VERSION_OPERATIONS,
];

/** Fuzzer hints for workflows: a deployment, and the rules that no request schema can express. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['deployCmmn'],
      check: 'positive_data_acceptance',
      reason: 'A model has rules of its own, which no schema of the request can say.',
    },
    {
      operationIds: ['listWorkflows'],
      check: 'positive_data_acceptance',
      reason: 'Some parameters exclude each other.',
    },
  ],
  targetedOperations: [...WORKFLOW_OPERATIONS, 'getDeployment'],
  async prepare(post, suffix) {
    const workflowCode = `fuzz-${suffix}`;
    const path = '/api/v1/workflow/cmmn/deployments';
    const deployed = (await post(path, { workflowCode, xml })) as { deploymentId: string };
    return [
      { parameter: 'workflowCode', operationIds: WORKFLOW_OPERATIONS, values: [workflowCode] },
      { parameter: 'version', operationIds: VERSION_OPERATIONS, values: ['1'] },
      {
        parameter: 'deploymentId',
        operationIds: ['getDeployment'],
        values: [deployed.deploymentId],
      },
    ];
  },
};
