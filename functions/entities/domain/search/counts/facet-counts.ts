import type { EntityModel } from '../../definitions/model.ts';
import type { RecordHeader } from '../../entity/record.ts';
import type { AnswerRoom } from '../../query/answer-room.ts';
import { facetName } from '../../records/index-rows.ts';

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

/** Counts the values of fields while records are looked at. */
export class FacetTally {
  readonly #counts: ReadonlyMap<string, Map<unknown, number>>;
  readonly #room: AnswerRoom;

  constructor(fields: readonly string[], room: AnswerRoom) {
    this.#room = room;
    this.#counts = new Map(fields.map((field) => [field, new Map()]));
  }

  /** @throws Problem `ANSWER_TOO_LARGE` (422) when different values take more than an answer holds */
  add({ values }: Pick<RecordHeader, 'values'>): void {
    for (const [field, counts] of this.#counts) {
      for (const value of valuesOf(values[field])) {
        const count = counts.get(value);
        if (count === undefined) this.#room.take(value);
        counts.set(value, (count ?? 0) + 1);
      }
    }
  }

  /** The counts of each field, most first. */
  counts(): Readonly<Record<string, readonly ValueCount[]>> {
    return Object.fromEntries(
      [...this.#counts].map(([field, counts]) => [
        field,
        mostFirst([...counts].map(([value, count]) => ({ value, count }))),
      ]),
    );
  }
}

/** What a record is counted by: each of several values, or none. */
const valuesOf = (value: unknown): Iterable<unknown> =>
  Array.isArray(value) && value.length > 0 ? new Set(value) : [isEmpty(value) ? null : value];

const isEmpty = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0);

const mostFirst = <T extends { readonly count: number }>(entries: readonly T[]): T[] =>
  entries.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
