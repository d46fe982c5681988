import { type CursorAfter, MAX_PAGE_WINDOW } from '../http/paging.ts';
import { httpProblems } from '../problems/http-problems.ts';
import { decodeCursor, encodeCursor, invalidCursor, NOT_OF_THIS_LIST } from './cursor.ts';
import { type Item, isOrdered, type QueryInput, type Table } from './table.ts';

/** The paging part of a list call. */
export interface PageRequest {
  readonly page?: number | undefined;
  readonly size: number;
  readonly cursor?: string | undefined;
}

/** One page of a partition. */
export interface ReadPage<T> {
  readonly content: readonly T[];
  readonly number: number;
  readonly size: number;
  readonly nextCursor: string | undefined;
  readonly cursorAfter?: CursorAfter;
}

/**
 * A page of what is read as a whole.
 * @param identity the parameters of the list; a cursor is valid for the same ones only.
 * @throws Problem `INVALID_PARAMETER` (400) for a wrong cursor.
 */
export function pageOfAll<T>(
  all: readonly T[],
  { page = 0, size, cursor }: PageRequest,
  identity: unknown,
): ReadPage<T> {
  const number = cursor === undefined ? page : decodeCursor(cursor, identity).page;
  const end = (number + 1) * size;
  const nextCursor =
    all.length > end ? encodeCursor({ page: number + 1, startKey: {} }, identity) : undefined;
  return { content: all.slice(end - size, end), number, size, nextCursor };
}

/** Items read at most for one page, filtered-out ones included; then the page ends early with a cursor. */
const MAX_READS = 2_000;
const MAX_LIMIT = 1_000;

/**
 * Reads one page of a query: by cursor in one step, by number by reading over the pages before it.
 * @param identity the parameters of the list; a cursor is valid for the same ones only.
 * @throws Problem `INVALID_PARAMETER` (400) for a page beyond the first 10 000 entries or a wrong cursor.
 */
export async function readPage<T extends Item>(
  table: Table,
  query: Omit<QueryInput, 'limit' | 'startKey'>,
  { page = 0, size, cursor }: PageRequest,
  identity: unknown,
): Promise<ReadPage<T>> {
  const position =
    cursor === undefined ? { page, startKey: undefined } : decodeCursor(cursor, identity);
  if (position.startKey && !liesInside(position.startKey, query)) {
    throw invalidCursor(NOT_OF_THIS_LIST);
  }
  const skip = cursor === undefined ? page * size : 0;
  if (skip + size > MAX_PAGE_WINDOW) {
    const detail = `is beyond the first ${MAX_PAGE_WINDOW} entries; use nextCursor instead`;
    throw httpProblems.invalidParameter([
      { parameter: 'page', code: 'PAGE_WINDOW_EXCEEDED', detail },
    ]);
  }
  const found = await walk<T>(table, { ...query, startKey: position.startKey }, skip + size);
  const content = found.items.slice(skip);
  const cursorAt = (startKey: StartKey): string =>
    encodeCursor({ page: position.page + 1, startKey }, identity);
  return {
    content,
    number: position.page,
    size,
    nextCursor: found.next && cursorAt(found.next),
    cursorAfter: (index) => cursorAt(startKeyOf(content[index] as T, query.index)),
  };
}

type StartKey = Readonly<Record<string, string>>;

async function walk<T extends Item>(
  table: Table,
  query: Omit<QueryInput, 'limit'>,
  wanted: number,
): Promise<{ readonly items: T[]; readonly next: StartKey | undefined }> {
  const items: T[] = [];
  const maxReads = query.filter ? Math.max(MAX_READS, wanted) : Number.POSITIVE_INFINITY;
  let startKey = query.startKey;
  for (let reads = 0; reads < maxReads; ) {
    // One extra item shows whether there is a next page.
    const limit = Math.min(query.filter ? MAX_LIMIT : wanted + 1 - items.length, MAX_LIMIT);
    const batch = await table.query<T>({ ...query, limit, startKey });
    items.push(...batch.items);
    reads += limit;
    const last = items[wanted - 1];
    if (items.length > wanted && last) {
      return { items: items.slice(0, wanted), next: startKeyOf(last, query.index) };
    }
    if (!batch.lastKey) return { items, next: undefined };
    startKey = batch.lastKey;
  }
  return { items, next: startKey as StartKey };
}

/** Whether a start key is inside the range of the query: a cursor may be forged. */
function liesInside(
  startKey: StartKey,
  { index, partition, beginsWith = '', between }: Omit<QueryInput, 'limit'>,
): boolean {
  const [pk, sk] = index ? [`${index}pk`, `${index}sk`] : ['pk', 'sk'];
  const names = new Set(['pk', 'sk', pk, sk]);
  const place = startKey[sk] ?? '';
  return (
    Object.keys(startKey).length === names.size &&
    [...names].every((name) => isKeyText(startKey[name], name.endsWith('pk'))) &&
    startKey[pk] === partition &&
    place.startsWith(beginsWith) &&
    (!between || (isOrdered(between.from, place) && isOrdered(place, between.to)))
  );
}

/** DynamoDB refuses empty keys and longer ones. */
function isKeyText(text: string | undefined, isPartition: boolean): boolean {
  return text !== undefined && Buffer.byteLength(text) <= (isPartition ? 2_048 : 1_024);
}

function startKeyOf(item: Item, index: QueryInput['index']): StartKey {
  const { pk, sk } = item;
  if (!index) return { pk, sk };
  return {
    pk,
    sk,
    [`${index}pk`]: String(item[`${index}pk`]),
    [`${index}sk`]: String(item[`${index}sk`]),
  };
}
