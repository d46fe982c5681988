import type { Item, Key, QueryInput, Table } from './table.ts';

const PAGE = 10_000;

/** Reads all items of a query, after a key if one is given, or up to a limit, strongly consistent. */
export async function readAll<T extends Key = Item>(
  table: Table,
  query: Omit<QueryInput, 'limit' | 'consistent'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const items: T[] = [];
  let { startKey } = query;
  do {
    const page = await table.query<T>({
      ...query,
      limit: Math.min(limit - items.length, PAGE),
      startKey,
      consistent: true,
    });
    items.push(...page.items);
    startKey = page.lastKey;
  } while (startKey && items.length < limit);
  return items;
}
