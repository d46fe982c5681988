import { type Page, type PageFacts, toPage } from '../../../shared/http/paging.ts';
import { encodePageStart } from '../domain/query/list-query.ts';
import type { PageLinks } from '../domain/search/page-links.ts';

/** The envelope of a page that leads to both sides. @param identity what its cursors belong to */
export function toLinkedPage<T>(
  facts: Omit<PageFacts<T>, 'number' | 'nextCursor'>,
  { number, next, previous }: PageLinks,
  identity: unknown,
): Page<T> & { readonly prevCursor: string | null } {
  return {
    ...toPage({ ...facts, number, nextCursor: next && encodePageStart(next, identity) }),
    prevCursor: previous ? encodePageStart(previous, identity) : null,
  };
}
