import { problems } from '../errors.ts';
import type { BulkResult } from './bulk-creation.ts';
import type { ImportRow } from './import-rows.ts';

/** Rows of an upsert whose record a row before them makes. @returns that row, by theirs */
export function repeatedKeys(
  rows: readonly ImportRow[],
  known: ReadonlyMap<number, string>,
  { mode, key }: { readonly mode: 'insert' | 'upsert'; readonly key: string },
): ReadonlyMap<number, ImportRow> {
  if (mode !== 'upsert') return new Map();
  const firsts = new Map<string, ImportRow>();
  const repeated = new Map<number, ImportRow>();
  for (const row of rows) {
    const value = row.body[key];
    if (known.has(row.row) || value === undefined || value === null) continue;
    const name = key === 'id' ? String(value).toLowerCase() : String(value).normalize();
    const first = firsts.get(name);
    if (first) repeated.set(row.row, first);
    else firsts.set(name, row);
  }
  return repeated;
}

/** What becomes of a row that must wait for the record of another one. */
export function waitingForKey(index: number, key: string): BulkResult {
  const error = problems.uniqueViolation({ fields: [key], conflictId: undefined });
  return { index, status: error.status, error };
}
