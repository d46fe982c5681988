import type { EntityModel } from '../definitions/model.ts';
import type { IndexDefinition } from '../entity/field.ts';
import { type Comparison, conjuncts, type Filter } from '../query/filter.ts';
import {
  ID_INDEX,
  ID_SEPARATOR,
  NO_VALUE,
  PART_SEPARATOR,
  valueKey,
} from '../records/index-rows.ts';
import { datedHits, isDated } from './dated.ts';
import { type Hits, type IdHits, intersection, searchHits, union } from './hits.ts';
import { keyLists } from './keyed/key-lists.ts';
import { manyKeys } from './keyed/key-rows.ts';
import { below, intersect, keysEqual, rangeOf, wholeIndex } from './ranges.ts';
import { type Direction, openWalk, type Search, type WalkedRow } from './row-walk.ts';
import type { KeyRange } from './source.ts';

/** Every live record in the order of ids. */
export function allRecords(search: Search, direction: Direction): Hits {
  return searchHits(search, openWalk(search, ID_INDEX, wholeIndex, direction), []);
}

/** Candidate records and the conditions still to be checked on each. */
export interface Found<H extends Hits> {
  readonly hits: H;
  readonly rest: readonly Filter[];
  readonly plan: string;
}

/**
 * Finds records by equalities in id order: one list for each, intersected by skipping.
 * @param manyKeyed whether conditions of many keys are lists as well
 * @returns `undefined` when no condition is an equality on an index.
 */
export function findByEquality(
  filter: Filter,
  search: Search,
  direction: Direction,
  manyKeyed: 'merged' | 'not alone' | 'left out' = 'merged',
): Found<IdHits> | undefined {
  const parts = conjuncts(filter);
  const composite = compositeOf(parts, search, direction);
  const together: readonly Filter[] = composite?.covered ?? [];
  const dated = datedHits(parts.filter(isDated), search, direction);
  const single = parts
    .filter((part) => !together.includes(part) && !(dated && isDated(part)))
    .filter((part) => manyKeyed !== 'left out' || !manyKeys(part, search))
    .flatMap((part) => {
      const hits = idHits(part, search, direction);
      return hits ? [{ part, hits }] : [];
    });
  const lists = [
    ...(composite ? [composite.hits] : []),
    ...(dated ? [dated] : []),
    ...single.map(({ hits }) => hits),
  ];
  const [only] = lists;
  if (!only) return undefined;
  const [alone] = lists.length === 1 ? single : [];
  if (manyKeyed === 'not alone' && alone && manyKeys(alone.part, search)) return undefined;
  const covered = [
    ...together,
    ...(dated ? parts.filter(isDated) : []),
    ...single.map(({ part }) => part),
  ];
  return {
    hits: lists.length === 1 ? only : intersection(lists, direction.reverse, search),
    rest: parts.filter((part) => !covered.includes(part)),
    plan: lists.length > 1 ? 'zig-zag' : composite ? 'composite' : dated ? 'dated' : 'equality',
  };
}

/** A list in id order with exactly the records of a condition, if there is one. */
function idHits(filter: Filter, search: Search, direction: Direction): IdHits | undefined {
  if (filter.kind === 'test') return testHits(filter, search, direction);
  if (filter.kind !== 'or' && filter.kind !== 'and') return undefined;
  const lists = filter.parts.map((part) => idHits(part, search, direction));
  if (lists.length === 0 || lists.includes(undefined)) return undefined;
  const complete = lists as IdHits[];
  return filter.kind === 'or'
    ? union(complete, direction.reverse)
    : intersection(complete, direction.reverse, search);
}

function testHits(test: Comparison, search: Search, direction: Direction): IdHits | undefined {
  const dated = test.field === 'createdAt' ? datedHits([test], search, direction) : undefined;
  if (dated) return dated;
  const index = search.model.readyIndex([test.field]);
  if (!index) return undefined;
  const one = (key: string): IdHits => equalTo(search, index.name, key, [test], direction);
  const key = oneKey(test);
  if (key !== undefined) return one(valueKey(key));
  if (test.op === 'in') {
    const many = manyKeys(test, search);
    if (many) return many.mayList ? keyLists(many, search, direction, one) : undefined;
    const keys = new Set(test.operands.map(({ key }) => valueKey(key)));
    return union([...keys].map(one), direction.reverse);
  }
  const asksForNone = test.op === 'null' || test.op === 'exists';
  const isNone = (test.op === 'null') === (test.operands[0]?.value === true);
  return asksForNone && isNone ? one(NO_VALUE) : undefined;
}

/** The key that a comparison asks for, where it is one. */
function oneKey({ op, operands: [first, last] }: Comparison): string | undefined {
  const isOne = op === 'eq' || op === 'eqi' || (op === 'between' && first?.key === last?.key);
  return isOne ? (first?.key ?? '') : undefined;
}

/** The rows of one key of an index; `after` is an id here. */
export function equalTo(
  search: Search,
  index: string,
  key: string,
  tests: readonly Comparison[],
  { reverse, after, expected }: Direction,
): IdHits {
  const sortKey = (id: string): string => key + ID_SEPARATOR + id;
  const walk = openWalk(search, index, keysEqual(key), {
    reverse,
    expected,
    after: after === undefined ? undefined : sortKey(after),
  });
  return { ...searchHits(search, walk, tests), seek: (id) => walk.seek(sortKey(id)) };
}

/** The composite index that answers most of the equalities, if there is one. */
function compositeOf(parts: readonly Filter[], search: Search, direction: Direction) {
  const equal = equalities(parts);
  const candidates = search.model.readyComposites
    .filter(({ fields }) => fields.every((field) => equal.has(field)))
    .sort((one, other) => other.fields.length - one.fields.length);
  const [index] = candidates;
  if (!index) return undefined;
  const covered = index.fields.flatMap((field) => equal.get(field) ?? []);
  const key = covered.map(keyOf).join(PART_SEPARATOR);
  const hits = equalTo(search, index.name, key, [], direction);
  return { hits: covered.every(({ isExact }) => isExact) ? hits : unproven(hits), covered };
}

/** Equality tests that stand alone, by field. */
export function equalities(parts: readonly Filter[]): ReadonlyMap<string, Comparison> {
  const tests = parts.filter(
    (part): part is Comparison => part.kind === 'test' && part.op === 'eq',
  );
  return new Map(tests.map((test) => [test.field, test]));
}

/** The key of the value that an equality asks for. */
export const keyOf = (test: Comparison): string => valueKey(test.operands[0]?.key ?? '');

/** The same hits, each to be checked on the record. */
export function unproven<H extends Hits>(hits: H): H {
  return {
    ...hits,
    next: async () => {
      const hit = await hits.next();
      return hit && { ...hit, isProven: false };
    },
  };
}

/** Comparisons of one field that an index can serve, and their common range. */
export interface FieldRange {
  readonly index: IndexDefinition;
  readonly tests: readonly Comparison[];
  readonly range: KeyRange;
}

/** The ranges that conditions name, one for each field with a ready index. */
export function fieldRanges(parts: readonly Filter[], model: EntityModel): FieldRange[] {
  const byField = Map.groupBy(
    parts.filter((part): part is Comparison => part.kind === 'test'),
    ({ field }) => field,
  );
  return [...byField].flatMap(([field, tests]) => {
    const index = model.readyIndex([field]);
    const ranges = tests.flatMap((test) => {
      const range = rangeOf(test);
      return range ? [{ test, range }] : [];
    });
    const [first, ...others] = ranges;
    if (!index || !first) return [];
    const isMany = tests.some((test) => test.isMany);
    // Each comparison of a multi-valued field may match a different element.
    const used = isMany ? [first] : [first, ...others];
    return [
      {
        index,
        tests: used.map(({ test }) => test),
        range: used.map(({ range }) => range).reduce(intersect),
      },
    ];
  });
}

/** A range within the equalities that come before its field in an index over several fields, if there is one. */
export function withinIndex(
  ranged: FieldRange,
  parts: readonly Filter[],
  model: EntityModel,
): FieldRange {
  const equal = equalities(parts);
  const [field = ''] = ranged.index.fields;
  const before = ({ fields }: IndexDefinition) => fields.slice(0, fields.indexOf(field));
  const [index] = model.readyComposites
    .filter(({ fields }) => fields.includes(field))
    .filter((each) => before(each).length > 0 && before(each).every((code) => equal.has(code)))
    .sort((one, other) => before(other).length - before(one).length);
  if (!index) return ranged;
  const tests = before(index).flatMap((code) => equal.get(code) ?? []);
  const range = below(tests.map(keyOf), ranged.range);
  return { index, tests: [...tests, ...ranged.tests], range };
}

/** The records of a range, in the order of its index. */
export function rangeHits(
  search: Search,
  { index, tests, range }: FieldRange,
  direction: Direction,
): Hits {
  const walk = openWalk(search, index.name, range, direction);
  if (index.kind === 'composite') return unproven(searchHits(search, walk, [], lastKey));
  return searchHits(search, walk, tests, lastKey);
}

const lastKey = ({ key }: WalkedRow): readonly string[] => [key];
