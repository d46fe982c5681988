import type { DeclaredProblem, Problem, ProblemFacts } from '../../../shared/problems/problem.ts';
import type { ProcessErrorCode } from '../domain/bpmn/index.ts';
import { problems } from '../errors.ts';

type Refusal = (refused: { readonly reason: string }, more: ProblemFacts) => Problem;

/** What each refusal of the engine is answered with. */
const REFUSALS: Readonly<Record<ProcessErrorCode, Refusal>> = {
  EXPRESSION_ERROR: (refused, more) => problems.expressionError(refused, more),
  ENGINE_LOOP: (refused, more) => problems.engineLoop(refused, more),
  PROCESS_FAILED: (refused, more) => problems.processFailed(refused, more),
  ACTIVITY_NOT_WAITING: (refused, more) => problems.activityNotWaiting(refused, more),
  VARIABLE_INVALID: (refused, more) => problems.variableInvalid(refused, more),
  VARIABLES_TOO_LARGE: (refused, more) => problems.variablesTooLarge(refused, more),
  COLLECTION_TOO_LARGE: (refused, more) => problems.collectionTooLarge(refused, more),
  PROCESS_TOO_LARGE: (refused, more) => problems.processTooLarge(refused, more),
};

/** The problems that any command on a process may be refused with. */
export const PROCESS_PROBLEMS: readonly DeclaredProblem[] = [
  problems.processNotFound,
  problems.processNotActive,
  problems.activityNotWaiting,
  problems.processFailed,
  problems.processTooLarge,
  problems.expressionError,
  problems.engineLoop,
  problems.variableInvalid,
  problems.variablesTooLarge,
  problems.collectionTooLarge,
];

interface Refused {
  readonly code: ProcessErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const isRefused = (error: unknown): error is Error & Refused =>
  error instanceof Error && error.name === 'ProcessError';

/** The problem behind an error of the engine; other errors stay as they are. */
export function toProcessProblem(error: unknown): unknown {
  if (!isRefused(error)) return error;
  const { code, message, details } = error;
  const known = Object.entries(details).filter(([, value]) => value !== undefined);
  const errors =
    code === 'VARIABLE_INVALID' ? [{ pointer: '/variables', code, detail: message }] : [];
  return REFUSALS[code](
    { reason: message },
    { extensions: Object.fromEntries(known), errors, cause: error },
  );
}
