import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';
import { xml } from './api/definition-examples.ts';

/** Operations on a workflow that stays; those that change what is published use it too. */
const WORKFLOW_OPERATIONS = [
  'getWorkflow',
  'listWorkflowVersions',
  'publishWorkflow',
  'unpublishWorkflow',
];
const VERSION_OPERATIONS = ['getWorkflowVersion', 'getWorkflowXml', 'getWorkflowSnapshot'];

/** Fuzzer hints for workflows: two deployments, and the rules that no request schema can express. */
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
  targetedOperations: [...WORKFLOW_OPERATIONS, ...VERSION_OPERATIONS, 'getDeployment'],
  async prepare(post, suffix) {
    const [changed, shown] = [`fuzz-changed-${suffix}`, `fuzz-shown-${suffix}`];
    const path = '/api/v1/workflow/cmmn/deployments';
    await post(path, { workflowCode: changed, xml });
    const deployed = (await post(path, { workflowCode: shown, xml })) as { deploymentId: string };
    return [
      { parameter: 'workflowCode', operationIds: WORKFLOW_OPERATIONS, values: [changed] },
      { parameter: 'workflowCode', operationIds: VERSION_OPERATIONS, values: [shown] },
      { parameter: 'version', operationIds: VERSION_OPERATIONS, values: ['1'] },
      {
        parameter: 'deploymentId',
        operationIds: ['getDeployment'],
        values: [deployed.deploymentId],
      },
    ];
  },
};
