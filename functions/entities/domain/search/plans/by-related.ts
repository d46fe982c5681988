import { conjuncts } from '../../query/filter.ts';
import { countedMatches } from '../estimate.ts';
import { allRecords } from '../find.ts';
import { IdSet, openSets, PROBE_ROWS } from '../gather.ts';
import type { Plan, PlanRequest } from '../plan-request.ts';
import type { RelatedPlaces } from '../related/places.ts';
import { relatedWalk } from '../related/walk.ts';
import type { Search } from '../row-walk.ts';
import { MAX_GROUP } from '../sorting/groups.ts';
import { needsIndex, sorted } from '../sorting/sorted.ts';

/**
 * An order by related records: few records are sorted in memory; else the index of the related field leads to one related
 * record after the other, and the index of the reference to the records of each.
 * @throws Problem `SORT_NEEDS_INDEX` (400) when there are many and one of the two has no index, `SERVICE_UNAVAILABLE` (503)
 */
export async function planByRelated(
  request: PlanRequest,
  search: Search,
  places: RelatedPlaces,
): Promise<Plan> {
  const { target } = places.related;
  const walk = relatedWalk(request, search, places);
  const set = request.known && walk ? undefined : await smallSet(request, search, walk && target);
  if (set) return sorted('gather', [...set.ids], request, search);
  if (!walk) throw needsIndex(request.order, search);
  return { name: 'by related records', hits: walk, coversFilter: false };
}

/** The records that fit, where reading all costs less than a walk over the related ones until a page is full. */
async function smallSet(
  { filter, expected }: PlanRequest,
  search: Search,
  target: Search | undefined,
): Promise<IdSet | undefined> {
  const others = target && (await target.source.counters()).live;
  const worthIt = others === undefined ? MAX_GROUP : Math.sqrt(expected * others);
  const limit = Math.min(MAX_GROUP, Math.max(PROBE_ROWS, Math.ceil(worthIt)));
  const counted =
    filter.kind === 'all'
      ? (await search.source.counters()).live
      : await countedMatches(filter, search);
  if (counted !== undefined && counted > limit) return undefined;
  const parts = conjuncts(filter);
  const direction = { reverse: false, expected: limit + 1 };
  const set =
    openSets(parts, search).find(({ scansIndex }) => !scansIndex) ??
    new IdSet(allRecords(search, direction), parts);
  return (await set.collect(limit, search)) ? set : undefined;
}
