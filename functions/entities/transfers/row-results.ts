import { Problem } from '../../../shared/problems/problem.ts';
import { type ImportCounts, toErrors } from '../domain/transfer/import-counts.ts';
import type { BulkResult } from './bulk-creation.ts';
import type { ImportRow } from './import-rows.ts';

/** A row that is tried again after the others. */
export interface Waiting {
  readonly row: ImportRow;
  readonly error: Problem;
}

/** Rows before the first one without a result. */
export function countUntilMissing(
  rows: readonly ImportRow[],
  results: readonly BulkResult[],
): number {
  const done = new Set(results.map(({ index }) => index));
  const missing = rows.findIndex(({ row }) => !done.has(row));
  return missing === -1 ? rows.length : missing;
}

/** What comes of work on a row: a refusal is its result. */
export async function attempt(
  index: number,
  status: number,
  work: () => Promise<unknown>,
): Promise<BulkResult> {
  try {
    await work();
    return { index, status };
  } catch (error) {
    if (error instanceof Problem) return { index, status: error.status, error };
    throw error;
  }
}

/** Counts rows that nothing has helped. */
export function refused(later: readonly Waiting[]): ImportCounts {
  const errors = later.flatMap(({ row, error }) => toErrors(row.row, error));
  return { created: 0, updated: 0, failed: later.length, errors };
}
