import type { DeclaredProblem, Problem, ProblemFacts } from '../../../shared/problems/problem.ts';
import { CmmnError, type CmmnErrorCode } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';

type Refusal = DeclaredProblem & ((message: string, more: ProblemFacts) => Problem);

const VARIABLES: readonly string[] = [
  'VARIABLE_NAME_RESERVED',
  'VARIABLE_NAME_TOO_LONG',
  'VARIABLE_INVALID',
  'VARIABLE_TOO_DEEP',
];

/** What each refusal of the engine is answered with; a state that it cannot read is a fault of ours. */
const REFUSALS: Readonly<Partial<Record<CmmnErrorCode, Refusal>>> = {
  CASE_NOT_FOUND: problems.caseNotFound,
  CASE_NOT_ACTIVE: problems.caseNotActive,
  CASE_SUSPENDED: problems.caseSuspended,
  CASE_NOT_ENDED: problems.caseNotEnded,
  CASE_NOT_COMPLETABLE: problems.caseNotCompletable,
  CASE_NOT_REACTIVATABLE: problems.caseNotReactivatable,
  CASE_DEFINITION_NOT_FOUND: problems.caseDefinitionNotFound,
  CASE_TASK_RECURSION: problems.caseTaskRecursion,
  DECISION_NOT_FOUND: problems.decisionNotFound,
  DECISION_ERROR: problems.decisionError,
  PLAN_ITEM_NOT_FOUND: problems.planItemNotFound,
  PLAN_ITEM_ILLEGAL_STATE: problems.planItemIllegalState,
  STAGE_NOT_COMPLETABLE: problems.stageNotCompletable,
  NOT_PLANNABLE: problems.notPlannable,
  ROLE_MISSING: problems.roleMissing,
  VARIABLE_NAME_RESERVED: problems.variableInvalid,
  VARIABLE_NAME_TOO_LONG: problems.variableInvalid,
  VARIABLE_INVALID: problems.variableInvalid,
  VARIABLE_TOO_DEEP: problems.variableInvalid,
  VARIABLES_TOO_LARGE: problems.variablesTooLarge,
  CASE_TOO_LARGE: problems.caseTooLarge,
  COLLECTION_TOO_LARGE: problems.collectionTooLarge,
  EXPRESSION_ERROR: problems.expressionError,
  TIMER_EXPRESSION_INVALID: problems.expressionError,
  COMMAND_INVALID: problems.commandInvalid,
  ENGINE_LOOP: problems.engineLoop,
};

/** The problems that any command may be refused with. */
export const ENGINE_PROBLEMS: readonly DeclaredProblem[] = [...new Set(Object.values(REFUSALS))];

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
  return refusal(error.message, { extensions: Object.fromEntries(known), errors, cause: error });
}
