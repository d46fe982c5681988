import { type Comparison, conjuncts, type Filter } from '../../query/filter.ts';
import { compareKeys } from '../../values/folding.ts';
import { ROWS_PER_RECORD } from '../estimate.ts';
import { allRecords, fieldRanges, findByEquality, rangeHits } from '../find.ts';
import { IdSet } from '../gather.ts';
import { type Hit, type Hits, listed } from '../hits.ts';
import type { Search } from '../row-walk.ts';
import { wordHits } from '../words.ts';
import { type Ids, lowestIds, nextIds } from './id-window.ts';
import { type Stretch, stretchesOf } from './stretches.ts';

/** How much a walk reads and keeps at once. */
export interface FollowLimits {
  /** Rows of one request: a long walk needs them all. */
  readonly rows: number;
  /** Ids in memory. */
  readonly ids: number;
  /** Most rows that are read to find the lowest ids of a set; larger sets are not used. */
  readonly scanned: number;
}

export const LIMITS: FollowLimits = { rows: 4_000, ids: 200_000, scanned: 2_000_000 };

/**
 * Every record that matches, lowest id first, from a place on. Each row of the indexes is read once, for up to 200 000
 * matches of a range, and the records of all conditions that indexes decide together.
 */
export async function* follow(
  filter: Filter,
  after: string | undefined,
  search: Search,
  limits = LIMITS,
): AsyncGenerator<Stretch> {
  const candidates = candidatesOf(filter, after, search, limits);
  const next = async (): Promise<Hit | undefined> => {
    const { value: id } = await candidates.next();
    return id === undefined ? undefined : { id, keys: [], isProven: false };
  };
  yield* stretchesOf({ next }, { filter }, search);
}

/** Ids of the records that may match, lowest first. */
async function* candidatesOf(
  filter: Filter,
  after: string | undefined,
  search: Search,
  limits: FollowLimits,
): AsyncGenerator<string, undefined> {
  const named = namedIds(filter, after);
  if (named) {
    yield* named;
    return undefined;
  }
  const direction = { reverse: false, expected: limits.rows, after };
  const equality = findByEquality(filter, search, direction);
  const sets = setsOf(equality?.rest ?? conjuncts(filter), search, limits.rows);
  if (equality && sets.length === 0) return yield* idsOf(equality.hits);
  const { next, others } = equality
    ? { next: () => nextIds(equality.hits, limits.ids, search), others: sets }
    : await smallestOf(sets, limits);
  let last = after;
  for (let isWhole = false; !isWhole; ) {
    const found = await next(last);
    if (!found) return yield* idsOf(allRecords(search, { ...direction, after: last }));
    yield* await sifted(found.ids, others);
    isWhole = found.isWhole;
    last = found.ids.at(-1) ?? last;
  }
  return undefined;
}

async function* idsOf(hits: Hits): AsyncGenerator<string, undefined> {
  for (let hit = await hits.next(); hit; hit = await hits.next()) yield hit.id;
  return undefined;
}

/** The ids that a filter names, if it does. */
function namedIds(filter: Filter, after: string | undefined): readonly string[] | undefined {
  const test = conjuncts(filter).find(
    (part): part is Comparison =>
      part.kind === 'test' && part.field === 'id' && (part.op === 'eq' || part.op === 'in'),
  );
  const ids = test && new Set(test.operands.map(({ value }) => String(value)));
  return ids && [...ids].sort(compareKeys).filter((id) => isBeyond(id, after));
}

const isBeyond = (id: string, after: string | undefined): boolean =>
  after === undefined || compareKeys(id, after) > 0;

/** Opens the rows of a condition. */
export type OpenRows = () => Hits;

/** The rows of conditions other than equalities. */
export function setsOf(parts: readonly Filter[], search: Search, expected: number): OpenRows[] {
  const direction = { reverse: false, expected };
  const words = parts.flatMap((part) => {
    const open = () =>
      part.kind === 'words' ? wordHits(search, part.words, direction) : undefined;
    return open() ? [() => open() ?? listed([])] : [];
  });
  const ranges = fieldRanges(parts, search.model);
  return [...ranges.map((range) => () => rangeHits(search, range, direction)), ...words];
}

/** The source of candidates, and the conditions that they must meet. */
interface Origin {
  /** The next ids beyond one; `undefined`: too many rows to look for them. */
  readonly next: (after: string | undefined) => Promise<Ids | undefined>;
  readonly others: readonly OpenRows[];
}

/** The smallest set as a whole, found by reading all of them side by side; else the lowest ids of the first. */
async function smallestOf(
  sets: readonly OpenRows[],
  { rows, ids: maxIds, scanned }: FollowLimits,
): Promise<Origin> {
  const tried = sets.map((open) => new IdSet(open(), []));
  const smallest = await firstComplete(tried, rows, maxIds);
  if (smallest) {
    const ids = smallest.inIdOrder(false).map(({ id }) => id);
    return {
      next: async (after) => ({ ids: ids.filter((id) => isBeyond(id, after)), isWhole: true }),
      others: sets.filter((_, at) => tried[at] !== smallest),
    };
  }
  const [first, ...others] = sets;
  const limits = { limit: maxIds, maxRows: scanned };
  return { next: async (after) => first && lowestIds(first(), after, limits), others };
}

/** The smallest of some sets, found by reading all of them side by side; `undefined` where each has more than so many records. */
export async function firstComplete(
  sets: readonly IdSet[],
  rows: number,
  most: number,
): Promise<IdSet | undefined> {
  for (let limit = Math.min(rows, most); sets.length > 0; limit = Math.min(2 * limit, most)) {
    for (const set of sets) if (await set.collect(limit)) return set;
    if (limit >= most) return undefined;
  }
  return undefined;
}

/** The ids that all conditions have, where finding that out costs less than reading their records. */
async function sifted(
  ids: readonly string[],
  conditions: readonly OpenRows[],
): Promise<readonly string[]> {
  let left = ids;
  for (const open of conditions) {
    left = (await among(left, open(), left.length * ROWS_PER_RECORD)) ?? left;
  }
  return left;
}

async function among(
  ids: readonly string[],
  hits: Hits,
  maxRows: number,
): Promise<readonly string[] | undefined> {
  const wanted = new Set(ids);
  const found = new Set<string>();
  let rows = 0;
  for (let hit = await hits.next(); hit; hit = await hits.next()) {
    rows += 1;
    if (rows > maxRows) return undefined;
    if (wanted.has(hit.id)) found.add(hit.id);
  }
  return ids.filter((id) => found.has(id));
}
