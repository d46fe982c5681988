import { type Comparison, type Filter, holds } from '../query/filter.ts';
import { ID_INDEX, ID_TOLERANCE_MS, UNTIMED_INDEX } from '../records/index-rows.ts';
import { compareKeys } from '../values/folding.ts';
import { idPrefix, timeOfId } from '../values/ids.ts';
import { type IdHits, idList, openedLater, searchHits, union } from './hits.ts';
import { intersect, rangeOf, wholeIndex } from './ranges.ts';
import { type Direction, openWalk, type Search } from './row-walk.ts';
import type { KeyRange } from './source.ts';

/** Most records that are collected from the list of those whose ids do not tell when they were made. */
const MAX_UNTIMED = 4_000;

/** Whether a condition compares when records were made. */
export const isDated = (part: Filter): part is Comparison =>
  part.kind === 'test' && part.field === 'createdAt' && instantsOf(part) !== undefined;

/**
 * The records that were made within a range, in the order of their ids: ids begin with that time, and those that do
 * not are listed by it. Where too many are, every id is a candidate.
 */
export function datedHits(
  tests: readonly Comparison[],
  search: Search,
  direction: Direction,
): IdHits | undefined {
  const spans = tests.filter(isDated).flatMap((test) => instantsOf(test) ?? []);
  if (spans.length === 0 || !search.model.isDated) return undefined;
  const from = Math.max(...spans.map((span) => span.from));
  const to = Math.min(...spans.map((span) => span.to));
  const { reverse, after } = direction;
  return openedLater(async () => {
    const others = await untimed(tests, search);
    const range = others ? idsBetween(from, to) : wholeIndex;
    const byTime = timedHits(tests, range, search, { ...direction, after });
    const listed = others?.map((id) => ({ id, keys: [], isProven: false }));
    return listed ? union([byTime, idList(listed, reverse, after)], reverse) : byTime;
  });
}

/** First and last millisecond that a comparison may find; `undefined` where it names no range. */
function instantsOf({ op, operands }: Comparison): { from: number; to: number } | undefined {
  const [first = Number.NaN, last = first] = operands.map(({ key }) => Date.parse(key));
  switch (op) {
    case 'eq':
    case 'between':
      return { from: first, to: last };
    case 'gt':
    case 'gte':
      return { from: first, to: Number.POSITIVE_INFINITY };
    case 'lt':
    case 'lte':
      return { from: Number.NEGATIVE_INFINITY, to: first };
    default:
      return undefined;
  }
}

const idsBetween = (from: number, to: number): KeyRange => ({
  from: from === Number.NEGATIVE_INFINITY ? wholeIndex.from : idPrefix(from - ID_TOLERANCE_MS),
  to: to === Number.POSITIVE_INFINITY ? wholeIndex.to : `${idPrefix(to + ID_TOLERANCE_MS)}~`,
});

/** The ids of a range; those whose time is near one of its ends are checked on the record. */
function timedHits(
  tests: readonly Comparison[],
  range: KeyRange,
  search: Search,
  direction: Direction,
): IdHits {
  const walk = openWalk(search, ID_INDEX, range, direction);
  const rows = searchHits(search, walk, []);
  const nearest = direction.reverse ? range.to : range.from;
  const isOutside = (id: string): boolean =>
    direction.reverse ? compareKeys(id, nearest) > 0 : compareKeys(id, nearest) < 0;
  const isCertain = (id: string): boolean => {
    const time = timeOfId(id);
    if (time === undefined) return false;
    const ends = [time - ID_TOLERANCE_MS, time + ID_TOLERANCE_MS].map((ms) => {
      const key = new Date(Math.max(0, ms)).toISOString();
      return { key, value: key };
    });
    return tests.every((test) => ends.every((end) => holds(test, [end])));
  };
  return {
    async next() {
      const hit = await rows.next();
      return hit && { ...hit, isProven: hit.isProven && isCertain(hit.id) };
    },
    seek: (id) => walk.seek(isOutside(id) ? nearest : id),
  };
}

/** Ids of the records in the list of their own; `undefined` when they are too many. */
async function untimed(
  tests: readonly Comparison[],
  search: Search,
): Promise<readonly string[] | undefined> {
  const range = tests.flatMap((test) => rangeOf(test) ?? []).reduce(intersect);
  const expected = 100;
  const walk = openWalk(search, UNTIMED_INDEX, range, { reverse: false, expected });
  const ids: string[] = [];
  for (let row = await walk.next(); row; row = await walk.next()) {
    ids.push(row.id);
    if (ids.length > MAX_UNTIMED || search.budget.isSpent) return undefined;
  }
  return ids;
}
