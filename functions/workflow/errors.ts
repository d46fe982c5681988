import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';

/** Errors that an answer lists. */
const MAX_LISTED = 100;

interface AssignedTask {
  readonly taskId: string;
  readonly assignee: string | undefined;
}

interface ExcludedCompleter {
  readonly taskId: string;
  readonly user: string;
  readonly taskKey: string;
}

interface CalledCase {
  readonly deploymentId: string;
  readonly caseInstanceId: string;
  readonly calledBy: string;
}

interface WorkflowFacts {
  readonly workflowCode: string;
  readonly version?: number | undefined;
}

/** A refusal of the engine, in its own words. */
const told = <const C extends string, const S extends number>(
  code: C,
  status: S,
  title: string,
) => ({
  ...{ code, status, title },
  describe: (refusal: { told: string }): string => `${refusal.told}`,
});

/** The problems of the workflow module. */
export const problems = defineProblems({
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
  // Cases
  notPublished: {
    code: 'NOT_PUBLISHED',
    status: 409,
    title: 'Workflow is not published',
    describe: ({ workflowCode, version }: WorkflowFacts) =>
      version === undefined
        ? `No version of the workflow ${workflowCode} is published.`
        : `Version ${version} of the workflow ${workflowCode} is not published.`,
  },
  caseNotFound: told('CASE_NOT_FOUND', 404, 'Case not found'),
  caseNotActive: told('CASE_NOT_ACTIVE', 409, 'Case is not active'),
  caseSuspended: told('CASE_SUSPENDED', 409, 'Case is suspended'),
  caseNotEnded: told('CASE_NOT_ENDED', 409, 'Case has not ended'),
  caseNotCompletable: told('CASE_NOT_COMPLETABLE', 409, 'Case cannot be completed yet'),
  caseNotReactivatable: told('CASE_NOT_REACTIVATABLE', 409, 'Case cannot be reactivated'),
  caseDefinitionNotFound: told(
    'CALLED_CASE_NOT_FOUND',
    422,
    'A case that is called is not deployed',
  ),
  caseTaskRecursion: told('CASE_TASK_RECURSION', 422, 'Cases call each other too deeply'),
  decisionNotFound: told('DECISION_NOT_FOUND', 422, 'A decision that is called is not deployed'),
  decisionError: told('DECISION_ERROR', 422, 'A decision has failed'),
  planItemNotFound: told('PLAN_ITEM_NOT_FOUND', 404, 'Plan item not found'),
  planItemIllegalState: told(
    'PLAN_ITEM_ILLEGAL_STATE',
    409,
    'Plan item does not accept this in its state',
  ),
  stageNotCompletable: told('STAGE_NOT_COMPLETABLE', 409, 'Stage cannot be completed yet'),
  notPlannable: told('NOT_PLANNABLE', 409, 'Item cannot be planned now'),
  roleMissing: told('ROLE_MISSING', 403, 'The caller does not have the role'),
  variableInvalid: told('VARIABLE_INVALID', 400, 'Invalid variable'),
  variablesTooLarge: told('VARIABLES_TOO_LARGE', 413, 'Variables are too large'),
  caseTooLarge: told('CASE_TOO_LARGE', 422, 'Case would become too large'),
  collectionTooLarge: told('COLLECTION_TOO_LARGE', 422, 'Collection is too large'),
  expressionError: told('EXPRESSION_ERROR', 422, 'An expression of the model has failed'),
  commandInvalid: told('COMMAND_INVALID', 400, 'Invalid command'),
  engineLoop: told('ENGINE_LOOP', 422, 'The model does not come to rest'),
  caseExists: {
    code: 'CASE_EXISTS',
    status: 409,
    title: 'An open case has the same business key',
    describe: ({ businessKey }: { businessKey: string }) =>
      `Business keys of the workflow are unique, and an open case has ${businessKey} already.`,
  },
  planItemNotTriggerable: {
    code: 'PLAN_ITEM_NOT_TRIGGERABLE',
    status: 409,
    title: 'No instance of the plan item accepts this now',
    describe: ({ key, states }: { key: string; states: readonly string[] }) => ({
      detail:
        states.length === 0
          ? `${key} has no instance now.`
          : `No instance of ${key} accepts this now; they are ${states.join(', ')}.`,
      extensions: { states },
    }),
  },
  ambiguousPlanItem: {
    code: 'AMBIGUOUS_PLAN_ITEM',
    status: 409,
    title: 'Several instances of the plan item could be meant',
    describe: ({ key, ids }: { key: string; ids: readonly string[] }) => ({
      detail: `Several instances of ${key} accept this in different ways; name one as planItemInstanceId.`,
      extensions: { planItemInstanceIds: ids },
    }),
  },
  useTaskApi: {
    code: 'USE_TASK_API',
    status: 409,
    title: 'Human tasks are completed as tasks',
    describe: ({ taskIds }: { taskIds: readonly string[] }) => ({
      detail: 'Whether somebody may complete a human task is decided for its task.',
      extensions: { taskIds },
    }),
  },
  variableNotFound: {
    code: 'VARIABLE_NOT_FOUND',
    status: 404,
    title: 'Variable not found',
    describe: ({ name }: { name: string }) => `The case has no variable ${name}.`,
  },
  externalWorkNotFound: {
    code: 'EXTERNAL_WORK_NOT_FOUND',
    status: 404,
    title: 'External work not found',
    describe: ({ id }: { id: string }) =>
      `There is no external work ${id}: it is done, or was withdrawn.`,
  },
  leaseLost: {
    code: 'LEASE_LOST',
    status: 409,
    title: 'The work is leased to another worker, or to none',
    describe: ({ id }: { id: string }) =>
      `The lease of the work ${id} has ended, or another worker has it; fetch it again.`,
  },
  timerNotFound: {
    code: 'TIMER_NOT_FOUND',
    status: 404,
    title: 'Timer not found',
    describe: ({ id }: { id: string }) =>
      `There is no timer ${id} that is visible to the caller: it has fired, or was withdrawn.`,
  },
  timerNotDue: {
    code: 'TIMER_NOT_DUE',
    status: 409,
    title: 'Timer is not due',
    describe: ({ id, dueAt }: { id: string; dueAt: string }) =>
      `The timer ${id} is due at ${dueAt}, and fires by itself then.`,
  },
  // Tasks
  taskNotFound: {
    code: 'TASK_NOT_FOUND',
    status: 404,
    title: 'Task not found',
    describe: ({ taskId }: { taskId: string }) =>
      `There is no task ${taskId} that is visible to the caller.`,
  },
  taskNotActive: {
    code: 'TASK_NOT_ACTIVE',
    status: 409,
    title: 'Task is not active',
    describe: ({ taskId, status }: { taskId: string; status: string }) => ({
      detail: `The task ${taskId} is ${status}.`,
      extensions: { taskStatus: status },
    }),
  },
  taskAlreadyClaimed: {
    code: 'TASK_ALREADY_CLAIMED',
    status: 409,
    title: 'Somebody else has claimed the task',
    describe: ({ taskId, assignee }: AssignedTask) => ({
      detail: `${assignee} has claimed the task ${taskId}.`,
      extensions: { assignee },
    }),
  },
  taskClaimedByOther: {
    code: 'TASK_CLAIMED_BY_OTHER',
    status: 409,
    title: 'Somebody else has the task',
    describe: ({ taskId, assignee }: AssignedTask) => ({
      detail: `${assignee} has the task ${taskId}.`,
      extensions: { assignee },
    }),
  },
  taskNotClaimed: {
    code: 'TASK_NOT_CLAIMED',
    status: 409,
    title: 'The task is not claimed by the caller',
    describe: ({ taskId }: { taskId: string }) => `Claim the task ${taskId} first.`,
  },
  taskDelegated: {
    code: 'TASK_DELEGATED',
    status: 409,
    title: 'The task is delegated',
    describe: ({ taskId, assignee }: AssignedTask) => ({
      detail: `The task ${taskId} is with ${assignee}, who completes it or gives it back.`,
      extensions: { assignee },
    }),
  },
  taskNotDelegated: {
    code: 'TASK_NOT_DELEGATED',
    status: 409,
    title: 'The task is not delegated',
    describe: ({ taskId }: { taskId: string }) =>
      `Only a delegated task is given back, and ${taskId} is none.`,
  },
  delegatedToOneself: {
    code: 'DELEGATED_TO_ONESELF',
    status: 422,
    title: 'A task cannot be delegated to oneself',
    describe: ({ taskId }: { taskId: string }) => `The caller has the task ${taskId} already.`,
  },
  userUnknown: {
    code: 'USER_UNKNOWN',
    status: 422,
    title: 'There is no such user',
    describe: ({ user }: { user: string }) => `No user who may log in is called ${user}.`,
  },
  taskCompletionRejected: {
    code: 'TASK_COMPLETION_REJECTED',
    status: 422,
    title: 'The completion was rejected',
    describe: ({ reason }: { reason: string }) => reason,
  },
  completerExcluded: {
    code: 'COMPLETER_EXCLUDED',
    status: 422,
    title: 'The user has completed a task that keeps apart from this one',
    describe: ({ taskId, user, taskKey }: ExcludedCompleter) => ({
      detail: `${user} has completed ${taskKey}, whose completers may not work on the task ${taskId}.`,
      extensions: { user, taskDefinitionKey: taskKey },
    }),
  },
  substituteNotFound: {
    code: 'SUBSTITUTE_NOT_FOUND',
    status: 404,
    title: 'Substitute not found',
    describe: ({ user }: { user: string }) => `Nobody is named to stand in for ${user}.`,
  },
  substituteIsOneself: {
    code: 'SUBSTITUTE_IS_ONESELF',
    status: 422,
    title: 'Nobody stands in for themselves',
    describe: ({ user }: { user: string }) => `Name somebody else to stand in for ${user}.`,
  },
  tooManyAbsences: {
    code: 'TOO_MANY_ABSENCES',
    status: 422,
    title: 'The user stands in for too many others',
    describe: ({ substitute, max }: { substitute: string; max: number }) =>
      `${substitute} stands in for ${max} others, which is as many as may be.`,
  },
  businessRecordGone: {
    code: 'BUSINESS_RECORD_GONE',
    status: 409,
    title: 'The business record is gone',
    describe: ({ entityType, entityId }: { entityType: string; entityId: string }) =>
      `The record ${entityId} of ${entityType}, which the form is for, has been deleted; without formData the task can be completed.`,
  },
  draftNotFound: {
    code: 'DRAFT_NOT_FOUND',
    status: 404,
    title: 'Draft not found',
    describe: ({ taskId }: { taskId: string }) => `Nobody has saved a draft of the task ${taskId}.`,
  },
  sortWindowExceeded: {
    code: 'SORT_WINDOW_EXCEEDED',
    status: 400,
    title: 'Too many tasks to put in this order',
    describe: ({ max }: { max: number }) => ({
      detail: `More than ${max} tasks fit; narrow the list, or sort it by createdAt.`,
      errors: [
        {
          parameter: 'sort',
          code: 'SORT_WINDOW_EXCEEDED',
          detail: `puts at most ${max} tasks in this order`,
        },
      ],
    }),
  },
  // Processes
  processDefinitionNotFound: {
    code: 'PROCESS_DEFINITION_NOT_FOUND',
    status: 404,
    title: 'Process definition not found',
    describe: ({ process, version }: { process: string; version?: number | undefined }) =>
      version === undefined
        ? `There is no process ${process} that is visible to the caller.`
        : `The process ${process} has no version ${version} that is visible to the caller.`,
  },
  processCodeTaken: {
    code: 'PROCESS_CODE_TAKEN',
    status: 409,
    title: 'Code or key belongs to another process',
    describe: ({ code, processKey }: { code: string; processKey: string }) =>
      `The versions of ${code} are those of one process, and those of the process ${processKey} have one code.`,
  },
  processNotFound: {
    code: 'PROCESS_NOT_FOUND',
    status: 404,
    title: 'Process instance not found',
    describe: ({ id }: { id: string }) =>
      `There is no process instance ${id} that is visible to the caller.`,
  },
  processNotActive: {
    code: 'PROCESS_NOT_ACTIVE',
    status: 409,
    title: 'Process instance does not accept this in its state',
    describe: ({ id, state }: { id: string; state: string }) => ({
      detail: `The process instance ${id} is ${state}.`,
      extensions: { state },
    }),
  },
  processNotEnded: {
    code: 'PROCESS_NOT_ENDED',
    status: 409,
    title: 'Process instance has not ended',
    describe: ({ id }: { id: string }) => `The process instance ${id} goes on; terminate it first.`,
  },
  activityNotWaiting: told('ACTIVITY_NOT_WAITING', 409, 'Nothing waits for this'),
  ambiguousActivity: told('AMBIGUOUS_ACTIVITY', 409, 'Several executions wait for this'),
  processFailed: told('PROCESS_FAILED', 422, 'The process cannot go on'),
  processTooLarge: told('PROCESS_TOO_LARGE', 422, 'Process would become too large'),
});
