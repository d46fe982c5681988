import { isReversed } from '../../query/order.ts';
import { type Choice, cheapestWay, chooseByTrial, MAX_COLLECTED } from '../estimate.ts';
import { allRecords, findByEquality } from '../find.ts';
import type { IdSet } from '../gather.ts';
import { type KeyRows, readsBetween, rowsInstead } from '../keyed/key-rows.ts';
import { densityOf, type Plan, type PlanRequest } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';

/** Part of the records that many keys have at most, to be collected before others are. */
const FEW = 0.25;

/**
 * Many keys whose lists are read in a request for certain, or that few records have; else what comes first, which may be
 * more than a request reads.
 */
export async function fewest(sets: readonly IdSet[], search: Search): Promise<IdSet | undefined> {
  const keyed = sets.filter((set) => set.keyed);
  if (keyed.length === 0) return sets[0];
  const { live } = await search.source.counters();
  for (const set of keyed) {
    if (set.keyed && !readsBetween(set.keyed.of, live)) return set;
    if (((await set.keyed?.sample())?.share ?? 1) < FEW && live <= MAX_COLLECTED) return set;
  }
  return sets[0];
}

/**
 * The choice of a scan with a set of many keys, where the first rows between these show that it does not pay to look at
 * each record.
 */
export async function fewOf(
  keyed: KeyRows,
  wanted: number,
  { source }: Search,
): Promise<Omit<Choice, 'hits'> | undefined> {
  const { live } = await source.counters();
  const { share } = await keyed.sample();
  if (share === undefined || paysToLook(keyed, share, wanted, live)) return undefined;
  return { way: 'sift', density: Math.max(share, 0.5 / live) };
}

function paysToLook({ of }: KeyRows, share: number, wanted: number, live: number): boolean {
  const rowsToCollect = rowsInstead(of, live);
  return cheapestWay({ matching: share * live, live, wanted, rowsToCollect }) === 'walk';
}

/**
 * Records that have one of many keys, in the order of ids: where many do, each record is looked at; else all of them are
 * collected, or the lists of all keys are merged.
 * @returns `undefined` when the set is collected
 */
export async function planByKeys(
  set: IdSet,
  keyed: KeyRows,
  request: PlanRequest,
  search: Search,
): Promise<Plan | undefined> {
  const { filter, order, position, expected: wanted, known } = request;
  const { source, budget } = search;
  const { live } = await source.counters();
  const direction = { reverse: isReversed(order), expected: wanted, after: position?.id };
  const walk = { name: 'walk, checked', hits: allRecords(search, direction), coversFilter: false };
  if (known && paysToLook(keyed, densityOf(known), wanted, live)) return walk;
  if (!known && (await fewOf(keyed, wanted, search)) === undefined) {
    const rows = rowsInstead(keyed.of, live);
    const trial = await chooseByTrial(walk.hits, { filter, wanted, rows }, search);
    if (trial.way === 'walk') return { ...walk, hits: trial.hits, density: trial.density };
  }
  if (!readsBetween(keyed.of, live)) {
    const lists = findByEquality(filter, search, direction);
    if (lists) return { name: lists.plan, hits: lists.hits, coversFilter: lists.rest.length === 0 };
  }
  const rows = MAX_COLLECTED - budget.rows;
  if (await budget.within(rows, () => set.collect(MAX_COLLECTED, search))) return undefined;
  return { ...walk, hits: allRecords(search, direction) };
}
