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
  MAX_COLLECTED,
  ROWS_PER_RECORD,
} from './estimate.ts';
import { allRecords, equalities, type Found, findByEquality } from './find.ts';
import { type IdSet, openSets, otherWordSets, PROBE_ROWS, probe } from './gather.ts';
import { type Hits, type IdHits, intersection, listed } from './hits.ts';
import { compositeWalk, orderedWalk } from './ordered.ts';
import type { Plan, PlanRequest } from './plan-request.ts';
import { RelatedPlaces } from './related/places.ts';
import { planByRelated } from './related/plan.ts';
import type { Direction, Search } from './row-walk.ts';
import { gathered, groupedPlan, MAX_GROUP, sorted } from './sorted.ts';
import { wordLists } from './words.ts';

/** Plans a query, trying the cheapest strategies first. */
export async function planQuery(request: PlanRequest, search: Search): Promise<Plan> {
  const direct = await directHits(request, search);
  if (direct) return direct;
  const [first] = request.order;
  if (first?.places instanceof RelatedPlaces) return planByRelated(request, search, first.places);
  if (isNatural(request.order)) return planByIds(request, search);
  const known = request.position && request.kept?.find(request.order);
  return known && 'ids' in known
    ? siftedOn(known.ids, request, search)
    : planByOrder(request, search);
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
    ...{ name: 'gather', hits: listed(hits), known: { places } },
    coversFilter: !isPart && set.rest.length === 0,
  };
}

async function planByIds(request: PlanRequest, search: Search): Promise<Plan> {
  const { filter, order, position, expected } = request;
  const reverse = isReversed(order);
  const direction = { reverse, expected, after: position?.id };
  const equality = findByEquality(filter, search, direction);
  if (equality?.rest.length === 0) {
    return { name: equality.plan, hits: equality.hits, coversFilter: true };
  }
  if (filter.kind === 'all') {
    return { name: 'newest', hits: allRecords(search, direction), coversFilter: true };
  }
  const rest = equality?.rest ?? conjuncts(filter);
  const sets = openSets(rest, allOf(rest), search);
  const small = await probe(sets, search);
  if (small) return fromSet(small, equality !== undefined, request);
  const byWords = await planByWords(rest, equality, direction, search);
  if (byWords) return byWords;
  const other = await probe(otherWordSets(allOf(rest), search), search);
  if (other) return fromSet(other, equality !== undefined, request);
  if (equality)
    return { name: `${equality.plan}, checked`, hits: equality.hits, coversFilter: false };
  const [first] = sets;
  if (first && request.isUnordered) {
    return { name: 'range', hits: first.stream(), coversFilter: first.rest.length === 0 };
  }
  return first
    ? planByTrial(first, request, direction, search)
    : { name: 'walk, checked', hits: allRecords(search, direction), coversFilter: false };
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

/** Samples the newest records: continues the scan when many match, else collects all matches. */
async function planByTrial(
  set: IdSet,
  request: PlanRequest,
  direction: Direction,
  search: Search,
): Promise<Plan> {
  const { filter, expected: wanted } = request;
  const { scansIndex } = set;
  const walk = allRecords(search, direction);
  const { way, hits, density } = await chooseByTrial(walk, { filter, wanted, scansIndex }, search);
  const isSpent = (): boolean => search.budget.isSpent;
  if (way !== 'walk' && (await set.collect(MAX_COLLECTED, isSpent))) {
    return fromSet(set, false, request);
  }
  return { name: 'walk, checked', hits, coversFilter: false, density };
}

async function planByOrder(request: PlanRequest, search: Search): Promise<Plan> {
  const { filter, order } = request;
  const composite = compositeWalk(request, search);
  if (composite) return composite;
  const [first] = order;
  const index = first && search.model.readyIndex([first.field]);
  const parts = conjuncts(filter);
  const rest = parts.filter((part) => part.kind !== 'test' || part.field !== first?.field);
  if (first && index && order.length === 1 && rest.length === 0) {
    return { name: 'ordered', hits: orderedWalk(request, search), coversFilter: true };
  }
  const sets = openSets(parts, filter, search);
  const isSingle = first !== undefined && index !== undefined && order.length === 1;
  const counted = isSingle ? await countedMatches(filter, search) : undefined;
  const small =
    counted === undefined || counted <= PROBE_ROWS
      ? ((await probe(sets, search)) ?? (await probe(otherWordSets(filter, search), search)))
      : undefined;
  if (!isSingle) {
    return small ? gathered(small, request, search) : groupedPlan(request, sets, search);
  }
  const set = small ?? sets[0];
  if (!set)
    return { name: 'ordered, checked', hits: orderedWalk(request, search), coversFilter: false };
  return chooseWay(set, counted, request, search);
}

/** Scans in sort order and checks each record, filters the scan by a set, or sorts the set. */
async function chooseWay(
  set: IdSet,
  counted: number | undefined,
  request: PlanRequest,
  search: Search,
): Promise<Plan> {
  const { filter, expected: wanted } = request;
  if (set.isComplete && set.size <= wanted) return gathered(set, request, search);
  const known = set.isComplete ? set.size : counted;
  const choice =
    known === undefined
      ? await chooseByTrial(
          orderedWalk(request, search),
          { filter, wanted, scansIndex: set.scansIndex },
          search,
        )
      : await chooseByCount(known, set, wanted, search);
  const { way, density } = choice;
  const expected = Math.ceil(wanted / Math.max(density, 1e-3));
  const isSpent = (): boolean => search.budget.isSpent;
  if (way !== 'walk' && (await set.collect(MAX_COLLECTED, isSpent))) {
    if (way === 'gather') return gathered(set, request, search);
    const ids = new Set(set.inIdOrder(false).map(({ id }) => id));
    const hits = sift(orderedWalk({ ...request, expected }, search), ids, isSpent);
    return { name: 'ordered, sifted', hits, coversFilter: false, known: { ids } };
  }
  const hits = choice.hits ?? orderedWalk({ ...request, expected }, search);
  return { name: 'ordered, checked', hits, coversFilter: false, density };
}

/** A list whose records are known from a page before: sorted now, where that costs less than to walk to its end. */
async function siftedOn(
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

/** The strategy when the number of matches is known. */
async function chooseByCount(
  matching: number,
  set: IdSet,
  wanted: number,
  search: Search,
): Promise<Omit<Choice, 'hits'> & { readonly hits?: undefined }> {
  const { live } = await search.source.counters();
  const rowsToCollect = set.isComplete ? 0 : matching;
  return {
    way: cheapestWay({ matching, live, wanted, rowsToCollect }),
    density: Math.min(1, matching / Math.max(live, 1)),
  };
}

/** Only the records of a set. */
function sift(hits: Hits, set: ReadonlySet<string>, isSpent: () => boolean): Hits {
  return {
    async next() {
      for (let hit = await hits.next(); hit; hit = await hits.next()) {
        if (set.has(hit.id) || isSpent()) return hit;
      }
      return undefined;
    },
  };
}
