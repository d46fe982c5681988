import type { RecordHeader } from '../entity/record.ts';
import { type Filter, matches } from '../query/filter.ts';
import type { Hit } from './hits.ts';
import { planQuery } from './plan.ts';
import type { Search } from './row-walk.ts';

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
  const isWhole = await visitMatches(filter, search, (found) => {
    count += found.length;
    return count <= limit;
  });
  return { value: Math.min(count, limit), relation: isWhole && count <= limit ? 'eq' : 'gte' };
}

/** Ids of all records that match a filter; `undefined` when they are more, or take more work than one request does. */
export async function matchingIds(
  filter: Filter,
  limit: number,
  search: Search,
): Promise<readonly string[] | undefined> {
  const ids: string[] = [];
  const isWhole = await visitMatches(filter, search, (found) => {
    ids.push(...found);
    return ids.length <= limit;
  });
  return isWhole && ids.length <= limit ? ids : undefined;
}

/** Calls back with the ids of proven rows and checked records. @returns whether it came to the end */
async function visitMatches(
  filter: Filter,
  search: Search,
  visit: (found: readonly string[]) => boolean,
): Promise<boolean> {
  const order = [{ field: 'id', descending: true }];
  const { hits, coversFilter } = await planQuery(
    { filter, order, expected: 1_000, isUnordered: true },
    search,
  );
  const { budget } = search;
  let unsure: Hit[] = [];
  for (let hit = await hits.next(); hit; hit = await hits.next()) {
    const isSure = coversFilter && hit.isProven;
    if (!isSure) unsure.push(hit);
    if (isSure && !visit([hit.id])) return false;
    if (unsure.length === MAX_BATCH) {
      if (!visit(await fitting(unsure, filter, search))) return false;
      unsure = [];
    }
    if (budget.isSpent) {
      visit(await fitting(unsure, filter, search));
      return false;
    }
  }
  return visit(await fitting(unsure, filter, search));
}

/** Ids of the candidates whose records match a filter. */
async function fitting(
  hits: readonly Hit[],
  filter: Filter,
  { model, source, words }: Search,
): Promise<readonly string[]> {
  const unread = hits.filter(({ header }) => !header).map(({ id }) => id);
  const read = unread.length > 0 ? await source.headers(unread) : new Map();
  const headers: RecordHeader[] = [...hits.flatMap(({ header }) => header ?? []), ...read.values()];
  return headers
    .filter((header) => header.deletedAt === undefined && matches(filter, header, model, words))
    .map(({ id }) => id);
}
