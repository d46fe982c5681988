import { type Page, type PageFacts, toPage } from '../../../shared/http/paging.ts';
import { encodePageStart } from '../domain/query/list-query.ts';
import type { Position } from '../domain/query/order.ts';
import type { PageLinks } from '../domain/search/page-links.ts';

/** The content of a page's cursors. */
interface CursorSource<T> {
  readonly placeOf: (entry: T) => Position;
  /** Identity of the list, to which its cursors are bound. */
  readonly identity: unknown;
}

/** The envelope of a page with cursors in both directions. */
export function toLinkedPage<T>(
  facts: Omit<PageFacts<T>, 'number' | 'nextCursor' | 'cursorAfter'>,
  { number, next, previous }: PageLinks,
  { placeOf, identity }: CursorSource<T>,
): Page<T> & { readonly prevCursor: string | null } {
  const cursorAfter = (index: number): string => {
    const position = placeOf(facts.content[index] as T);
    return encodePageStart({ page: number + 1, position, skip: 0, isBackward: false }, identity);
  };
  const nextCursor = next && encodePageStart(next, identity);
  return {
    ...toPage({ ...facts, number, nextCursor, cursorAfter }),
    prevCursor: previous ? encodePageStart(previous, identity) : null,
  };
}
