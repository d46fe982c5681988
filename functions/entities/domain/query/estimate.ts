import { conjuncts, type Filter, matches } from './filter.ts';
import type { Search } from './find.ts';
import { type Hit, type Hits, listed } from './hits.ts';
import { countFromCounters } from './totals.ts';

/** Read units of a record and of a row, on average. */
const HEADER = 0.5;
const ROW = 0.0125;
/** Records that are sorted in memory at most. */
const MAX_SORTED = 1_000;
/** Ids that are collected at most; the rows that one request may read leave room to go on from there. */
const MAX_COLLECTED = 16_000;
/** Records that show how many of all fit. */
const TRIAL = 10;

/** Ways to find the records of a page among those of an index and those of a set. */
export type Way = 'walk' | 'sift' | 'gather';

/** What is known before the choice of a way. */
export interface Estimate {
  /** Records that fit, of all that there are. */
  readonly matching: number;
  readonly live: number;
  /** Records that are needed. */
  readonly wanted: number;
  /** Rows that are still to be read until the set is complete. */
  readonly rowsToCollect: number;
}

/** The cheapest way: look at each record of a walk, sift the walk by a collected set, or read and sort the set. */
export function cheapestWay({ matching, live, wanted, rowsToCollect }: Estimate): Way {
  const walked = Math.min(live, wanted / Math.max(matching / Math.max(live, 1), 1e-9));
  const walk = walked * HEADER;
  if (rowsToCollect > MAX_COLLECTED) return 'walk';
  const collect = rowsToCollect * ROW;
  const sift = collect + walked * ROW + Math.min(wanted, matching) * HEADER;
  const gather = matching > MAX_SORTED ? Number.POSITIVE_INFINITY : collect + matching * HEADER;
  if (walk <= Math.min(sift, gather)) return 'walk';
  return sift < gather ? 'sift' : 'gather';
}

/** How many records fit as far as the counters tell; `undefined` when they do not. */
export async function countedMatches(filter: Filter, search: Search): Promise<number | undefined> {
  const nothing = { live: 0, deleted: 0, facets: {} };
  const isCounted =
    conjuncts(filter).length === 1 && countFromCounters(filter, search, nothing) !== undefined;
  return isCounted ? countFromCounters(filter, search, await search.source.counters()) : undefined;
}

/** What a few records of a walk show; what was read is not read again. */
export interface Trial {
  /** Part of the records that fit. */
  readonly density: number;
  /** Whether these were all. */
  readonly isEnd: boolean;
  /** The walk from its beginning. */
  readonly hits: Hits;
}

/** Looks at the first records of a walk. */
export async function tryWalk(hits: Hits, filter: Filter, search: Search): Promise<Trial> {
  const seen: Hit[] = [];
  let isEnd = false;
  while (seen.length < TRIAL && !isEnd && !search.budget.isSpent) {
    const hit = await hits.next();
    if (hit) seen.push(hit);
    else isEnd = true;
  }
  const { model, words } = search;
  const headers = await search.source.headers(seen.map(({ id }) => id));
  const read = seen.flatMap((hit) => {
    const header = headers.get(hit.id);
    return header ? [{ ...hit, header }] : [];
  });
  const found = read.filter(({ header }) => matches(filter, header, model, words)).length;
  const first = listed(read);
  return {
    density: Math.max(found, 0.5) / Math.max(seen.length, 1),
    isEnd,
    hits: { next: async () => (await first.next()) ?? hits.next() },
  };
}

/** Ids to collect at most when so many are expected. */
export const collectLimit = (matching: number): number =>
  Math.min(MAX_COLLECTED, Math.ceil(matching * 3) + 200);
