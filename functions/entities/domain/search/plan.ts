import { claimsName } from '../definitions/generations.ts';
import type { EntityModel } from '../definitions/model.ts';
import { allOf, type Comparison, conjuncts, type Filter } from '../query/filter.ts';
import { comparePositions, isNatural, isReversed } from '../query/order.ts';
import { claimKey, claimPart } from '../records/index-rows.ts';
import {
  type Choice,
  cheapestWay,
  chooseByTrial,
  countedMatches,
  ROWS_PER_RECORD,
} from './estimate.ts';
import { allRecords, equalities, type Found, findByEquality } from './find.ts';
import { gathered, planInGroups } from './following/by-rows.ts';
import { begunOf, narrowed } from './following/narrowed.ts';
import { planOnward } from './following/onward.ts';
import {
  collectedBy,
  IdSet,
  openSets,
  otherWordSets,
  PROBE_ROWS,
  probe,
  rarerSet,
} from './gather.ts';
import { type IdHits, intersection, listed, sift } from './hits.ts';
import type { KeyRows } from './keyed/key-rows.ts';
import { compositeWalk, orderedWalk } from './ordered.ts';
import type { Plan, PlanRequest } from './plan-request.ts';
import { type Known, NOTHING } from './plan-request.ts';
import { RelatedPlaces } from './related/places.ts';
import { planByRelated } from './related/plan.ts';
import { fewest, fewOf, planByKeys } from './related/plan-by-keys.ts';
import type { Direction, Search } from './row-walk.ts';
import { groupedPlan, sorted } from './sorted.ts';
import { FIRST_ROWS, wordHits, wordLists } from './words.ts';

/** Plans a query, trying the cheapest strategies first. */
export async function planQuery(request: PlanRequest, search: Search): Promise<Plan> {
  const direct = await directHits(request, search);
  if (direct) return direct;
  const { known, order } = request;
  const places = order[0]?.places;
  const plan = (): Promise<Plan> => {
    if (places instanceof RelatedPlaces) return planByRelated(request, search, places);
    return isNatural(order) ? planByIds(request, search) : planByOrder(request, search);
  };
  return known ? planOnward(request, known, search, plan) : plan();
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
  for (const unique of search.model.uniques) {
    const { fields, state } = unique;
    const tests = fields.flatMap((field) => equal.get(field) ?? []);
    if (state !== 'READY' || tests.length < fields.length) continue;
    const id = await search.source.claimant(
      claimsName(unique),
      claimKey(tests.map((test) => partOf(search.model, test))),
    );
    return sorted('unique value', id === undefined ? [] : [id], request, search);
  }
  return undefined;
}

function partOf(model: EntityModel, { field, isExact, operands: [operand] }: Comparison): string {
  return operand ? claimPart(model, field, { ...operand, isExact }) : '';
}

function fromSet(
  set: IdSet,
  isPart: boolean,
  { order, position }: Pick<PlanRequest, 'order' | 'position'>,
): Plan {
  const all = set.inIdOrder(isReversed(order));
  const hits = all.filter((hit) => !position || comparePositions(order, hit, position) > 0);
  const places = all.map(({ keys, id }) => ({ keys, id }));
  return {
    ...{ name: 'gather', hits: listed(hits), known: { places, isWhole: true, from: undefined } },
    coversFilter: !isPart && set.rest.length === 0,
  };
}

async function planByIds(request: PlanRequest, search: Search): Promise<Plan> {
  const { filter, order, position, expected, known } = request;
  const reverse = isReversed(order);
  // Rows that are read ahead are kept for the next page.
  const rows = known ? Math.max(expected, PROBE_ROWS) : expected;
  const direction = { reverse, expected: rows, after: position?.id };
  const equality = findByEquality(filter, search, direction, 'not alone');
  if (equality?.rest.length === 0) {
    return { name: equality.plan, hits: equality.hits, coversFilter: true };
  }
  if (filter.kind === 'all') {
    return { name: 'newest', hits: allRecords(search, direction), coversFilter: true };
  }
  const rest = equality?.rest ?? conjuncts(filter);
  const areWords = rest.every(({ kind }) => kind === 'words');
  const ofWords = areWords && (await planOfWords(rest, equality, request, direction, search));
  if (ofWords) return ofWords;
  const sets = openSets(rest, search);
  const small = known ? undefined : await probe(sets, search);
  if (small) return fromSet(small, equality !== undefined, request);
  const byWords = areWords ? undefined : await planByWords(rest, equality, direction, search);
  return byWords ?? planOfMany(sets, equality, request, direction, search);
}

/** Where no condition is known to be met by few. */
async function planOfMany(
  sets: readonly IdSet[],
  equality: Found<IdHits> | undefined,
  request: PlanRequest,
  direction: Direction,
  search: Search,
): Promise<Plan> {
  const { filter, known, isUnordered } = request;
  const rest = allOf(equality?.rest ?? conjuncts(filter));
  const other = known ? undefined : await probe(otherWordSets(rest, search), search);
  if (other) return fromSet(other, equality !== undefined, request);
  if (equality)
    return { name: `${equality.plan}, checked`, hits: equality.hits, coversFilter: false };
  const [first] = sets;
  if (first && isUnordered) {
    return { name: 'range', hits: first.stream(), coversFilter: first.rest.length === 0 };
  }
  if (first?.keyed) return planByManyKeys(first, first.keyed, request, search);
  return first && !known
    ? planByTrial(first, request, direction, search)
    : { name: 'walk, checked', hits: allRecords(search, direction), coversFilter: false };
}

/** Where words are all that is left: a few rows tell whether few records have them; common ones have lists of their own. */
async function planOfWords(
  rest: readonly Filter[],
  equality: Found<IdHits> | undefined,
  request: PlanRequest,
  direction: Direction,
  search: Search,
): Promise<Plan | undefined> {
  const { known, isUnordered, expected } = request;
  const [part] = rest;
  if (isUnordered && !equality && rest.length === 1 && part?.kind === 'words') {
    const hits = wordHits(search, part.words, { reverse: false, expected: expected + 1 });
    const isOne = part.words.length === 1;
    if (hits && isOne)
      return { name: 'range', hits: new IdSet(hits, []).stream(), coversFilter: true };
  }
  const sets = known ? [] : openSets(rest, search, { rows: FIRST_ROWS });
  const few = await probe(sets, search, FIRST_ROWS);
  if (few) return fromSet(few, equality !== undefined, request);
  return planByWords(rest, equality, direction, search);
}

/** The lists of all wanted words, merged with those of equalities. */
async function planByWords(
  rest: readonly Filter[],
  equality: Found<IdHits> | undefined,
  direction: Direction,
  search: Search,
): Promise<Plan | undefined> {
  const wanted = rest.flatMap((part) => (part.kind === 'words' ? part.words : []));
  const lists = wanted.length > 0 ? await wordLists(search, wanted, direction) : undefined;
  if (!lists) return undefined;
  const isSpent = (): boolean => search.budget.isSpent;
  const hits = equality ? intersection([equality.hits, lists], direction.reverse, isSpent) : lists;
  return { name: 'words', hits, coversFilter: rest.every(({ kind }) => kind === 'words') };
}

/** Where many keys are named, in the order of ids. */
async function planByManyKeys(
  set: IdSet,
  keyed: KeyRows,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const plan = await planByKeys(set, keyed, request, search);
  if (!plan) return fromSet(set, false, request);
  return request.known ? plan : { known: startOf(set), ...plan };
}

/** Samples the newest records: continues the scan when many match, else collects all matches. */
async function planByTrial(
  set: IdSet,
  request: PlanRequest,
  direction: Direction,
  search: Search,
): Promise<Plan> {
  const { filter, expected: wanted } = request;
  const rows = await rowsOf(set, search);
  const walk = allRecords(search, direction);
  const { way, hits, density } = await chooseByTrial(walk, { filter, wanted, rows }, search);
  if (way !== 'walk' && (await collectedBy(set, search))) return fromSet(set, false, request);
  return { name: 'walk, checked', hits, coversFilter: false, density, known: startOf(set) };
}

/** A scan whose rows prove that they are wanted. */
function provenWalk(request: PlanRequest, search: Search): Plan | undefined {
  const { filter, order } = request;
  const composite = compositeWalk(request, search);
  if (composite) return composite;
  const [first] = order;
  const rest = conjuncts(filter).filter(
    (part) => part.kind !== 'test' || part.field !== first?.field,
  );
  if (!hasOwnIndex(request, search) || rest.length > 0) return undefined;
  return { name: 'ordered', hits: orderedWalk(request, search), coversFilter: true };
}

/** Whether the order is that of one index. */
const hasOwnIndex = ({ order: [first, ...others] }: PlanRequest, { model }: Search): boolean =>
  first !== undefined && others.length === 0 && model.readyIndex([first.field]) !== undefined;

const checkedWalk = (request: PlanRequest, search: Search): Plan => ({
  ...{ name: 'ordered, checked', hits: orderedWalk(request, search), coversFilter: false },
});

async function planByOrder(request: PlanRequest, search: Search): Promise<Plan> {
  const proven = provenWalk(request, search);
  if (proven) return proven;
  const { filter, known } = request;
  const isSingle = hasOwnIndex(request, search);
  if (known) return isSingle ? checkedWalk(request, search) : groupedPlan(request, search);
  const sets = openSets(conjuncts(filter), search);
  const counted = await countedMatches(filter, search);
  const small =
    counted === undefined || counted <= PROBE_ROWS
      ? ((await probe(sets, search)) ?? (await probe(otherWordSets(filter, search), search)))
      : undefined;
  if (!isSingle) {
    const first = small ?? sets.find(({ scansIndex }) => !scansIndex);
    return first ? planInGroups(first, counted, request, search) : groupedPlan(request, search);
  }
  const first = small ?? (counted === undefined ? await fewest(sets, search) : sets[0]);
  const set = small ?? (await rarerSet(first, request, search));
  return set ? chooseWay(set, counted, request, search) : checkedWalk(request, search);
}

/** Scans in sort order and checks each record, filters the scan by a set, or sorts the set. */
async function chooseWay(
  set: IdSet,
  counted: number | undefined,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { filter, expected: wanted } = request;
  if (set.isComplete && set.size <= wanted) return gathered(set.ids, request, search);
  const known = set.isComplete ? set.size : counted;
  const few = known === undefined && set.keyed && (await fewOf(set.keyed, wanted, search));
  const choice: Pick<Choice, 'way' | 'density'> & Partial<Choice> =
    few ||
    (known === undefined
      ? await chooseByTrial(
          orderedWalk(request, search),
          { filter, wanted, rows: await rowsOf(set, search) },
          search,
        )
      : await chooseByCount(known, set, wanted, search));
  const { way, density } = choice;
  const expected = Math.ceil(wanted / Math.max(density, 1e-3));
  if (way !== 'walk' && (await collectedBy(set, search))) {
    return planBySet(set, density, request, search);
  }
  const hits = choice.hits ?? orderedWalk({ ...request, expected }, search);
  return { name: 'ordered, checked', hits, coversFilter: false, density, known: startOf(set) };
}

/** Rows that the first page of a list reads to leave records out. */
const MAX_NARROWING = 6_000;

/** Sorts a set that is complete, or filters the scan by it. */
async function planBySet(
  set: IdSet,
  density: number,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { size } = set;
  const { live } = await search.source.counters();
  const matching = Math.min(size, density * live);
  const looked = Math.min(size, (request.expected * size) / Math.max(matching, 1));
  // Half of what the records cost that this page looks at in vain.
  const inVain = (looked * (1 - matching / size) * ROWS_PER_RECORD) / 2;
  const worth = Math.min(inVain, MAX_NARROWING);
  const known = { ...NOTHING, ids: set.ids, rest: set.rest, looked: size, fitted: matching };
  const news = await narrowed(known, request.filter, search, worth);
  const { ids, rest } = { ...known, ...news };
  const wanted = Math.min(ids.size, (request.expected * ids.size) / Math.max(matching, 1));
  const way = cheapestWay({ matching: ids.size, live, wanted, rowsToCollect: 0 });
  if (way === 'gather') return sorted('gather', [...ids], request, search);
  const expected = Math.ceil((request.expected * live) / Math.max(matching, 1));
  const walk = orderedWalk({ ...request, expected }, search);
  const hits = sift(walk, ids, () => search.budget.isSpent);
  const found = { ...news, ids, rest, looked: 0, fitted: 0 };
  const { total } = set;
  return { name: 'ordered, sifted', hits, coversFilter: false, known: found, total };
}

const rowsOf = async (set: IdSet, { source }: Search): Promise<number | undefined> =>
  set.rowsAmong((await source.counters()).live);

/** What a page has collected in vain, for the next one to go on with. */
const startOf = (set: IdSet): Partial<Known> | undefined =>
  set.isComplete ? undefined : { begun: begunOf([set]) };

/** The strategy when the number of matches is known. */
async function chooseByCount(
  matching: number,
  set: IdSet,
  wanted: number,
  search: Search,
): Promise<Omit<Choice, 'hits'> & { readonly hits?: undefined }> {
  const { live } = await search.source.counters();
  const rowsToCollect = set.isComplete ? 0 : (set.rowsAmong(live) ?? matching);
  return {
    way: cheapestWay({ matching, live, wanted, rowsToCollect }),
    density: Math.min(1, matching / Math.max(live, 1)),
  };
}
