import { type Page, type PageFacts, toPage } from '../../../shared/http/paging.ts';
import { encodePageStart } from '../domain/query/list-query.ts';
import type { Position } from '../domain/query/order.ts';
import type { PageLinks } from '../domain/search/page-links.ts';

/** What the cursors of a page are made of. */
interface CursorSource<T> {
  readonly placeOf: (entry: T) => Position;
  /** What the cursors belong to. */
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
