import type { Log } from '../../../shared/primitives/log.ts';
import type { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';

/** Result of one operation. */
export interface BulkResult {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly version?: number;
  /** The job that goes on with it. */
  readonly jobId?: string;
  readonly error?: Problem;
}

/** The result of an operation that has made a record. */
export const createdResult = (index: number, id: string): BulkResult => ({
  index,
  status: 201,
  id,
  version: 1,
});

/** Whether work has failed by no fault of what was asked for. */
export const isOutage = (error: unknown): boolean => toProblem(error).status >= 500;

/** Whether an operation has failed by no fault of its own. */
export const isBroken = ({ status }: BulkResult): boolean => status >= 500;

/** The result of an operation that failed; what the caller did not cause is logged. */
export function failedResult(index: number, error: unknown, log: Log): BulkResult {
  const problem = toProblem(error);
  if (problem.status >= 500) log.error('An operation of a bulk call failed', { cause: error });
  return { index, status: problem.status, error: problem };
}
