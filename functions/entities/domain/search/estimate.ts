import { conjuncts, type Filter, matches } from '../query/filter.ts';
import type { Search } from './find.ts';
import { type Hit, type Hits, listed } from './hits.ts';
import { countFromCounters } from './totals.ts';

/** Read units of a record and of a row, on average. */
const HEADER = 0.5;
const ROW = 0.0125;
/** Records that are sorted in memory at most. */
const MAX_SORTED = 1_000;
/** Ids that are collected at most; the rows that one request may read leave room to go on from there. */
export const MAX_COLLECTED = 18_000;
/** Records that show how many of all fit: a few at first, more before a long walk, at most 100 of them more. */
const TRIALS = [10, 40, 140];

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

/** The way that was chosen for a walk. */
export interface Choice {
  readonly way: Way;
  /** Part of the records that fit. */
  readonly density: number;
  /** The walk from its beginning; what was looked at is not read again. */
  readonly hits: Hits;
}

/** Looks at the first records of a walk until they show the cheapest way. */
export async function chooseByTrial(
  walk: Hits,
  { filter, wanted, scansIndex }: { filter: Filter; wanted: number; scansIndex: boolean },
  search: Search,
): Promise<Choice> {
  const { live } = await search.source.counters();
  let choice: Choice = { way: 'walk', density: 1, hits: walk };
  for (const size of TRIALS) {
    const enough = Math.ceil(wanted / choice.density);
    const trial = await tryWalk(choice.hits, filter, search, Math.min(size, enough));
    const { density, hits } = trial;
    if (trial.isEnd) return { way: 'walk', density, hits };
    const matching = density * live;
    const rowsToCollect = scansIndex ? live : worthTrying(matching);
    choice = { way: cheapestWay({ matching, live, wanted, rowsToCollect }), density, hits };
    if (choice.way !== 'walk') break;
  }
  return choice;
}

/** Estimates are rough: up to twice the limit it may pay to collect as far as it goes. */
const worthTrying = (matching: number): number =>
  matching <= 2 * MAX_COLLECTED ? Math.min(matching, MAX_COLLECTED) : matching;

/** Looks at the first records of a walk, in one request. */
async function tryWalk(hits: Hits, filter: Filter, search: Search, size: number) {
  const seen: Hit[] = [];
  let isEnd = false;
  while (seen.length < size && !isEnd && !search.budget.isSpent) {
    const hit = await hits.next();
    if (hit) seen.push(hit);
    else isEnd = true;
  }
  const { model, words, source } = search;
  const unread = seen.filter(({ header }) => !header).map(({ id }) => id);
  const headers = unread.length > 0 ? await source.headers(unread) : new Map();
  const read = seen.flatMap((hit) => {
    const header = hit.header ?? headers.get(hit.id);
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
