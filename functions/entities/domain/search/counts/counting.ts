import type { RecordHeader } from '../../entity/record.ts';
import { type Filter, matches } from '../../query/filter.ts';
import type { Hit } from '../hits.ts';
import { planQuery } from '../plans/plan.ts';
import { readHits } from '../read-hits.ts';
import type { Search } from '../row-walk.ts';

/** Number of records: exact, a lower bound, or not counted. */
export interface Total {
  readonly value: number;
  readonly relation: 'eq' | 'gte';
}

/** Counting stops here unless `count=exact`. */
export const MAX_COUNT = 1_000;
/** Records of one request. */
const MAX_BATCH = 100;

/** Counts the records that match a filter, up to a limit; reads records only when rows are not conclusive. */
export async function countRecords(filter: Filter, limit: number, search: Search): Promise<Total> {
  let count = 0;
  const visit = (): boolean => {
    count += 1;
    return count <= limit;
  };
  const isWhole = await visitMatches(filter, search, { row: visit, record: visit });
  return { value: Math.min(count, limit), relation: isWhole && count <= limit ? 'eq' : 'gte' };
}

/** Ids of all records that match a filter; `undefined` when they are more, or take more work than one request does. */
export async function matchingIds(
  filter: Filter,
  limit: number,
  search: Search,
): Promise<readonly string[] | undefined> {
  const ids: string[] = [];
  const take = (id: string): boolean => {
    ids.push(id);
    return ids.length <= limit;
  };
  const isWhole = await visitMatches(filter, search, { row: take, record: ({ id }) => take(id) });
  return isWhole && ids.length <= limit ? ids : undefined;
}

/**
 * Calls back with each record that matches a filter, until the work limit is reached. Records have the large values that the
 * search was opened for, and only few of them are in memory.
 * @returns whether these are all
 */
export const visitRecords = (
  filter: Filter,
  search: Search,
  visit: (record: RecordHeader) => void,
): Promise<boolean> =>
  visitMatches(filter, search, {
    record: (header) => {
      visit(header);
      return true;
    },
  });

/** Called back with what matches; `false` is enough. */
interface Visitor {
  /** Takes the id of a row that proves it; without this, its record is read. */
  readonly row?: (id: string) => boolean;
  readonly record: (header: RecordHeader) => boolean;
}

/** @returns whether it came to the end */
async function visitMatches(filter: Filter, search: Search, visitor: Visitor): Promise<boolean> {
  const order = [{ field: 'id', descending: true }];
  const { hits, coversFilter } = await planQuery(
    { filter, order, expected: 1_000, isUnordered: true },
    search,
  );
  const { row, record } = visitor;
  let unsure: Hit[] = [];
  const check = (): Promise<boolean> => {
    const some = unsure;
    unsure = [];
    return visitFitting(some, filter, search, record);
  };
  for (let hit = await hits.next(); hit; hit = await hits.next()) {
    if (!row || !coversFilter || !hit.isProven) unsure.push(hit);
    else if (!row(hit.id)) return false;
    if (unsure.length === MAX_BATCH && !(await check())) return false;
    if (search.budget.isSpent) return (await check()) && (await hits.next()) === undefined;
  }
  return check();
}

/** The candidates whose records match a filter. @returns whether all were looked at */
async function visitFitting(
  hits: readonly Hit[],
  filter: Filter,
  { model, source, words, budget }: Search,
  visit: Visitor['record'],
): Promise<boolean> {
  let left = hits.length;
  for await (const some of readHits(hits, source)) {
    for (const { header } of some) {
      const isLive = header !== undefined && header.deletedAt === undefined;
      if (isLive && matches(filter, header, model, words) && !visit(header)) return false;
    }
    left -= some.length;
    if (left > 0 && budget.isLate) return false;
  }
  return true;
}
