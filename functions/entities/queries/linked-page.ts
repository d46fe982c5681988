import { CURSOR_AFTER, type CutPage, type PageFacts, toPage } from '../../../shared/http/paging.ts';
import { encodePageStart, type PageStart } from '../domain/query/list-query.ts';
import type { Position } from '../domain/query/order.ts';
import type { PageLinks } from '../domain/search/page-links.ts';

/** Hides the place of a record that is not shown. */
export type Seal = (cursor: string) => Promise<string>;

/** The content of a page's cursors. */
interface CursorSource<T> {
  readonly placeOf: (entry: T) => Position;
  /** Identity of the list, to which its cursors are bound. */
  readonly identity: unknown;
  /** Absent for callers who see every record. */
  readonly seal?: Seal | undefined;
  /** Name of the walk through the list that its cursors go on with. */
  readonly walk?: string | undefined;
}

/** The envelope of a page with cursors in both directions. */
export async function toLinkedPage<T>(
  facts: Omit<PageFacts<T>, 'number' | 'nextCursor' | 'cursorAfter'>,
  { number, next, previous }: PageLinks,
  { placeOf, identity, seal, walk }: CursorSource<T>,
): Promise<CutPage<T> & { readonly prevCursor: string | null }> {
  const cursorAfter = (index: number): string => {
    const position = placeOf(facts.content[index] as T);
    const start = { page: number + 1, position, skip: 0, isBackward: false, walk };
    return encodePageStart(start, identity);
  };
  const cursorOf = async (start: PageStart): Promise<string> => {
    const cursor = encodePageStart({ ...start, walk }, identity);
    return start.isUnshown && seal ? seal(cursor) : cursor;
  };
  const nextCursor = next && (await cursorOf(next));
  return {
    ...toPage({ ...facts, number, nextCursor }),
    [CURSOR_AFTER]: cursorAfter,
    prevCursor: previous ? await cursorOf(previous) : null,
  };
}
