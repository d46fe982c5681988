import { allOf, conjuncts } from '../../query/filter.ts';
import { comparePositions, isNatural, isReversed } from '../../query/order.ts';
import { compareKeys } from '../../values/folding.ts';
import { ROWS_PER_RECORD } from '../estimate.ts';
import { findByEquality } from '../find.ts';
import { listed, sift } from '../hits.ts';
import type { Plan, PlanRequest } from '../plan-request.ts';
import { densityOf, type Known } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';
import { MAX_GROUP } from '../sorting/groups.ts';
import { compositeWalk } from '../sorting/ordered.ts';
import { sorted, walkWithin } from '../sorting/sorted.ts';
import { followedByRows } from './by-rows.ts';

/** Plans how a list goes on behind what its pages have found: by the records that may fit, once these are known. */
export async function planOnward(
  request: PlanRequest,
  known: Known,
  search: Search,
  otherwise: () => Promise<Plan>,
): Promise<Plan> {
  const byRows = await followedByRows(request, known, search);
  const plan =
    byRows.plan ??
    (known.ids ? await planWithin(known.ids, known, request, search) : await otherwise());
  const { keys } = byRows;
  return {
    ...{ density: densityOf(known), ...plan },
    get known() {
      return { ...plan.known, ...(keys && { keys }) };
    },
  };
}

async function planWithin(
  ids: ReadonlySet<string>,
  known: Known,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { order } = request;
  if (isNatural(order)) return inIdOrder(ids, known, request, search);
  const sort = (): Promise<Plan> => sorted('gather', [...ids], request, search);
  const [first, ...others] = order;
  if (first?.places || compositeWalk(request, search)) {
    return walkWithin(ids, request, search) ?? sort();
  }
  // Sorted now, where that costs less than to walk to the end of the order.
  const { live } = await search.source.counters();
  const isCheap = others.length > 0 || ids.size * ROWS_PER_RECORD < live;
  if (isCheap && ids.size <= MAX_GROUP) return sort();
  const rows = Math.ceil((request.expected * live) / Math.max(ids.size, 1));
  const expected = others.length > 0 ? request.expected : rows;
  return walkWithin(ids, { ...request, expected }, search) ?? sort();
}

function inIdOrder(
  ids: ReadonlySet<string>,
  { rest }: Known,
  { filter, order, position, expected }: PlanRequest,
  search: Search,
): Plan {
  const reverse = isReversed(order);
  const direction = { reverse, expected, after: position?.id };
  const equality = findByEquality(allOf(rest ?? conjuncts(filter)), search, direction, 'left out');
  if (equality) {
    const hits = sift(equality.hits, ids, search);
    return { name: `${equality.plan}, sifted`, hits, coversFilter: false };
  }
  const sign = reverse ? -1 : 1;
  const places = [...ids]
    .sort((one, other) => sign * compareKeys(one, other))
    .map((id) => ({ id, keys: [] }));
  const hits = places
    .filter((place) => !position || comparePositions(order, place, position) > 0)
    .map((place) => ({ ...place, isProven: false }));
  const whole = { places, isWhole: true, from: undefined };
  return { name: 'gather', hits: listed(hits), coversFilter: false, known: whole };
}
