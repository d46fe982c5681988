import { problems } from '../../errors.ts';
import type { RecordHeader } from '../entity/record.ts';
import { matches } from '../query/filter.ts';
import {
  comparePositions,
  isReversed,
  type Position,
  positionOf,
  type SortKey,
} from '../query/order.ts';
import { allRecords } from './find.ts';
import type { IdSet } from './gather.ts';
import { type Hit, type Hits, listed, sift } from './hits.ts';
import { orderedWalk } from './ordered.ts';
import type { Plan, PlanRequest } from './plan-request.ts';
import type { Search } from './row-walk.ts';

/** Most records sorted by a combined order without an index; below the work limit of one request, so that it progresses. */
export const MAX_GROUP = 1_900;

/** Reads records by id and sorts them. */
export async function sorted(
  name: string,
  ids: readonly string[],
  { filter, order, position }: PlanRequest,
  search: Search,
): Promise<Plan> {
  const found = (await readHeaders(ids, search)).filter((header) =>
    matches(filter, header, search.model, search.words),
  );
  await order[0]?.places?.learn(found);
  const all = toHits(found, order, undefined, search);
  const hits = listed(all.filter((hit) => !position || comparePositions(order, hit, position) > 0));
  const places = all.map(({ keys, id }) => ({ keys, id }));
  return { name, hits, coversFilter: true, known: { places, isWhole: true, from: undefined } };
}

function toHits(
  headers: readonly RecordHeader[],
  order: readonly SortKey[],
  position: Position | undefined,
  { model }: Search,
): Hit[] {
  return headers
    .map((header) => ({ ...positionOf(order, header, model), header, isProven: true }))
    .filter((hit) => !position || comparePositions(order, hit, position) > 0)
    .sort((one, other) => comparePositions(order, one, other));
}

async function readHeaders(ids: readonly string[], { source }: Search): Promise<RecordHeader[]> {
  const found: RecordHeader[] = [];
  for (let at = 0; at < ids.length; at += 100) {
    const page = await source.headers(ids.slice(at, at + 100));
    found.push(...page.values());
  }
  return found.filter(({ deletedAt }) => deletedAt === undefined);
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
  const { filter, order, position, known } = request;
  const [first] = order;
  const from = position?.keys[0];
  // The group in which the page before ended is read again from its beginning, unless all its places were known.
  const isPast = known?.places.at(-1)?.id === position?.id;
  const start = from === undefined ? undefined : isReversed(order) === isPast ? from : `${from} `;
  const single = { ...request, order: first ? [first] : [], expected: 100 };
  const walk = orderedWalk(single, search, start);
  const rows = set ? sift(walk, set, () => search.budget.isSpent) : walk;
  let ahead: Hit | undefined;
  let group: Hit[] = [];
  const readGroup = async (): Promise<boolean> => {
    ahead ??= await rows.next();
    if (!ahead) return false;
    const key = ahead.keys[0];
    const ids: string[] = [];
    for (; ahead && ahead.keys[0] === key; ahead = await rows.next()) {
      ids.push(ahead.id);
      if (ids.length > MAX_GROUP) throw tooMany(order);
    }
    const present = (await readHeaders(ids, search)).filter(
      (header) => positionOf(order, header, search.model).keys[0] === key,
    );
    const fitting = present.filter((header) => matches(filter, header, search.model, search.words));
    group = toHits(fitting, order, position, search);
    // At the work limit, return the end of the group as an unproven record.
    if (group.length === 0 && search.budget.isSpent)
      group = toHits(present, order, position, search).slice(-1);
    return true;
  };
  return {
    async next() {
      while (group.length === 0) if (!(await readGroup())) return undefined;
      return group.shift();
    },
  };
}
