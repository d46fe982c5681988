import { allOf, conjuncts, type Filter } from '../../query/filter.ts';
import { comparePositions, isReversed } from '../../query/order.ts';
import { chooseByTrial } from '../estimate.ts';
import { allRecords, type Found, findByEquality } from '../find.ts';
import { startOf } from '../following/narrowed.ts';
import { collectedBy, IdSet, openSets, otherWordSets, PROBE_ROWS, probe } from '../gather.ts';
import { type IdHits, intersection, listed } from '../hits.ts';
import type { KeyRows } from '../keyed/key-rows.ts';
import type { Plan, PlanRequest } from '../plan-request.ts';
import type { Direction, Search } from '../row-walk.ts';
import { FIRST_ROWS, wordHits, wordLists } from '../words.ts';
import { planByKeys } from './by-keys.ts';

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

/** Plans a list in the order of ids. */
export async function planByIds(request: PlanRequest, search: Search): Promise<Plan> {
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
  const hits = equality ? intersection([equality.hits, lists], direction.reverse, search) : lists;
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
  const rows = await set.rowsAmong(search);
  const walk = allRecords(search, direction);
  const { way, hits, density } = await chooseByTrial(walk, { filter, wanted, rows }, search);
  if (way !== 'walk' && (await collectedBy(set, search))) return fromSet(set, false, request);
  return { name: 'walk, checked', hits, coversFilter: false, density, known: startOf(set) };
}
