import { type Places, reversed, type SortKey } from '../query/order.ts';
import type { Hits } from './hits.ts';
import { type FoundPage, PageCollector, type PageSearch } from './page-collector.ts';
import type { Search } from './row-walk.ts';
import { turnedRound } from './run.ts';
import type { DeletedRow } from './source.ts';

const byDeletion: Places = {
  of: ({ deletedAt = '' }) => deletedAt,
  learn: () => Promise.resolve(),
};

/** Newest deletion first: the only order of deleted records. */
export const DELETION_ORDER: readonly SortKey[] = [
  { field: 'deletedAt', descending: true, places: byDeletion },
];

/** Query of deleted records. */
type DeletedSearch = Omit<PageSearch, 'order'>;

/** Finds one page of deleted records, newest deletion first. */
export const findDeleted = (request: DeletedSearch, search: Search): Promise<FoundPage> =>
  find({ ...request, order: DELETION_ORDER }, false, search);

/** Finds the page of deleted records that ends before a position. */
export async function findDeletedBefore(
  { size, ...request }: DeletedSearch,
  search: Search,
): Promise<FoundPage> {
  const order = reversed(DELETION_ORDER);
  const found = await find({ ...request, order, size: size + 1 }, true, search);
  return turnedRound(found, size);
}

function find(request: PageSearch, oldestFirst: boolean, search: Search): Promise<FoundPage> {
  const coversFilter = request.filter.kind === 'all';
  const plan = { name: 'trash', hits: trashHits(request, oldestFirst, search), coversFilter };
  const asked = { ...request, isDeleted: true, looksAhead: true };
  return new PageCollector(plan, asked, search).run();
}

/** Rows of one request at most. */
const MAX_ROWS = 1_000;
/** The same where the records decide which of them are shown. */
const FEW_ROWS = 100;

/** The rows of the trash. */
function trashHits(
  { filter, position, skip, size }: PageSearch,
  oldestFirst: boolean,
  { source }: Search,
): Hits {
  const isProven = filter.kind === 'all';
  const limit = isProven ? Math.min(skip + size + 1, MAX_ROWS) : FEW_ROWS;
  let after = position && { deletedAt: position.keys[0] ?? '', id: position.id };
  let rows: readonly DeletedRow[] = [];
  let at = 0;
  let isEnd = false;
  return {
    async next() {
      while (at === rows.length && !isEnd) {
        ({ rows, isEnd } = await source.deleted({ after, oldestFirst, limit }));
        after = rows.at(-1) ?? after;
        at = 0;
      }
      const row = rows[at];
      at += 1;
      return row && { id: row.id, keys: [row.deletedAt], isProven };
    },
  };
}
