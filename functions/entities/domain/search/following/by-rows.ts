import { comparePositions, isIdOrder, type Position } from '../../query/order.ts';
import { ROWS_PER_RECORD } from '../estimate.ts';
import { collectedBy, type IdSet } from '../gather.ts';
import { listed } from '../hits.ts';
import type { Known, Plan, PlanRequest, RowKeys } from '../plan-request.ts';
import { wholeIndex } from '../ranges.ts';
import { openWalk, type RowWalk, rowAt, type Search, type WalkedRow } from '../row-walk.ts';
import { MAX_GROUP } from '../sorting/groups.ts';
import { compositeWalk } from '../sorting/ordered.ts';
import { planWithoutIndex, sorted } from '../sorting/sorted.ts';
import { MAX_IDS, MAX_ROWS, MIN_ROWS } from './narrowed.ts';

/**
 * An order without an index of its own: sorts a set of few records; else reads groups of equal values, of the set only
 * where its rows cost less than the records that would be read in vain.
 */
export async function planInGroups(
  set: IdSet,
  counted = 0,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const areFew = counted <= MAX_GROUP && (await set.collect(MAX_GROUP, search));
  if (areFew) return gathered(set.ids, request, search);
  const { live } = counted > 0 ? await search.source.counters() : { live: 0 };
  const inVain = request.expected * (live / counted - 1) * ROWS_PER_RECORD;
  const isCollected = counted < inVain && (await collectedBy(set, search));
  return planWithoutIndex(request, search, isCollected ? set : undefined);
}

/** Sorts the records of a set: by rows of the fields of the order, where one request reads these for less than the records. */
export async function gathered(
  ids: ReadonlySet<string>,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const plan = await sortedByRows(ids, request, search);
  return plan ?? sorted('gather', [...ids], request, search);
}

async function sortedByRows(
  ids: ReadonlySet<string>,
  request: PlanRequest,
  search: Search,
): Promise<Plan | undefined> {
  const saved = (ids.size - request.expected) * ROWS_PER_RECORD;
  if (saved < MIN_ROWS) return undefined;
  const { indexes, keys, left } = await toRead(request, search);
  if (!indexes || left > Math.min(saved, MAX_ROWS - search.budget.rows)) return undefined;
  const read = await readOn(keys, { indexes, ids, left }, search);
  return read.whole === indexes.length ? placed(read, ids, request, search) : undefined;
}

/**
 * Reads on in the rows of the fields of the order of a list that is followed, as far as that costs no more than the records that
 * were read so far.
 * @returns the plan once all are read, and what is known of them until then
 */
export async function followedByRows(
  request: PlanRequest,
  { ids, read }: Known,
  search: Search,
): Promise<{ readonly plan?: Plan | undefined; readonly keys?: RowKeys }> {
  if (ids && ids.size <= MAX_GROUP) return { plan: await sortedByRows(ids, request, search) };
  const { indexes, keys, left, live } = await toRead(request, search);
  const many = ids?.size ?? live;
  if (!indexes || many * indexes.length > MAX_IDS) return {};
  if (indexes.length * live > (many * ROWS_PER_RECORD) / 2) return {};
  const worth = read * ROWS_PER_RECORD - keys.rows;
  const allowed = Math.min(left, worth, MAX_ROWS - search.budget.rows);
  if (allowed < MIN_ROWS) return {};
  const more = await readOn(keys, { indexes, ids, left: allowed }, search);
  if (more.whole < indexes.length) return { keys: more };
  return { plan: await placed(more, ids, request, search) };
}

/** The indexes that decide an order, none where records or one index do, and about how many rows are left to be read. */
async function toRead(request: PlanRequest, search: Search) {
  const { order, known } = request;
  const decisive = order.filter(({ field }) => !isIdOrder(field));
  const ready = decisive.flatMap(({ field }) => search.model.readyIndex([field])?.name ?? []);
  const isAble = order.length > 1 && ready.length === decisive.length;
  const indexes = isAble && !compositeWalk(request, search) ? ready : undefined;
  const { live } = indexes ? await search.source.counters() : { live: 0 };
  const nothing: RowKeys = { found: ready.map(() => new Map()), whole: 0, rows: 0 };
  const keys = known?.keys ?? nothing;
  return { indexes, keys, live, left: Math.max(0, ready.length * live - keys.rows) + MIN_ROWS };
}

/** What is read, of which records if not of all, and about how many rows of it. */
interface Reading {
  readonly indexes: readonly string[];
  readonly ids: ReadonlySet<string> | undefined;
  readonly left: number;
}

/** Reads on in the rows of the fields of an order. */
async function readOn(begun: RowKeys, { indexes, ids, left }: Reading, search: Search) {
  const { budget } = search;
  const before = budget.rows;
  const found = begun.found.map((keys) => new Map(keys));
  let { whole, last } = begun;
  let walk: RowWalk | undefined;
  const read = async (index: string): Promise<void> => {
    const direction = { reverse: false, expected: left, after: last && rowAt(last) };
    walk ??= openWalk(search, index, wholeIndex, direction);
    const row = await walk.next();
    last = row && { keys: [row.key], id: row.id };
    if (row) {
      if (!ids || ids.has(row.id)) note(found[whole], row);
    } else {
      whole += 1;
      walk = undefined;
    }
  };
  const readWhile = async (goesOn: () => boolean): Promise<void> => {
    for (let at = indexes[whole]; at && goesOn(); at = indexes[whole]) await read(at);
  };
  await budget.within(left, () => readWhile(() => !budget.isSpent));
  await budget.inMemory(() => readWhile(() => true));
  return { found, whole, last, rows: begun.rows + budget.rows - before };
}

function note(keys: Map<string, string | false> | undefined, { id, key }: WalkedRow): void {
  keys?.set(id, (keys.get(id) ?? key) === key && key);
}

/** The records in the order of their keys. Those without are read: each record is checked before it is shown. */
async function placed(
  { found }: RowKeys,
  ids: Iterable<string> = found[0]?.keys() ?? [],
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { order, position } = request;
  const places: Position[] = [];
  const others: string[] = [];
  for (const id of ids) {
    const keys = found.flatMap((each) => each.get(id) || []);
    if (keys.length === found.length) places.push({ id, keys });
    else others.push(id);
  }
  const rest = others.length > 0 ? await sorted('', others, request, search) : undefined;
  places.push(...(rest?.known?.places ?? []));
  places.sort((one, other) => comparePositions(order, one, other));
  const hits = places
    .filter((place) => !position || comparePositions(order, place, position) > 0)
    .map((place) => ({ ...place, isProven: false }));
  const known = { places, isWhole: true, from: undefined, keys: undefined };
  return { name: 'sorted by rows', hits: listed(hits), coversFilter: false, known };
}
