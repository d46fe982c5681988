import { httpProblems } from './http-problems.ts';
import { Problem } from './problem.ts';

/** Names and codes of transient errors of AWS services and the network. */
const UNAVAILABLE = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionInProgressException',
  'TooManyRequestsException',
  'SlowDown',
  'TimeoutError',
  'TimeUpError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** Converts any error to a problem: itself, `SERVICE_UNAVAILABLE` for throttling and outages, else `INTERNAL_ERROR`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return isOutage(error)
    ? httpProblems.serviceUnavailable({ cause: error })
    : httpProblems.internalError({ cause: error });
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $fault } = error as { code?: unknown; $fault?: unknown };
  return UNAVAILABLE.has(error.name) || UNAVAILABLE.has(String(code)) || $fault === 'server';
}
