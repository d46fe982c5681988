import type { DeclaredProblem, Problem, ProblemFacts } from '../../../shared/problems/problem.ts';
import { CmmnError } from '../domain/cmmn/basics/cmmn-error.ts';
import type { CmmnErrorCode } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';

type Refusal = (told: { readonly told: string }, more: ProblemFacts) => Problem;

const VARIABLES: readonly string[] = [
  'VARIABLE_NAME_RESERVED',
  'VARIABLE_NAME_TOO_LONG',
  'VARIABLE_INVALID',
  'VARIABLE_TOO_DEEP',
];

/** What each refusal of the engine is answered with; a state that it cannot read is a fault of ours. */
const REFUSALS: Readonly<Partial<Record<CmmnErrorCode, Refusal>>> = {
  CASE_NOT_FOUND: (told, more) => problems.caseNotFound(told, more),
  CASE_NOT_ACTIVE: (told, more) => problems.caseNotActive(told, more),
  CASE_SUSPENDED: (told, more) => problems.caseSuspended(told, more),
  CASE_NOT_ENDED: (told, more) => problems.caseNotEnded(told, more),
  CASE_NOT_COMPLETABLE: (told, more) => problems.caseNotCompletable(told, more),
  CASE_NOT_REACTIVATABLE: (told, more) => problems.caseNotReactivatable(told, more),
  CASE_DEFINITION_NOT_FOUND: (told, more) => problems.caseDefinitionNotFound(told, more),
  CASE_TASK_RECURSION: (told, more) => problems.caseTaskRecursion(told, more),
  DECISION_NOT_FOUND: (told, more) => problems.decisionNotFound(told, more),
  DECISION_ERROR: (told, more) => problems.decisionError(told, more),
  PLAN_ITEM_NOT_FOUND: (told, more) => problems.planItemNotFound(told, more),
  PLAN_ITEM_ILLEGAL_STATE: (told, more) => problems.planItemIllegalState(told, more),
  STAGE_NOT_COMPLETABLE: (told, more) => problems.stageNotCompletable(told, more),
  NOT_PLANNABLE: (told, more) => problems.notPlannable(told, more),
  ROLE_MISSING: (told, more) => problems.roleMissing(told, more),
  VARIABLE_NAME_RESERVED: (told, more) => problems.variableInvalid(told, more),
  VARIABLE_NAME_TOO_LONG: (told, more) => problems.variableInvalid(told, more),
  VARIABLE_INVALID: (told, more) => problems.variableInvalid(told, more),
  VARIABLE_TOO_DEEP: (told, more) => problems.variableInvalid(told, more),
  VARIABLES_TOO_LARGE: (told, more) => problems.variablesTooLarge(told, more),
  CASE_TOO_LARGE: (told, more) => problems.caseTooLarge(told, more),
  COLLECTION_TOO_LARGE: (told, more) => problems.collectionTooLarge(told, more),
  EXPRESSION_ERROR: (told, more) => problems.expressionError(told, more),
  TIMER_EXPRESSION_INVALID: (told, more) => problems.expressionError(told, more),
  COMMAND_INVALID: (told, more) => problems.commandInvalid(told, more),
  ENGINE_LOOP: (told, more) => problems.engineLoop(told, more),
};

/** The problems that any command may be refused with. */
export const ENGINE_PROBLEMS: readonly DeclaredProblem[] = [
  problems.caseNotFound,
  problems.caseNotActive,
  problems.caseSuspended,
  problems.caseNotEnded,
  problems.caseNotCompletable,
  problems.caseNotReactivatable,
  problems.caseDefinitionNotFound,
  problems.caseTaskRecursion,
  problems.decisionNotFound,
  problems.decisionError,
  problems.planItemNotFound,
  problems.planItemIllegalState,
  problems.stageNotCompletable,
  problems.notPlannable,
  problems.roleMissing,
  problems.variableInvalid,
  problems.variablesTooLarge,
  problems.caseTooLarge,
  problems.collectionTooLarge,
  problems.expressionError,
  problems.commandInvalid,
  problems.engineLoop,
];

/** The problem behind an error of the engine; other errors stay as they are. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof CmmnError)) return error;
  const refusal = REFUSALS[error.code];
  if (!refusal) return error;
  const { reference, expression, elementId, planItemInstanceId, blockingPlanItem, state } =
    error.details;
  const facts = { reference, expression, elementId, planItemInstanceId, blockingPlanItem, state };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const errors = VARIABLES.includes(error.code)
    ? [{ pointer: '/variables', code: error.code, detail: error.message }]
    : [];
  return refusal(
    { told: error.message },
    { extensions: Object.fromEntries(known), errors, cause: error },
  );
}
