import { defineProblems } from '../../../shared/problems/problem.ts';
import { engineRefusal } from './engine-refusal.ts';
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
  caseNotFound: engineRefusal('CASE_NOT_FOUND', 404, 'Case not found'),
  caseNotActive: engineRefusal('CASE_NOT_ACTIVE', 409, 'Case is not active'),
  caseSuspended: engineRefusal('CASE_SUSPENDED', 409, 'Case is suspended'),
  caseNotEnded: engineRefusal('CASE_NOT_ENDED', 409, 'Case has not ended'),
  caseNotCompletable: engineRefusal('CASE_NOT_COMPLETABLE', 409, 'Case cannot be completed yet'),
  caseNotReactivatable: engineRefusal('CASE_NOT_REACTIVATABLE', 409, 'Case cannot be reactivated'),
  caseDefinitionNotFound: engineRefusal(
    'CALLED_CASE_NOT_FOUND',
    422,
    'A called case is not deployed',
  ),
  caseTaskRecursion: engineRefusal('CASE_TASK_RECURSION', 422, 'Cases call each other too deeply'),
  decisionNotFound: engineRefusal('DECISION_NOT_FOUND', 422, 'A called decision is not deployed'),
  decisionError: engineRefusal('DECISION_ERROR', 422, 'A decision failed'),
  planItemNotFound: engineRefusal('PLAN_ITEM_NOT_FOUND', 404, 'Plan item not found'),
  planItemIllegalState: engineRefusal(
    'PLAN_ITEM_ILLEGAL_STATE',
    409,
    'Plan item does not accept this in its state',
  ),
  stageNotCompletable: engineRefusal('STAGE_NOT_COMPLETABLE', 409, 'Stage cannot be completed yet'),
  notPlannable: engineRefusal('NOT_PLANNABLE', 409, 'Item cannot be planned now'),
  roleMissing: engineRefusal('ROLE_MISSING', 403, 'The caller does not have the role'),
  variableInvalid: engineRefusal('VARIABLE_INVALID', 400, 'Invalid variable'),
  variablesTooLarge: engineRefusal('VARIABLES_TOO_LARGE', 413, 'Variables are too large'),
  caseTooLarge: engineRefusal('CASE_TOO_LARGE', 422, 'Case would become too large'),
  collectionTooLarge: engineRefusal('COLLECTION_TOO_LARGE', 422, 'Collection is too large'),
  expressionError: engineRefusal('EXPRESSION_ERROR', 422, 'An expression of the model failed'),
  commandInvalid: engineRefusal('COMMAND_INVALID', 400, 'Invalid command'),
  engineLoop: engineRefusal('ENGINE_LOOP', 422, 'The model runs in a loop'),
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
      detail: 'Complete a human task by the task API, which checks who may do so.',
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
