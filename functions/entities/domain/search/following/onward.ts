import { allOf, conjuncts } from '../../query/filter.ts';
import { comparePositions, isNatural, isReversed } from '../../query/order.ts';
import { compareKeys } from '../../values/folding.ts';
import { ROWS_PER_RECORD } from '../estimate.ts';
import { findByEquality } from '../find.ts';
import { listed, sift } from '../hits.ts';
import { compositeWalk, orderedWalk } from '../ordered.ts';
import type { Plan, PlanRequest } from '../plan-request.ts';
import { densityOf, type Known } from '../plan-request.ts';
import { RelatedPlaces } from '../related/places.ts';
import { relatedWalk } from '../related/walk.ts';
import type { Search } from '../row-walk.ts';
import { groups, MAX_GROUP, sorted } from '../sorted.ts';
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
  return { density: densityOf(known), ...plan, known: { ...plan.known, ...(keys && { keys }) } };
}

function planWithin(
  ids: ReadonlySet<string>,
  known: Known,
  request: PlanRequest,
  search: Search,
): Promise<Plan> | Plan {
  const isSpent = (): boolean => search.budget.isSpent;
  const places = request.order[0]?.places;
  if (places instanceof RelatedPlaces) {
    const walk = relatedWalk(request, search, places);
    return walk
      ? { name: 'by related records', hits: sift(walk, ids, isSpent), coversFilter: false }
      : sorted('gather', [...ids], request, search);
  }
  if (isNatural(request.order)) return inIdOrder(ids, known, request, search);
  const composite = compositeWalk(request, search);
  if (composite) {
    return { ...composite, hits: sift(composite.hits, ids, isSpent), coversFilter: false };
  }
  const [first, ...others] = request.order;
  const hasIndex = first !== undefined && search.model.readyIndex([first.field]) !== undefined;
  if (others.length === 0 && hasIndex) return sifted(ids, request, search);
  if (ids.size <= MAX_GROUP || !hasIndex) return sorted('gather', [...ids], request, search);
  return { name: 'ordered by groups', hits: groups(request, search, ids), coversFilter: true };
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
    const hits = sift(equality.hits, ids, () => search.budget.isSpent);
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

/** Sorted now, where that costs less than to walk to the end of the order. */
async function sifted(
  ids: ReadonlySet<string>,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { live } = await search.source.counters();
  if (ids.size * ROWS_PER_RECORD < live && ids.size <= MAX_GROUP) {
    return sorted('gather', [...ids], request, search);
  }
  const expected = Math.ceil((request.expected * live) / Math.max(ids.size, 1));
  const walk = orderedWalk({ ...request, expected }, search);
  const hits = sift(walk, ids, () => search.budget.isSpent);
  return { name: 'ordered, sifted', hits, coversFilter: false };
}
