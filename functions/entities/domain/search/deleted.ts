import type { RecordHeader } from '../entity/record.ts';
import { matches } from '../query/filter.ts';
import type { Position, SortKey } from '../query/order.ts';
import { withoutLarge } from '../records/large-values.ts';
import type { Hit } from './hits.ts';
import type { FoundPage, PageSearch } from './page-collector.ts';
import { readHits } from './read-hits.ts';
import type { Search } from './row-walk.ts';
import { turnedRound } from './run.ts';
import type { DeletedRow } from './source.ts';

/** Newest deletion first: the only order of deleted records. */
export const DELETION_ORDER: readonly SortKey[] = [{ field: 'deletedAt', descending: true }];

const MAX_BATCH = 100;

/** Query of deleted records. */
type DeletedSearch = Omit<PageSearch, 'order'>;

/** Finds one page of deleted records, newest deletion first. */
export const findDeleted = (request: DeletedSearch, search: Search): Promise<FoundPage> =>
  walkDeleted(request, false, search);

/** Finds the page of deleted records that ends before a position. */
export async function findDeletedBefore(
  request: DeletedSearch,
  search: Search,
): Promise<FoundPage> {
  const found = await walkDeleted({ ...request, size: request.size + 1 }, true, search);
  return turnedRound(found, request.size);
}

async function walkDeleted(
  request: DeletedSearch,
  oldestFirst: boolean,
  search: Search,
): Promise<FoundPage> {
  const collector = new DeletedCollector(request, search);
  let after = request.position && {
    deletedAt: request.position.keys[0] ?? '',
    id: request.position.id,
  };
  for (;;) {
    const { rows, isEnd } = await search.source.deleted({
      after,
      oldestFirst,
      limit: collector.wantedRows,
    });
    const isTaken = await collector.take(rows);
    after = rows.at(-1) ?? after;
    if (!isTaken) return collector.toPage(false);
    if (isEnd || collector.hasMore || search.budget.isSpent) return collector.toPage(isEnd);
  }
}

/** Gathers the records of a page from rows of the trash. */
class DeletedCollector {
  readonly #request: DeletedSearch;
  readonly #search: Search;
  readonly #records: RecordHeader[] = [];
  #skip: number;
  #last: Position | undefined;
  /** Whether the next page has a record. */
  hasMore = false;

  constructor(request: DeletedSearch, search: Search) {
    this.#request = request;
    this.#search = search;
    this.#skip = request.skip;
  }

  /** Without a filter, read exactly the missing number and one more to detect another page. */
  get wantedRows(): number {
    const missing = this.#skip + this.#request.size - this.#records.length + 1;
    return this.#request.filter.kind === 'all' ? Math.min(missing, 1_000) : MAX_BATCH;
  }

  /** @returns whether there was time for all of them */
  async take(rows: readonly DeletedRow[]): Promise<boolean> {
    const { filter } = this.#request;
    // Without a filter the rows alone show whether there is an earlier page.
    const passed = filter.kind === 'all' ? Math.min(this.#skip, rows.length) : 0;
    this.#skip -= passed;
    for (let at = passed; at < rows.length && !this.hasMore; at += MAX_BATCH) {
      const batch = rows.slice(at, at + MAX_BATCH).map((row) => {
        return { ...placeOf(row), isProven: false };
      });
      if (!(await this.#takeBatch(batch))) return false;
    }
    const last = rows.at(-1);
    if (last && !this.hasMore) this.#last = placeOf(last);
    return true;
  }

  toPage(isEnd: boolean): FoundPage {
    const { size, skip, position } = this.#request;
    const goesOn = this.hasMore || !isEnd;
    const isUnshown = this.#request.filter.kind !== 'all';
    const next =
      goesOn && this.#last ? { position: this.#last, skip: this.#skip, isUnshown } : undefined;
    return {
      records: this.#records,
      placeOf: placeOfDeleted,
      next,
      isComplete: !goesOn || this.#records.length === size,
      plan: 'trash',
      isWhole: !goesOn && !position && skip === 0,
    };
  }

  /** What follows a full page is not read. @returns whether there was time for all of it */
  async #takeBatch(batch: readonly Hit[]): Promise<boolean> {
    const { source, budget } = this.#search;
    let left = batch.length;
    for await (const some of readHits(batch, source)) {
      for (const { hit, header } of some) this.#takeRow(hit, header);
      left -= some.length;
      if (this.hasMore) return true;
      if (budget.isLate && left > 0) return false;
    }
    return true;
  }

  #takeRow(place: Position, header: RecordHeader | undefined): void {
    const { size } = this.#request;
    if (this.hasMore) return;
    const fits = header !== undefined && this.#fits(place, header);
    if (fits && this.#skip === 0 && this.#records.length === size) {
      this.hasMore = true;
      return;
    }
    this.#last = { keys: place.keys, id: place.id };
    if (fits && this.#skip > 0) this.#skip -= 1;
    else if (fits)
      this.#records.push(this.#search.budget.keeps(header) ? header : withoutLarge(header));
  }

  #fits(place: Position, header: RecordHeader): boolean {
    const { model, words } = this.#search;
    const isThere = header.deletedAt === place.keys[0];
    return isThere && matches(this.#request.filter, header, model, words);
  }
}

const placeOf = ({ deletedAt, id }: DeletedRow): Position => ({ keys: [deletedAt], id });

/** The place of a deleted record. */
export const placeOfDeleted = ({ deletedAt = '', id }: RecordHeader): Position =>
  placeOf({ deletedAt, id });
