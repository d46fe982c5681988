import { conjuncts, type Filter } from '../../query/filter.ts';
import { ROWS_PER_RECORD } from '../estimate.ts';
import { type Begun, type IdSet, openSets } from '../gather.ts';
import { densityOf, type Known } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';

/** Rows that one request has read at most when it stops to leave records out: the page needs the others. */
export const MAX_ROWS = 32_000;
/** Rows that a request should read at least; fewer are not worth it. */
export const MIN_ROWS = 200;
/** Ids of all sets together that are kept. */
export const MAX_IDS = 40_000;
/** What is read to leave records out, as a multiple of what the records cost that did not fit so far: most follow on. */
const STAKE = 2;

/**
 * Reads the rows of conditions that were checked on records so far, as far as the records that did not fit have shown that
 * it pays; what is begun is continued by the pages that follow.
 * @returns what is known better by then
 */
export async function narrowed(
  known: Known,
  filter: Filter,
  search: Search,
  maxRows: number,
): Promise<Partial<Known>> {
  const { ids, rest = conjuncts(filter), spent, begun } = known;
  const allowed = maxRows - spent;
  if (allowed < MIN_ROWS) return {};
  const { budget } = search;
  const before = budget.rows;
  const sets = openSets(rest, search, { begun }).filter(
    ({ name }) => !begun?.has(name) || begun.get(name),
  );
  await budget.within(Math.min(allowed, Math.max(0, MAX_ROWS - before)), () =>
    Promise.all(sets.map((set) => set.collect(MAX_IDS, search))),
  );
  const whole = sets.filter(({ isComplete }) => isComplete);
  const others = new Map([...(begun ?? []), ...begunOf(sets)]);
  if (whole.length === 0) return { begun: others, spent: spent + budget.rows - before };
  return {
    ids: common([...(ids ? [ids] : []), ...whole.map((set) => set.ids)]),
    rest: rest.filter((part) => whole.every((set) => set.rest.includes(part))),
    ...{ begun: others, read: 0, looked: 0, fitted: 0, spent: 0 },
  };
}

/** What is known of a list that is followed, without the places of records that do not fit, as far as it pays to know them. */
export async function knownBetter(known: Known, filter: Filter, search: Search): Promise<Known> {
  const news = await narrowed(known, filter, search, worthReading(known));
  const { ids } = news;
  const places = ids ? known.places.filter(({ id }) => ids.has(id)) : known.places;
  return { ...known, ...news, places };
}

/** Rows that are worth reading for a list that is followed. */
function worthReading(known: Known): number {
  const { ids, isWhole, looked, read, fitted } = known;
  const inVain = STAKE * ((isWhole ? looked : read) - fitted);
  if (isWhole) return inVain * ROWS_PER_RECORD;
  // Where all records of the set are going to be sorted, those that do not fit are read as well.
  const inSet = ids ? (ids.size * (1 - densityOf(known))) / 2 : 0;
  return Math.max(inVain, inSet) * ROWS_PER_RECORD;
}

/** What a page has collected in vain, for the next one to go on with. */
export const startOf = (set: IdSet): Partial<Known> | undefined =>
  set.isComplete ? undefined : { begun: begunOf([set]) };

/** What was collected of incomplete sets, up to the limit of memory. */
function begunOf(sets: readonly IdSet[]): Map<string, Begun | undefined> {
  let left = MAX_IDS;
  const partial = sets.filter(({ isComplete, begun }) => !isComplete && begun);
  return new Map(
    partial
      .toSorted((one, other) => one.size - other.size)
      .map((set) => {
        left -= set.size;
        return [set.name, left > 0 ? set.begun : undefined];
      }),
  );
}

/** The ids that all sets have. */
function common(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = sets.toSorted(
    (one, other) => one.size - other.size,
  );
  return new Set([...first].filter((id) => others.every((set) => set.has(id))));
}
