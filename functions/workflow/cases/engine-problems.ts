import type { DeclaredProblem, Problem, ProblemFacts } from '../../../shared/problems/problem.ts';
import { CmmnError } from '../domain/cmmn/basics/cmmn-error.ts';
import type { CmmnErrorCode } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';

type Refusal = (refused: { readonly reason: string }, more: ProblemFacts) => Problem;

const VARIABLES: readonly string[] = [
  'VARIABLE_NAME_RESERVED',
  'VARIABLE_NAME_TOO_LONG',
  'VARIABLE_INVALID',
  'VARIABLE_TOO_DEEP',
];

/** Problem for each refusal of the engine; an unreadable state is an internal error. */
const REFUSALS: Readonly<Partial<Record<CmmnErrorCode, Refusal>>> = {
  CASE_NOT_FOUND: (refused, more) => problems.caseNotFound(refused, more),
  CASE_NOT_ACTIVE: (refused, more) => problems.caseNotActive(refused, more),
  CASE_SUSPENDED: (refused, more) => problems.caseSuspended(refused, more),
  CASE_NOT_ENDED: (refused, more) => problems.caseNotEnded(refused, more),
  CASE_NOT_COMPLETABLE: (refused, more) => problems.caseNotCompletable(refused, more),
  CASE_NOT_REACTIVATABLE: (refused, more) => problems.caseNotReactivatable(refused, more),
  CASE_DEFINITION_NOT_FOUND: (refused, more) => problems.caseDefinitionNotFound(refused, more),
  CASE_TASK_RECURSION: (refused, more) => problems.caseTaskRecursion(refused, more),
  DECISION_NOT_FOUND: (refused, more) => problems.decisionNotFound(refused, more),
  DECISION_ERROR: (refused, more) => problems.decisionError(refused, more),
  PLAN_ITEM_NOT_FOUND: (refused, more) => problems.planItemNotFound(refused, more),
  PLAN_ITEM_ILLEGAL_STATE: (refused, more) => problems.planItemIllegalState(refused, more),
  STAGE_NOT_COMPLETABLE: (refused, more) => problems.stageNotCompletable(refused, more),
  NOT_PLANNABLE: (refused, more) => problems.notPlannable(refused, more),
  ROLE_MISSING: (refused, more) => problems.roleMissing(refused, more),
  VARIABLE_NAME_RESERVED: (refused, more) => problems.variableInvalid(refused, more),
  VARIABLE_NAME_TOO_LONG: (refused, more) => problems.variableInvalid(refused, more),
  VARIABLE_INVALID: (refused, more) => problems.variableInvalid(refused, more),
  VARIABLE_TOO_DEEP: (refused, more) => problems.variableInvalid(refused, more),
  VARIABLES_TOO_LARGE: (refused, more) => problems.variablesTooLarge(refused, more),
  CASE_TOO_LARGE: (refused, more) => problems.caseTooLarge(refused, more),
  COLLECTION_TOO_LARGE: (refused, more) => problems.collectionTooLarge(refused, more),
  EXPRESSION_ERROR: (refused, more) => problems.expressionError(refused, more),
  TIMER_EXPRESSION_INVALID: (refused, more) => problems.expressionError(refused, more),
  COMMAND_INVALID: (refused, more) => problems.commandInvalid(refused, more),
  ENGINE_LOOP: (refused, more) => problems.engineLoop(refused, more),
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
    { reason: error.message },
    { extensions: Object.fromEntries(known), errors, cause: error },
  );
}
