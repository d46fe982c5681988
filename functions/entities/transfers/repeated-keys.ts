import type { EntityModel } from '../domain/definitions/model.ts';
import { codecOf } from '../domain/values/codecs.ts';
import { problems } from '../errors.ts';
import type { BulkResult } from './bulk-creation.ts';
import type { ImportRow } from './import-rows.ts';

/** Rows of an upsert whose record a row before them makes. */
export function repeatedKeys(
  model: EntityModel,
  rows: readonly ImportRow[],
  known: ReadonlyMap<number, string>,
  { mode, key }: { readonly mode: 'insert' | 'upsert'; readonly key: string },
): ReadonlySet<number> {
  if (mode !== 'upsert') return new Set();
  const firsts = new Set<string>();
  const repeated = new Set<number>();
  for (const row of rows) {
    const value = row.body[key];
    if (known.has(row.row) || value === undefined || value === null) continue;
    const name = key === 'id' ? String(value).toLowerCase() : nameOf(model, key, value);
    if (firsts.has(name)) repeated.add(row.row);
    firsts.add(name);
  }
  return repeated;
}

/** The same for all spellings of a value. */
function nameOf(model: EntityModel, key: string, value: unknown): string {
  const field = model.field(key);
  const codec = field && codecOf(field);
  const read = codec?.read(value) ?? value;
  return (codec?.isExact && codec.encode(read)) || String(read).normalize();
}

/** What becomes of a row that must wait for the record of another one. */
export function waitingForKey(index: number, key: string): BulkResult {
  const error = problems.uniqueViolation({ fields: [key], conflictId: undefined });
  return { index, status: error.status, error };
}
