import { CURSOR_AFTER, type PageTotal, toPage } from '../../../shared/http/paging.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { decodePageStart, encodePageStart, type PageStart } from '../domain/query/list-query.ts';
import { type SortKey, toText } from '../domain/query/order.ts';
import type { FoundPage } from '../domain/search/page-collector.ts';
import { type AskedPage, linksOf } from '../domain/search/page-links.ts';
import type { ListCall, ListOutcome } from './list-call.ts';

/** Hides the place of a record that is not shown. */
export type Seal = (cursor: string) => Promise<string>;

/** Where a page begins, and to what its cursors are bound. */
interface BegunPage extends AskedPage {
  readonly size: number;
  /** Records to leave out first. */
  readonly skip: number;
  /** Identity of the list. */
  readonly identity: unknown;
}

/** Where the page of a call begins. @throws Problem `INVALID_CURSOR` (400) */
export function begunPage(
  { size, cursor, page = 0 }: ListCall,
  identity: unknown,
  order: readonly SortKey[],
): BegunPage {
  const start = cursor === undefined ? undefined : decodePageStart(cursor, identity, order);
  const number = start?.page ?? page;
  return { order, start, number, size, skip: start ? start.skip : number * size, identity };
}

/** What is known of a page beside its records. */
interface LinkedFacts {
  readonly total: PageTotal | undefined;
  /** Absent for callers who see every record. */
  readonly seal: Seal | undefined;
  /** Name of the walk through the list that its cursors go on with. */
  readonly walk?: string | undefined;
}

/** The envelope of a page with cursors in both directions. */
export async function toLinkedPage(
  found: FoundPage,
  { size, identity, ...asked }: BegunPage,
  { total, seal, walk }: LinkedFacts,
): Promise<ListOutcome['page']> {
  const { number, next, previous } = linksOf(found, asked);
  const cursorAfter = (index: number): string => {
    const position = found.placeOf(found.records[index] as RecordHeader);
    const start = { page: number + 1, position, skip: 0, isBackward: false, walk };
    return encodePageStart(start, identity);
  };
  const cursorOf = async (start: PageStart): Promise<string> => {
    const cursor = encodePageStart({ ...start, walk }, identity);
    return start.isUnshown && seal ? seal(cursor) : cursor;
  };
  const nextCursor = next && (await cursorOf(next));
  return {
    ...toPage({ content: found.records, size, total, number, nextCursor }),
    [CURSOR_AFTER]: cursorAfter,
    prevCursor: previous ? await cursorOf(previous) : null,
    sort: asked.order.map(toText),
    complete: found.isComplete,
  };
}
