import type { EntityModel } from '../definitions/model.ts';
import { facetName } from '../records/index-rows.ts';

/** Number of records with a value; `null`: no value. */
export interface ValueCount {
  readonly value: unknown;
  readonly count: number;
}

/** Counts of fields from the counters, most first. */
export function fromCounters(
  model: EntityModel,
  fields: readonly string[],
  counts: Readonly<Record<string, number>>,
  live: number,
) {
  return Object.fromEntries(
    fields.map((field) => {
      const known = countsOf(model, field, counts);
      const rest = live - known.reduce((sum, { count }) => sum + count, 0);
      return [field, mostFirst([...known, { value: null, count: rest }])];
    }),
  );
}

/** Every value that was counted, also one that the schema does not allow any more. */
function countsOf(
  model: EntityModel,
  code: string,
  counts: Readonly<Record<string, number>>,
): ValueCount[] {
  const prefix = facetName(model.life.counters[code]?.name ?? code, '');
  const isBoolean = model.field(code)?.fieldType === 'BOOLEAN';
  return Object.entries(counts).flatMap(([name, count]) => {
    if (!name.startsWith(prefix)) return [];
    const text = name.slice(prefix.length);
    return [{ value: isBoolean ? text === 'true' : text, count }];
  });
}

/** Counts of values, most first. */
export function tally(values: readonly unknown[]): ValueCount[] {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value ?? null, (counts.get(value ?? null) ?? 0) + 1);
  return mostFirst([...counts].map(([value, count]) => ({ value, count })));
}

const mostFirst = <T extends { readonly count: number }>(entries: readonly T[]): T[] =>
  entries.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
