import { problems } from '../../errors.ts';
import type { RecordHeader } from '../entity/record.ts';
import { matches, neededBy } from '../query/filter.ts';
import {
  comparePositions,
  isReversed,
  ownField,
  positionOf,
  type SortKey,
  startOfGroup,
} from '../query/order.ts';
import { lacksLarge, largeOf } from '../records/large-values.ts';
import { allRecords } from './find.ts';
import type { IdSet } from './gather.ts';
import { type Hit, type Hits, listed, sift } from './hits.ts';
import { orderedWalk } from './ordered.ts';
import type { Plan, PlanRequest } from './plan-request.ts';
import type { Search } from './row-walk.ts';
import type { Budget } from './source.ts';

/** Most records sorted by a combined order without an index; below the work limit of one request, so that it progresses. */
export const MAX_GROUP = 1_900;
/** Records whose large values decide the order that a request reads of its first group after its time, so that it progresses. */
const MAX_LATE = 40;

/** Reads records by id and sorts them. */
export async function sorted(
  name: string,
  ids: readonly string[],
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { order, position } = request;
  const found = await placed(ids, request, search);
  if (!found) return siftedWalk(ids, request, search);
  const all = found.filter(({ mayMatch }) => mayMatch);
  const hits = listed(all.filter((hit) => !position || comparePositions(order, hit, position) > 0));
  const places = all.map(({ keys, id }) => ({ keys, id }));
  return { name, hits, coversFilter: true, known: { places, isWhole: true, from: undefined } };
}

/** A record that was read, with its place. */
interface Placed extends Hit {
  /** Whether it may match: where conditions need large values that do not decide the order, it is yet to be checked. */
  readonly mayMatch: boolean;
}

/**
 * Live records in their order. Of large values only those that decide it are read.
 * @returns `undefined` when the time is over before all of these are read
 */
async function placed(
  ids: readonly string[],
  { filter, order }: Pick<PlanRequest, 'filter' | 'order'>,
  { model, source, words, budget }: Search,
  maxLate = 0,
): Promise<Placed[] | undefined> {
  let late = 0;
  const ordering = new Set(order.map(ownField));
  const judging = neededBy(model, filter, []);
  const hits: Placed[] = [];
  for (let at = 0; at < ids.length; at += 100) {
    for await (const some of source.headers(ids.slice(at, at + 100), ordering)) {
      const live = some.filter(({ deletedAt }) => deletedAt === undefined);
      await order[0]?.places?.learn(live);
      for (const header of live) {
        const place = positionOf(order, header, model);
        const isProven = !lacksLarge(model, header, judging);
        const mayMatch = !isProven || matches(filter, header, model, words);
        const isWhole = isProven && mayMatch && !lacksLarge(model, header, source.fields);
        hits.push({ ...place, isProven, mayMatch, ...(isWhole && keptBy(budget, header)) });
      }
      const slow = some.filter((header) => largeOf(model, header, ordering).length > 0);
      if (budget.isLate) late += slow.length;
      if (late > maxLate) return undefined;
    }
  }
  return hits.sort((one, other) => comparePositions(order, one, other));
}

const keptBy = (budget: Budget, header: RecordHeader): Pick<Hit, 'header'> =>
  budget.keeps(header) ? { header } : {};

/** Where the values that decide the order take too long to read, its index decides, or that of its first field. */
function siftedWalk(ids: readonly string[], request: PlanRequest, search: Search): Plan {
  const [first, ...others] = request.order;
  const hasIndex = first !== undefined && search.model.readyIndex([first.field]) !== undefined;
  if (!hasIndex) throw tooMany(request.order);
  const set = new Set(ids);
  if (others.length > 0) {
    const hits = groups(request, search, set);
    return { name: 'ordered by groups', hits, coversFilter: true };
  }
  const hits = sift(orderedWalk(request, search), set, () => search.budget.isSpent);
  return { name: 'ordered, sifted', hits, coversFilter: false };
}

/**
 * A combined order without an index over it: all records when they are few, else the index of the first field with
 * records of the same value sorted in memory, only those of a set if there is one.
 * @throws Problem `SORT_NEEDS_INDEX` (400) when too many share a value
 */
export async function groupedPlan(
  request: PlanRequest,
  search: Search,
  set?: IdSet,
): Promise<Plan> {
  const { order } = request;
  const [first] = order;
  if (!first || !search.model.readyIndex([first.field])) {
    const ids: string[] = [];
    const all = allRecords(search, { reverse: false, expected: MAX_GROUP });
    for (let hit = await all.next(); hit; hit = await all.next()) {
      ids.push(hit.id);
      if (ids.length > MAX_GROUP) throw tooMany(order);
    }
    return sorted('sorted', ids, request, search);
  }
  const known = set && { ids: set.ids, rest: set.rest };
  const hits = groups(request, search, known?.ids);
  return { name: 'ordered by groups', hits, coversFilter: true, known };
}

const tooMany = (order: readonly SortKey[]): Error =>
  problems.sortNeedsIndex({ fields: order.map(({ field }) => field), max: MAX_GROUP });

/** The groups of records of the same value, one after the other; only those of a set, if there is one. */
export function groups(request: PlanRequest, search: Search, set?: ReadonlySet<string>): Hits {
  const { order, position, known } = request;
  const [first] = order;
  const from = position?.keys[0];
  // The group in which the page before ended is read again from its beginning, unless all its places were known.
  const isPast = known?.places.at(-1)?.id === position?.id;
  const start = from === undefined ? undefined : isReversed(order) === isPast ? from : `${from} `;
  const single = { ...request, order: first ? [first] : [], expected: 100 };
  const walk = orderedWalk(single, search, start);
  const rows = set ? sift(walk, set, () => search.budget.isSpent) : walk;
  const isAhead = (hit: Hit): boolean => !position || comparePositions(order, hit, position) > 0;
  const next = nextGroup(rows, order);
  let group: Hit[] = [];
  let isFirst = true;
  const readGroup = async (): Promise<boolean> => {
    const { key, ids } = (await next()) ?? {};
    if (key === undefined || !ids) return false;
    const found = await placed(ids, request, search, isFirst ? MAX_LATE : 0);
    if (!found && isFirst) throw tooMany(order);
    isFirst = false;
    const present = found?.filter((hit) => hit.keys[0] === key && isAhead(hit));
    group = present?.filter(({ mayMatch }) => mayMatch) ?? [];
    // At the work limit, return the end of the group as an unproven record.
    if (present && group.length === 0 && search.budget.isSpent) group = present.slice(-1);
    // The next request begins with a group that this one has no time for.
    if (!present) group = [{ ...startOfGroup(order, key), isProven: false }];
    return true;
  };
  return {
    async next() {
      while (group.length === 0) if (!(await readGroup())) return undefined;
      return group.shift();
    },
  };
}

/** Reads the ids of the records of one value after the other. */
function nextGroup(rows: Hits, order: readonly SortKey[]) {
  let ahead: Hit | undefined;
  return async (): Promise<{ key: string; ids: readonly string[] } | undefined> => {
    ahead ??= await rows.next();
    if (!ahead) return undefined;
    const [key = ''] = ahead.keys;
    const ids: string[] = [];
    for (; ahead && ahead.keys[0] === key; ahead = await rows.next()) {
      ids.push(ahead.id);
      if (ids.length > MAX_GROUP) throw tooMany(order);
    }
    return { key, ids };
  };
}
