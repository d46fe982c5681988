import type { Problem } from '../../../../shared/problems/problem.ts';
import { firstOf, type ImportError, toErrors } from './import-counts.ts';

/** A record that a change by filter has left as it was. */
export type ChangeFailure = Omit<ImportError, 'row'> & { readonly id: string };

/** What has become of records that a change by filter has met. */
export interface ChangeCounts {
  /** Changed or deleted. */
  readonly changed: number;
  /** They were like that already. */
  readonly unchanged: number;
  readonly failed: number;
  /** Those of the failed that may be deleted once others are. */
  readonly waiting: number;
  /** The first of them, by id. */
  readonly failures: readonly ChangeFailure[];
}

export const NO_CHANGES: ChangeCounts = {
  changed: 0,
  unchanged: 0,
  failed: 0,
  waiting: 0,
  failures: [],
};

/** Failures that are listed of all records, and their bytes: a job may keep them twice, beside what was asked for. */
const MAX_FAILURES = 50;
const MAX_FAILURE_BYTES = 40_000;
const WAITING: ReadonlySet<string> = new Set([
  'HAS_CHILDREN',
  'REFERENCED',
  'DELETION_IN_PROGRESS',
]);

export function addChanges(
  counts: readonly ChangeCounts[],
  most: number = MAX_FAILURES,
): ChangeCounts {
  const sum = (member: 'changed' | 'unchanged' | 'failed' | 'waiting'): number =>
    counts.reduce((total, each) => total + each[member], 0);
  const failures = counts
    .flatMap((each) => each.failures)
    .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  return {
    changed: sum('changed'),
    unchanged: sum('unchanged'),
    failed: sum('failed'),
    waiting: sum('waiting'),
    failures: firstOf(failures, most, MAX_FAILURE_BYTES),
  };
}

/** The count of a record that could not be changed. */
export function failureCount(id: string, problem: Problem): ChangeCounts {
  const failures = toErrors(0, problem).map(({ row: _row, ...error }) => ({ id, ...error }));
  return {
    ...NO_CHANGES,
    failed: 1,
    waiting: WAITING.has(problem.code) ? 1 : 0,
    failures: failures.slice(0, 3),
  };
}
