import { conjuncts, type Filter, matches } from '../query/filter.ts';
import { type Hit, type Hits, listed } from './hits.ts';
import { readHits } from './read-hits.ts';
import type { Search } from './row-walk.ts';
import { countFromCounters } from './totals.ts';

/** Read units of a record and of a row, on average. */
const HEADER = 0.5;
const ROW = 0.0125;
/** Rows that cost as much as a record. */
export const ROWS_PER_RECORD = HEADER / ROW;
/** Records that are sorted in memory at most. */
const MAX_SORTED = 1_000;
/** Most ids that are collected; leaves part of a request's row budget for the rest of the query. */
export const MAX_COLLECTED = 36_000;
/** Sample sizes for estimating selectivity: a few at first, more before a long scan, at most 100 more. */
const TRIALS = [10, 40, 140];

/** A collection is dear when it costs this many times the price of a longer sample. */
const MUCH = 5;

/** Strategies for combining an index scan with a collected set. */
export type Way = 'walk' | 'sift' | 'gather';

/** Input of the choice of a strategy. */
export interface Estimate {
  /** Records that fit, of all that there are. */
  readonly matching: number;
  readonly live: number;
  /** Records that are needed. */
  readonly wanted: number;
  /** Rows that are still to be read until the set is complete. */
  readonly rowsToCollect: number;
}

/** Chooses the cheapest strategy: check each scanned record, filter the scan by a collected set, or sort the set. */
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

/** Number of matching records from the counters; `undefined` when they do not know. */
export async function countedMatches(filter: Filter, search: Search): Promise<number | undefined> {
  const nothing = { live: 0, deleted: 0, facets: {} };
  const isCounted =
    conjuncts(filter).length === 1 && countFromCounters(filter, search, nothing) !== undefined;
  return isCounted ? countFromCounters(filter, search, await search.source.counters()) : undefined;
}

/** The chosen strategy of a scan. */
export interface Choice {
  readonly way: Way;
  /** Fraction of matching records. */
  readonly density: number;
  /** The scan from its start, reusing the sampled records. */
  readonly hits: Hits;
}

/** What is tried on the records of a scan. */
export interface Trial {
  readonly filter: Filter;
  /** Records that are needed. */
  readonly wanted: number;
  /** Rows until the set is complete, where they are known: not those that fit. */
  readonly rows: number | undefined;
}

/** Samples the first records of a scan until the cheapest strategy is known. */
export async function chooseByTrial(
  walk: Hits,
  { filter, wanted, rows }: Trial,
  search: Search,
): Promise<Choice> {
  const { live } = await search.source.counters();
  let choice: Choice = { way: 'walk', density: 1, hits: walk };
  for (const [at, size] of TRIALS.entries()) {
    const enough = Math.ceil(wanted / choice.density);
    const trial = await tryWalk(choice.hits, filter, search, Math.min(size, enough));
    const { density, hits } = trial;
    if (trial.isEnd) return { way: 'walk', density, hits };
    const matching = density * live;
    const rowsToCollect = rows ?? matching;
    choice = { way: cheapestWay({ matching, live, wanted, rowsToCollect }), density, hits };
    // A short sample may be wrong. A longer one costs much less than a dear collection that was not needed.
    const longer = ((TRIALS[at + 1] ?? size) - size) * HEADER;
    if (choice.way !== 'walk' && rowsToCollect * ROW <= MUCH * longer) break;
  }
  return choice;
}

/** Samples the first records of a scan in one request. */
async function tryWalk(hits: Hits, filter: Filter, search: Search, size: number) {
  const seen: Hit[] = [];
  let isEnd = false;
  while (seen.length < size && !isEnd && !search.budget.isSpent) {
    const hit = await hits.next();
    if (hit) seen.push(hit);
    else isEnd = true;
  }
  const { present, looked, found } = await lookAt(seen, filter, search);
  const first = listed([...present, ...seen.slice(looked)]);
  return {
    density: Math.max(found, 0.5) / Math.max(looked, 1),
    isEnd,
    hits: { next: async () => (await first.next()) ?? hits.next() },
  };
}

/** Those that exist, with their records as far as memory is for them; how many there was time for, and how many match. */
async function lookAt(
  hits: readonly Hit[],
  filter: Filter,
  { model, words, source, budget }: Search,
) {
  const present: Hit[] = [];
  let looked = 0;
  let found = 0;
  for await (const some of readHits(hits, source)) {
    for (const { hit, header } of some) {
      if (!header) continue;
      present.push(!hit.header && budget.keeps(header) ? { ...hit, header } : hit);
      if (matches(filter, header, model, words)) found += 1;
    }
    looked += some.length;
    if (budget.isLate) break;
  }
  return { present, looked, found };
}
