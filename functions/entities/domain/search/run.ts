import { MAX_PAGE_WINDOW } from '../../../../shared/http/paging.ts';
import { problems } from '../../errors.ts';
import type { RecordHeader } from '../entity/record.ts';
import { type Filter, matches } from '../query/filter.ts';
import {
  comparePositions,
  type Position,
  positionOf,
  reversed,
  type SortKey,
} from '../query/order.ts';
import type { Hit } from './hits.ts';
import { planQuery } from './plan.ts';
import type { Kept, Plan } from './plan-request.ts';
import type { Search } from './row-walk.ts';

/** Number of records: exact, a lower bound, or not counted. */
export interface Total {
  readonly value: number;
  readonly relation: 'eq' | 'gte';
}

/** One page of records to find. */
export interface PageSearch {
  readonly filter: Filter;
  readonly order: readonly SortKey[];
  /** Records to leave out first. */
  readonly skip: number;
  readonly size: number;
  readonly position?: Position | undefined;
  /** Whether only a record that matches may say that there is another page; a candidate is enough otherwise. */
  readonly looksAhead?: boolean;
  /** Knows places from pages before this one. */
  readonly kept?: Kept;
}

/** The records of a page. */
export interface FoundPage {
  readonly records: readonly RecordHeader[];
  /** Where the next page begins; none when this is the last one. */
  readonly next?:
    | {
        readonly position: Position;
        readonly skip: number;
        /** Whether the record at the position does not match. */
        readonly isUnshown?: boolean;
      }
    | undefined;
  /** Whether the page is full or the last; `false` when the work limit was reached first. */
  readonly isComplete: boolean;
  readonly plan: string;
  /** Whether the search saw every record that fits, from the first to the last. */
  readonly isWhole: boolean;
}

/** Counting stops here unless `count=exact`. */
export const MAX_COUNT = 1_000;
const MAX_BATCH = 100;

/** Finds one page of records. */
export async function findPage(request: PageSearch, search: Search): Promise<FoundPage> {
  const plan =
    resumed(request) ??
    (await planQuery({ ...request, expected: request.skip + request.size + 1 }, search));
  const [first] = request.order;
  // What orders by other records asks for these first.
  if (plan.known && !first?.places) request.kept?.keep(request.order, plan.known);
  return new PageCollector(plan, request, search).run();
}

/** The rest of a list whose places are known from a page before. */
function resumed({ kept, order, position }: PageSearch): Plan | undefined {
  const known = position && kept?.find(order);
  if (!known || !('places' in known)) return undefined;
  const { places } = known;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const place = places[middle];
    if (place && comparePositions(order, place, position) <= 0) low = middle + 1;
    else high = middle;
  }
  let at = low;
  const next = async (): Promise<Hit | undefined> => {
    const place = places[at];
    at += 1;
    return place && { ...place, isProven: false };
  };
  return { name: 'as before', hits: { next }, coversFilter: false };
}

/** Finds a page by scanning from the end, for pages that are nearer to it. */
export async function findPageFromEnd(
  request: PageSearch,
  total: number,
  search: Search,
): Promise<FoundPage> {
  const { filter, order, skip, size } = request;
  const end = Math.max(0, total - skip - size);
  const wanted = Math.min(size, total - skip);
  const found = await findPage({ filter, order: reversed(order), skip: end, size: wanted }, search);
  // The records that are missing come first, and a walk from there on can be continued.
  if (!found.isComplete) return findPage(request, search);
  const records = [...found.records].reverse();
  const last = records.at(-1);
  const position = last && positionOf(order, last, search.model);
  return {
    ...found,
    records,
    next: end > 0 && position ? { position, skip: 0 } : undefined,
    isWhole: false,
  };
}

/**
 * Finds the page that ends before a position by scanning backward.
 * @returns the page; its `next` is where the page before it ends.
 */
export async function findPageBefore(request: PageSearch, search: Search): Promise<FoundPage> {
  const { order, size } = request;
  // One extra record shows whether there is an earlier page.
  const found = await findPage({ ...request, order: reversed(order), size: size + 1 }, search);
  return turnedRound(found, size, (header) => positionOf(order, header, search.model));
}

/** Results of a backward walk, in the order of the list and without the extra record. */
export function turnedRound(
  found: FoundPage,
  size: number,
  placeOf: (header: RecordHeader) => Position,
): FoundPage {
  const shown = found.records.slice(0, size);
  const farthest = found.records.length > size ? shown.at(-1) : undefined;
  return {
    ...found,
    records: shown.toReversed(),
    next: farthest ? { position: placeOf(farthest), skip: 0 } : found.next,
    isComplete: found.isComplete || shown.length === size,
    isWhole: false,
  };
}

/** @throws Problem `PAGE_WINDOW_EXCEEDED` (400) for a page that is too far from both ends */
export function checkWindow(skip: number, total: number | undefined): void {
  const distance = total === undefined ? skip : Math.min(skip, Math.max(0, total - skip));
  if (distance > MAX_PAGE_WINDOW) throw problems.pageWindowExceeded({ max: MAX_PAGE_WINDOW });
}

class PageCollector {
  readonly #plan: Plan;
  readonly #request: PageSearch;
  readonly #search: Search;
  readonly #records: RecordHeader[] = [];
  #skip: number;
  #last: Position | undefined;
  #isUnshown = false;
  #hasMore = false;
  /** Numbers of checked candidates and of matches. */
  #looked = 0;
  #fitted = 0;

  constructor(plan: Plan, request: PageSearch, search: Search) {
    this.#plan = plan;
    this.#request = request;
    this.#search = search;
    this.#skip = request.skip;
    this.#last = request.position;
  }

  async run(): Promise<FoundPage> {
    const { size, skip, position, looksAhead = false } = this.#request;
    let isEnd = false;
    let isSpent = false;
    while (!isEnd && !this.#hasMore && !isSpent) {
      const batch = await this.#nextBatch(this.#batchSize());
      isEnd = batch.isEnd;
      await this.#take(batch.hits);
      if (this.#records.length === size && !isEnd && !this.#hasMore && !looksAhead) {
        this.#hasMore = (await this.#plan.hits.next()) !== undefined;
        isEnd = !this.#hasMore;
      }
      isSpent = !isEnd && !this.#hasMore && this.#search.budget.isSpent;
    }
    const isComplete = isEnd || this.#records.length === size;
    const goesOn = this.#hasMore || !isEnd;
    return {
      records: this.#records,
      next: goesOn && this.#last ? this.#nextAt(this.#last) : undefined,
      isComplete,
      plan: this.#plan.name,
      isWhole: isEnd && !this.#hasMore && !position && this.#skip === 0 && skip >= 0,
    };
  }

  #nextAt(position: Position): NonNullable<FoundPage['next']> {
    return { position, skip: this.#skip, ...(this.#isUnshown && { isUnshown: true }) };
  }

  /** As many candidates as probably contain the missing matches. */
  #batchSize(): number {
    const { density = 1 } = this.#plan;
    const missing = this.#request.size - this.#records.length;
    const part = this.#looked > 0 ? Math.max(this.#fitted, 0.5) / this.#looked : density;
    return Math.max(1, Math.min(Math.ceil(missing / part), MAX_BATCH));
  }

  /** The next candidates; those that are certain are left out without a look while the page has not begun. */
  async #nextBatch(size: number): Promise<{ hits: Hit[]; isEnd: boolean }> {
    const { hits, coversFilter } = this.#plan;
    const batch: Hit[] = [];
    while (batch.length < size) {
      const hit = await hits.next();
      if (!hit) return { hits: batch, isEnd: true };
      if (this.#skip > 0 && batch.length === 0 && coversFilter && hit.isProven) {
        this.#skip -= 1;
        this.#last = hit;
        this.#isUnshown = false;
      } else {
        batch.push(hit);
      }
      if (this.#search.budget.isSpent) break;
    }
    return { hits: batch, isEnd: false };
  }

  async #take(hits: readonly Hit[]): Promise<void> {
    const { order, size } = this.#request;
    const unread = hits.filter(({ header }) => !header).map(({ id }) => id);
    const headers = unread.length > 0 ? await this.#search.source.headers(unread) : new Map();
    for (const hit of hits) {
      const header: RecordHeader | undefined = hit.header ?? headers.get(hit.id);
      const fits = header !== undefined && this.#fits(hit, header);
      if (fits && this.#skip === 0 && this.#records.length === size) {
        this.#hasMore = true;
        return;
      }
      if (fits && this.#skip > 0) this.#skip -= 1;
      else if (fits) this.#records.push(header);
      this.#isUnshown = !fits;
      this.#last = fits ? positionOf(order, header, this.#search.model) : placeOf(hit, this.#last);
    }
  }

  /** Rows may be stale; the record decides. */
  #fits(hit: Hit, header: RecordHeader): boolean {
    const fits = this.#isWanted(hit, header);
    this.#looked += 1;
    if (fits) this.#fitted += 1;
    return fits;
  }

  #isWanted(hit: Hit, header: RecordHeader): boolean {
    const { filter, order } = this.#request;
    const { model, words } = this.#search;
    if (header.deletedAt !== undefined || !matches(filter, header, model, words)) return false;
    return (
      hit.keys.length === 0 || comparePositions(order, hit, positionOf(order, header, model)) === 0
    );
  }
}

/** Position of a candidate that does not match, if its row contains it. */
const placeOf = ({ id, keys }: Hit, last: Position | undefined): Position =>
  keys.length > 0 || !last || last.keys.length === 0 ? { id, keys } : last;

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
