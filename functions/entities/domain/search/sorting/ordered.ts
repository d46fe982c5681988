import { conjuncts, type Filter } from '../../query/filter.ts';
import { isIdOrder, isNatural, isReversed, type SortKey } from '../../query/order.ts';
import { ID_INDEX, ID_SEPARATOR, PART_SEPARATOR } from '../../records/index-rows.ts';
import { allRecords, equalities, fieldRanges, keyOf } from '../find.ts';
import { type Hits, searchHits } from '../hits.ts';
import type { Plan, PlanInput } from '../plan-request.ts';
import { below, wholeIndex } from '../ranges.ts';
import { RelatedPlaces } from '../related/places.ts';
import { relatedWalk } from '../related/walk.ts';
import { openWalk, rowAt, type Search } from '../row-walk.ts';

/** A composite index whose first fields are fixed by the filter and whose others are the order. */
export function compositeWalk(
  { filter, order, position, expected }: PlanInput,
  search: Search,
): Plan | undefined {
  const parts = conjuncts(filter);
  const equal = equalities(parts);
  if (order.some(({ descending }) => descending !== isReversed(order))) return undefined;
  const index = search.model.readyComposites.find(({ fields }) => {
    const fixed = fields.length - order.length;
    return (
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
    hits: searchHits(search, walk, [], ({ key }) => key.split(PART_SEPARATOR).slice(prefix.length)),
    coversFilter: rest.length === 0 && isExact,
  };
}

/** Scans the index of the first sort field within the range of the filter. */
export function orderedWalk(
  request: PlanInput,
  search: Search,
  after = request.position && rowAt(request.position),
): Hits {
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
  return searchHits(search, walk, tests, ({ key }) => [key]);
}

/** Every record in an order that is by id, by related records or by one index; `undefined` where it is none of these. */
export function walkInOrder(request: PlanInput, search: Search): Hits | undefined {
  const { order, position, expected } = request;
  const [first, ...others] = order;
  if (!first || others.length > 0) return undefined;
  if (first.places instanceof RelatedPlaces) return relatedWalk(request, search, first.places);
  const direction = { reverse: isReversed(order), expected, after: position?.id };
  if (isNatural(order)) return allRecords(search, direction);
  return isIndexed(order, search) ? orderedWalk(request, search) : undefined;
}

/** Whether each field of an order has an index. */
export const isIndexed = (order: readonly SortKey[], { model }: Pick<Search, 'model'>): boolean =>
  order.every(({ field }) => isIdOrder(field) || model.readyIndex([field]) !== undefined);
