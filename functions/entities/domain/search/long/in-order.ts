import { httpProblems } from '../../../../../shared/problems/http-problems.ts';
import { conjuncts, type Filter, matches, neededBy } from '../../query/filter.ts';
import {
  comparePositions,
  isNatural,
  isReversed,
  ownField,
  type Position,
  positionOf,
  type SortKey,
} from '../../query/order.ts';
import { ROWS_PER_RECORD } from '../estimate.ts';
import { allRecords, findByEquality } from '../find.ts';
import { IdSet } from '../gather.ts';
import { type Hit, type Hits, listed, sift } from '../hits.ts';
import type { PlanInput } from '../plan-request.ts';
import type { Search } from '../row-walk.ts';
import { compositeWalk, walkInOrder } from '../sorting/ordered.ts';
import { type FollowLimits, firstComplete, LIMITS, setsOf } from './follow.ts';
import { BATCH, type Stretch, stretchesOf } from './stretches.ts';

/** Records that are sorted in memory, of which only their places are kept. */
const MAX_SORTED = 20_000;

/**
 * Every record that matches, in an order, from a place on: by the index of the order, of which only records of the conditions
 * that other indexes decide are read; or, where that costs less, sorted in memory.
 * @param after where another walk has come to
 * @throws Problem `INVALID_PARAMETER` (400) when more records are to be sorted than memory is for
 */
export async function* followInOrder(
  { filter, order }: { readonly filter: Filter; readonly order: readonly SortKey[] },
  after: string | undefined,
  search: Search,
  limits = LIMITS,
): AsyncGenerator<Stretch> {
  const position = after === undefined ? undefined : (JSON.parse(after) as Position);
  const request = { filter, order, position, expected: limits.rows };
  const hits = await candidates(request, search, limits);
  yield* stretchesOf(hits, { filter, order }, search);
}

/** The records that may match, in their order, each with its place. */
async function candidates(request: PlanInput, search: Search, limits: FollowLimits): Promise<Hits> {
  const composite = compositeWalk(request, search);
  if (composite) return composite.hits;
  const walk = walkOf(request, search);
  const set = await sieve(request.filter, search, {
    ...limits,
    ids: walk ? limits.ids : MAX_SORTED,
  });
  const live = walk ? (await search.source.counters()).live : Number.POSITIVE_INFINITY;
  if (set && set.size <= MAX_SORTED && set.size * ROWS_PER_RECORD < live) {
    return sortedHits(set, request, search);
  }
  if (!walk) throw needsIndex();
  return set ? sift(walk, set) : walk;
}

function walkOf(request: PlanInput, search: Search): Hits | undefined {
  const { filter, order, position, expected } = request;
  const direction = { reverse: isReversed(order), expected, after: position?.id };
  const equality = isNatural(order) ? findByEquality(filter, search, direction) : undefined;
  return equality?.hits ?? walkInOrder(request, search);
}

/** The ids that meet the smallest condition, up to the limit of memory; all ids where there is no condition. */
async function sieve(
  filter: Filter,
  search: Search,
  limits: FollowLimits,
): Promise<IdSet | undefined> {
  const direction = { reverse: false, expected: limits.rows };
  const equality = findByEquality(filter, search, direction);
  const opened = setsOf(equality?.rest ?? conjuncts(filter), search, limits.rows).map((open) =>
    open(),
  );
  const lists = [...(equality ? [equality.hits] : []), ...opened];
  if (lists.length === 0 && limits.ids <= MAX_SORTED) lists.push(allRecords(search, direction));
  const sets = lists.map((hits) => new IdSet(hits, []));
  return firstComplete(sets, limits.rows, limits.ids);
}

/** The records of a set in their order; the place of each is kept, not the record. */
async function sortedHits(
  set: IdSet,
  { filter, order, position }: PlanInput,
  { model, source, words }: Search,
): Promise<Hits> {
  const ids = set.inIdOrder(false).map(({ id }) => id);
  const needed = neededBy(model, filter, order.map(ownField));
  const hits: Hit[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    for await (const some of source.headers(ids.slice(at, at + BATCH), needed)) {
      await order[0]?.places?.learn(some);
      for (const header of some) {
        if (header.deletedAt !== undefined || !matches(filter, header, model, words)) continue;
        hits.push({ ...positionOf(order, header, model), isProven: false });
      }
    }
  }
  const ahead = hits.filter((hit) => !position || comparePositions(order, hit, position) > 0);
  return listed(ahead.sort((one, other) => comparePositions(order, one, other)));
}

const needsIndex = (): Error => {
  const detail = `needs an index for more than ${MAX_SORTED} records: sort by one searchable field, or by fields that x-indexes names together`;
  return httpProblems.invalidParameter([{ parameter: 'sort', code: 'SORT_NEEDS_INDEX', detail }]);
};
