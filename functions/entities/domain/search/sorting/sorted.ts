import { httpProblems } from '../../../../../shared/problems/http-problems.ts';
import { problems } from '../../../errors.ts';
import { comparePositions, type SortKey } from '../../query/order.ts';
import { allRecords } from '../find.ts';
import { IdSet } from '../gather.ts';
import { listed, sift } from '../hits.ts';
import type { Plan, PlanRequest } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';
import { MAX_GROUP, planByGroups } from './groups.ts';
import { compositeWalk, isIndexed, walkInOrder } from './ordered.ts';
import { placed } from './placed.ts';

/**
 * Reads records by id and sorts them. Where the values that decide the order take too long to read, indexes decide.
 * @throws Problem `SORT_NEEDS_INDEX` (400) where there are none
 */
export async function sorted(
  name: string,
  ids: readonly string[],
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { order, position } = request;
  const found = await placed(ids, request, search);
  if (!found) {
    const walk = walkWithin(new Set(ids), request, search);
    if (walk) return walk;
    throw tooMany(order);
  }
  const all = found.filter(({ mayMatch }) => mayMatch);
  const hits = listed(all.filter((hit) => !position || comparePositions(order, hit, position) > 0));
  const places = all.map(({ keys, id }) => ({ keys, id }));
  return { name, hits, coversFilter: true, known: { places, isWhole: true, from: undefined } };
}

/** The records of a set in the order as indexes have it; `undefined` where none do. */
export function walkWithin(
  ids: ReadonlySet<string>,
  request: PlanRequest,
  search: Search,
): Plan | undefined {
  const { order } = request;
  const composite = compositeWalk(request, search);
  const walk = composite?.hits ?? walkInOrder(request, search);
  if (walk) {
    const hits = sift(walk, ids, search);
    return { name: composite?.name ?? 'ordered, sifted', hits, coversFilter: false };
  }
  const isCombined = order.length > 1 && isIndexed(order, search);
  return isCombined ? planByGroups(request, search, { ids }) : undefined;
}

/**
 * A combined order without an index over it: by groups of the same first value, only those of a set if there is one; or, where
 * not every field has an index, all records sorted in memory.
 * @throws Problem `SORT_NEEDS_INDEX` (400) when these are too many, `SERVICE_UNAVAILABLE` (503)
 */
export async function planWithoutIndex(
  request: PlanRequest,
  search: Search,
  set?: IdSet,
): Promise<Plan> {
  const { order } = request;
  if (isIndexed(order, search)) {
    return planByGroups(request, search, set && { ids: set.ids, rest: set.rest });
  }
  const all = set ?? new IdSet(allRecords(search, { reverse: false, expected: MAX_GROUP }), []);
  await all.collect(MAX_GROUP);
  if (all.size > MAX_GROUP) throw needsIndex(order, search);
  return sorted('sorted', [...all.ids], request, search);
}

/** The problem of an order without an index; where there was no time to find out which records fit, another try may succeed. */
export function needsIndex(order: readonly SortKey[], { budget }: Search): Error {
  if (!budget.isLate) return tooMany(order);
  const detail = 'Looking for the records to sort took longer than one request may; try again.';
  return httpProblems.serviceUnavailable({ detail });
}

const tooMany = (order: readonly SortKey[]): Error =>
  problems.sortNeedsIndex({ fields: order.map(({ field }) => field), max: MAX_GROUP });
