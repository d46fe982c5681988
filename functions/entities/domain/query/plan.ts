import { problems } from '../../errors.ts';
import { claimKey, ID_INDEX, ID_SEPARATOR, PART_SEPARATOR } from '../records/index-rows.ts';
import type { RecordHeader } from '../records/record.ts';
import { fold } from '../values/folding.ts';
import { allOf, type Comparison, conjuncts, type Filter, matches } from './filter.ts';
import {
  allRecords,
  equalities,
  fieldRanges,
  findByEquality,
  keyOf,
  openWalk,
  type Search,
} from './find.ts';
import { type IdSet, openSets, probe } from './gather.ts';
import { type Hit, type Hits, listed, walkHits } from './hits.ts';
import {
  comparePositions,
  isNatural,
  isReversed,
  type Position,
  positionOf,
  type SortKey,
} from './order.ts';
import { below, wholeIndex } from './ranges.ts';

/** Candidates in the order of the list. Those that are not proven are checked on the record. */
export interface Plan {
  readonly name: string;
  readonly hits: Hits;
  /** Whether hits that say so are proven to meet the whole filter. */
  readonly coversFilter: boolean;
}

/** What to plan for. */
export interface PlanRequest {
  readonly filter: Filter;
  readonly order: readonly SortKey[];
  /** Where the page before ended. */
  readonly position?: Position | undefined;
  /** Rows that are needed if each of them fits. */
  readonly expected: number;
}

/** Records that are sorted in memory at most. */
const MAX_SORTED = 1_000;
/** Ids that are collected at most, to be sorted or to sift a walk. */
const MAX_COLLECTED = 20_000;
/** Records that a walk may look at before other ways are tried. */
const TRIAL_HEADERS = 200;
const TRIAL_BATCH = 50;
/** Records of a combined order without an index at most. */
const MAX_GROUP = 2_000;

/** Chooses how to find the records of a query, cheapest way first. */
export async function planQuery(request: PlanRequest, search: Search): Promise<Plan> {
  const direct = await directHits(request, search);
  if (direct) return direct;
  return isNatural(request.order) ? planByIds(request, search) : planByOrder(request, search);
}

/** Ids or unique values that the filter names. */
async function directHits(request: PlanRequest, search: Search): Promise<Plan | undefined> {
  const parts = conjuncts(request.filter);
  for (const part of parts) {
    if (part.kind !== 'test' || (part.op !== 'eq' && part.op !== 'in')) continue;
    if (part.field === 'id') {
      const ids = [...new Set(part.operands.map(({ value }) => String(value)))];
      return sorted('by id', ids, request, search);
    }
  }
  const equal = equalities(parts);
  for (const { name, fields, state } of search.model.uniques) {
    const tests = fields.flatMap((field) => equal.get(field) ?? []);
    if (state !== 'READY' || tests.length < fields.length) continue;
    const id = await search.source.claimant(name, claimKey(tests.map(claimPart)));
    return sorted('unique value', id === undefined ? [] : [id], request, search);
  }
  return undefined;
}

const claimPart = ({ isExact, operands: [operand] }: Comparison): string =>
  isExact ? (operand?.key ?? '') : fold(String(operand?.value));

async function planByIds(
  { filter, order, position, expected }: PlanRequest,
  search: Search,
): Promise<Plan> {
  const reverse = isReversed(order);
  const direction = { reverse, expected, after: position?.id };
  const equality = findByEquality(filter, search, direction);
  if (equality?.rest.length === 0) {
    return { name: equality.plan, hits: equality.hits, coversFilter: true };
  }
  const rest = equality?.rest ?? conjuncts(filter);
  const sets = openSets(rest, allOf(rest), search);
  const isSpent = () => search.budget.isSpent;
  const small = await probe(sets, isSpent);
  if (small) return fromSet(small, equality !== undefined, { order, position });
  if (equality)
    return { name: `${equality.plan}, checked`, hits: equality.hits, coversFilter: false };
  if (filter.kind === 'all') {
    return { name: 'newest', hits: allRecords(search, direction), coversFilter: true };
  }
  const [first] = sets;
  if (!first)
    return { name: 'walk, checked', hits: allRecords(search, direction), coversFilter: false };
  const trial = await tryWalk(allRecords(search, direction), filter, expected, search);
  if (!trial.isDense && (await first.collect(MAX_COLLECTED, isSpent))) {
    return fromSet(first, false, { order, position });
  }
  return { name: 'walk, checked', hits: trial.hits, coversFilter: false };
}

function fromSet(
  set: IdSet,
  isPart: boolean,
  { order, position }: Pick<PlanRequest, 'order' | 'position'>,
): Plan {
  const hits = set
    .inIdOrder(isReversed(order))
    .filter((hit) => !position || comparePositions(order, hit, position) > 0);
  return { name: 'gather', hits: listed(hits), coversFilter: !isPart && set.rest.length === 0 };
}

async function planByOrder(request: PlanRequest, search: Search): Promise<Plan> {
  const { filter, order, expected } = request;
  const composite = compositeWalk(request, search);
  if (composite) return composite;
  const [first] = order;
  const index = first && search.model.readyIndex([first.field]);
  const parts = conjuncts(filter);
  const rest = parts.filter((part) => part.kind !== 'test' || part.field !== first?.field);
  const isSpent = () => search.budget.isSpent;
  if (first && index && order.length === 1 && rest.length === 0) {
    return { name: 'ordered', hits: orderedWalk(request, search), coversFilter: true };
  }
  const sets = openSets(parts, filter, search);
  const small = await probe(sets, isSpent);
  if (small) return gathered(small, request, search);
  if (!first || !index || order.length > 1) return groupedPlan(request, sets, search);
  const [set] = sets;
  const trial = await tryWalk(orderedWalk(request, search), filter, expected, search);
  if (!trial.isDense && set && (await set.collect(MAX_COLLECTED, isSpent))) {
    if (set.size <= MAX_SORTED) return gathered(set, request, search);
    return { name: 'ordered, sifted', hits: sift(trial.hits, set), coversFilter: false };
  }
  return { name: 'ordered, checked', hits: trial.hits, coversFilter: false };
}

/** A composite index whose first fields the filter fixes and whose others are the order. */
function compositeWalk(
  { filter, order, position, expected }: PlanRequest,
  search: Search,
): Plan | undefined {
  const parts = conjuncts(filter);
  const equal = equalities(parts);
  if (order.some(({ descending }) => descending !== isReversed(order))) return undefined;
  const index = search.model.definition.indexes.find(({ kind, state, fields }) => {
    const fixed = fields.length - order.length;
    return (
      kind === 'composite' &&
      state === 'READY' &&
      fixed >= 0 &&
      fields.slice(0, fixed).every((field) => equal.has(field)) &&
      fields.slice(fixed).every((field, at) => field === order[at]?.field)
    );
  });
  if (!index) return undefined;
  const fixed = index.fields.slice(0, index.fields.length - order.length);
  const tests = fixed.flatMap((field) => equal.get(field) ?? []);
  const [first] = order;
  const ranged =
    order.length === 1
      ? fieldRanges(parts, search.model).find(({ tests: [test] }) => test?.field === first?.field)
      : undefined;
  const covered: readonly Filter[] = [...tests, ...(ranged?.tests ?? [])];
  const rest = parts.filter((part) => !covered.includes(part));
  const prefix = tests.map(keyOf);
  const walk = openWalk(search, index.name, below(prefix, ranged?.range ?? wholeIndex), {
    reverse: isReversed(order),
    expected,
    after:
      position && [...prefix, ...position.keys].join(PART_SEPARATOR) + ID_SEPARATOR + position.id,
  });
  const isExact = [...tests, ...(ranged?.tests ?? [])].every((test) => test.isExact);
  return {
    name: 'composite',
    hits: walkHits(walk, [], ({ key }) => key.split(PART_SEPARATOR).slice(prefix.length)),
    coversFilter: rest.length === 0 && isExact,
  };
}

/** Walks over the index of the first field of the order, within the range that the filter names. */
function orderedWalk(request: PlanRequest, search: Search, after = rowAt(request.position)): Hits {
  const { filter, order, expected } = request;
  const field = order[0]?.field ?? '';
  const index = search.model.readyIndex([field])?.name ?? ID_INDEX;
  const own = fieldRanges(conjuncts(filter), search.model).find(
    ({ tests: [test] }) => test?.field === field,
  );
  const tests = conjuncts(filter).flatMap((part) =>
    part.kind === 'test' && part.field === field ? [part] : [],
  );
  const direction = { reverse: isReversed(order), expected, after };
  const walk = openWalk(search, index, own?.range ?? wholeIndex, direction);
  return walkHits(walk, tests, ({ key }) => [key]);
}

/** Sort key of the row at a place in the order of one field. */
const rowAt = (position: Position | undefined): string | undefined =>
  position && `${position.keys[0]}${ID_SEPARATOR}${position.id}`;

/** Whether a walk fills the page within the records that a trial may look at; what it read is not read again. */
async function tryWalk(
  hits: Hits,
  filter: Filter,
  wanted: number,
  search: Search,
): Promise<{ readonly isDense: boolean; readonly hits: Hits }> {
  const seen: Hit[] = [];
  let found = 0;
  let isEnd = false;
  while (!isEnd && found < wanted && seen.length < TRIAL_HEADERS && !search.budget.isSpent) {
    const batch = await readBatch(hits, Math.min(TRIAL_BATCH, Math.max(wanted, 10)), search);
    isEnd = batch.isEnd;
    seen.push(...batch.hits);
    found += batch.hits.filter(
      ({ header }) => header && matches(filter, header, search.model, search.words),
    ).length;
  }
  const read = listed(seen);
  const again: Hits = { next: async () => (await read.next()) ?? hits.next() };
  return { isDense: isEnd || found >= wanted, hits: again };
}

/** The next hits of a walk together with their records. */
async function readBatch(
  hits: Hits,
  size: number,
  { source }: Search,
): Promise<{ readonly hits: Hit[]; readonly isEnd: boolean }> {
  const batch: Hit[] = [];
  for (let hit = await hits.next(); hit; hit = await hits.next()) {
    batch.push(hit);
    if (batch.length === size) break;
  }
  if (batch.length === 0) return { hits: [], isEnd: true };
  const headers = await source.headers(batch.map(({ id }) => id));
  const present = batch.flatMap((hit) => {
    const header = headers.get(hit.id);
    return header ? [{ ...hit, header }] : [];
  });
  return { hits: present, isEnd: batch.length < size };
}

/** Only the records of a set. */
function sift(hits: Hits, set: IdSet): Hits {
  return {
    async next() {
      for (let hit = await hits.next(); hit; hit = await hits.next()) {
        if (set.has(hit.id)) return hit;
      }
      return undefined;
    },
  };
}

function gathered(set: IdSet, request: PlanRequest, search: Search): Promise<Plan> {
  return sorted(
    'gather',
    set.inIdOrder(false).map(({ id }) => id),
    request,
    search,
  );
}

/** Reads records by id and sorts them. */
async function sorted(
  name: string,
  ids: readonly string[],
  { filter, order, position }: PlanRequest,
  search: Search,
): Promise<Plan> {
  const found = (await readHeaders(ids, search)).filter((header) =>
    matches(filter, header, search.model, search.words),
  );
  return { name, hits: listed(toHits(found, order, position, search)), coversFilter: true };
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
 * records of the same value sorted in memory.
 * @throws Problem `SORT_NEEDS_INDEX` (400) when too many share a value
 */
async function groupedPlan(
  request: PlanRequest,
  sets: readonly IdSet[],
  search: Search,
): Promise<Plan> {
  const isSpent = () => search.budget.isSpent;
  const [set] = sets;
  if (set && (await set.collect(MAX_GROUP, isSpent))) return gathered(set, request, search);
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
  return { name: 'ordered by groups', hits: groups(request, search), coversFilter: true };
}

const tooMany = (order: readonly SortKey[]): Error =>
  problems.sortNeedsIndex({ fields: order.map(({ field }) => field), max: MAX_GROUP });

function groups(request: PlanRequest, search: Search): Hits {
  const { filter, order, position } = request;
  const [first] = order;
  const from = position?.keys[0];
  // The group in which the page before ended is read again from its beginning.
  const start = from === undefined ? undefined : isReversed(order) ? `${from} ` : from;
  const single = { ...request, order: first ? [first] : [], expected: 100 };
  const rows = orderedWalk(single, search, start);
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
    const headers = (await readHeaders(ids, search)).filter(
      (header) =>
        positionOf(order, header, search.model).keys[0] === key &&
        matches(filter, header, search.model, search.words),
    );
    group = toHits(headers, order, position, search);
    return true;
  };
  return {
    async next() {
      while (group.length === 0) if (!(await readGroup())) return undefined;
      return group.shift();
    },
  };
}
