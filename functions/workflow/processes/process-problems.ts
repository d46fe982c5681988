import type { DeclaredProblem, Problem, ProblemFacts } from '../../../shared/problems/problem.ts';
import type { ProcessErrorCode } from '../domain/bpmn/index.ts';
import { problems } from '../errors.ts';

type Refusal = (told: { readonly told: string }, more: ProblemFacts) => Problem;

/** What each refusal of the engine is answered with. */
const REFUSALS: Readonly<Record<ProcessErrorCode, Refusal>> = {
  EXPRESSION_ERROR: (told, more) => problems.expressionError(told, more),
  ENGINE_LOOP: (told, more) => problems.engineLoop(told, more),
  PROCESS_FAILED: (told, more) => problems.processFailed(told, more),
  ACTIVITY_NOT_WAITING: (told, more) => problems.activityNotWaiting(told, more),
  VARIABLE_INVALID: (told, more) => problems.variableInvalid(told, more),
  VARIABLES_TOO_LARGE: (told, more) => problems.variablesTooLarge(told, more),
  COLLECTION_TOO_LARGE: (told, more) => problems.collectionTooLarge(told, more),
  PROCESS_TOO_LARGE: (told, more) => problems.processTooLarge(told, more),
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
    { told: message },
    { extensions: Object.fromEntries(known), errors, cause: error },
  );
}
