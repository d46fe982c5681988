import { defineProblems, type ProblemItem } from '../../../shared/problems/problem.ts';
import type { WorkflowFacts } from './workflow-facts.ts';

/** Errors that an answer lists. */
const MAX_LISTED = 100;

export interface CalledCase {
  readonly deploymentId: string;
  readonly caseInstanceId: string;
  readonly calledBy: string;
}

/** Problems of workflows, their versions and deployments. */
export const definitionProblems = defineProblems({
  runtimeNotReady: {
    code: 'CMMN_RUNTIME_NOT_READY',
    status: 503,
    title: 'CMMN runtime not ready',
    describe: ({ cause }: { cause?: unknown }) => ({
      detail: 'The runtime has not found its table, bucket and layout yet; retry.',
      headers: { 'retry-after': '5' },
      cause,
    }),
  },
  workflowNotFound: {
    code: 'WORKFLOW_NOT_FOUND',
    status: 404,
    title: 'Workflow not found',
    describe: ({ workflowCode, version }: WorkflowFacts) =>
      version === undefined
        ? `There is no workflow ${workflowCode} that is visible to the caller.`
        : `The workflow ${workflowCode} has no version ${version} that is visible to the caller.`,
  },
  deploymentNotFound: {
    code: 'DEPLOYMENT_NOT_FOUND',
    status: 404,
    title: 'Deployment not found',
    describe: ({ deploymentId }: { deploymentId: string }) =>
      `There is no deployment ${deploymentId} that is visible to the caller.`,
  },
  documentNotFound: {
    code: 'DOCUMENT_NOT_FOUND',
    status: 404,
    title: 'Document not found',
    describe: ({ resource }: { resource: string }) =>
      `No document named ${resource} came along with this version.`,
  },
  caseNotInDefinition: {
    code: 'CASE_DEFINITION_NOT_FOUND',
    status: 404,
    title: 'Case definition not found',
    describe: ({ key }: { key: string }) => `This version has no case ${key}.`,
  },
  modelInvalid: {
    code: 'MODEL_INVALID',
    status: 422,
    title: 'Model has errors',
    describe: (errors: readonly ProblemItem[]) => ({
      detail: `The model has ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}: ${errors[0]?.detail}`,
      errors: errors.slice(0, MAX_LISTED),
      extensions: { count: errors.length },
    }),
  },
  codeTaken: {
    code: 'WORKFLOW_CODE_TAKEN',
    status: 409,
    title: 'Workflow code belongs to another case',
    describe: ({ workflowCode, caseKey }: { workflowCode: string; caseKey: string }) =>
      `The versions of ${workflowCode} are those of the case ${caseKey}; deploy another case under a code of its own.`,
  },
  deploymentInUse: {
    code: 'DEPLOYMENT_IN_USE',
    status: 409,
    title: 'Cases of the deployment are open',
    describe: ({ deploymentId }: { deploymentId: string }) =>
      `Cases of ${deploymentId} are open; unpublish it to start no more, and delete it when they have ended.`,
  },
  deploymentCasesCalled: {
    code: 'DEPLOYMENT_CASES_CALLED',
    status: 409,
    title: 'A case of another deployment waits for a case of this one',
    describe: ({ deploymentId, caseInstanceId, calledBy }: CalledCase) => ({
      detail: `The case ${calledBy}, which is not of ${deploymentId}, waits for its case ${caseInstanceId}; end that one first.`,
      extensions: { caseInstanceId, calledBy },
    }),
  },
  jobNotFound: {
    code: 'DEPLOYMENT_JOB_NOT_FOUND',
    status: 404,
    title: 'Job not found',
    describe: ({ id }: { id: string }) => `There is no job ${id}.`,
  },
  jobEnded: {
    code: 'DEPLOYMENT_JOB_ENDED',
    status: 409,
    title: 'Job has ended',
    describe: ({ id }: { id: string }) => `Job ${id} has ended; there is nothing to cancel.`,
  },
});
