import { defineProblems } from '../../../shared/problems/problem.ts';
import { told } from './told.ts';
import type { WorkflowFacts } from './workflow-facts.ts';

/** Problems of cases. */
export const caseProblems = defineProblems({
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
});
