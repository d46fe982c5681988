import type { RecordHeader } from '../entity/record.ts';
import { type Filter, matches } from '../query/filter.ts';
import { comparePositions, type Position, positionOf, type SortKey } from '../query/order.ts';
import { withoutLarge } from '../records/large-values.ts';
import type { Hit } from './hits.ts';
import type { Kept, Known, Plan } from './plan-request.ts';
import { type ReadHit, readHits } from './read-hits.ts';
import type { Search } from './row-walk.ts';

/** One page of records to find. */
export interface PageSearch {
  readonly filter: Filter;
  readonly order: readonly SortKey[];
  /** Records to leave out first. */
  readonly skip: number;
  readonly size: number;
  readonly position?: Position | undefined;
  /** Whether the page looks for the next record that matches before it says that there is another page. Otherwise a candidate is enough. */
  readonly looksAhead?: boolean;
  /** Whether records of the trash are looked for, instead of live ones. */
  readonly isDeleted?: boolean;
  /** What the pages before have found out. */
  readonly kept?: Kept;
}

/** The records of a page. */
export interface FoundPage {
  /** The records; where they take much memory, without their large values. */
  readonly records: readonly RecordHeader[];
  /** The place of one of them, whatever it was read without. */
  readonly placeOf: (record: RecordHeader) => Position;
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
  /** Number of records of the list, where the search came to know it. */
  readonly total?: number | undefined;
}

/** Records of one request. */
const MAX_BATCH = 100;
/** Places that are kept of what was read beyond a page. */
const MAX_AHEAD = 5_000;

/** Fills one page with what a plan finds. */
export class PageCollector {
  readonly #plan: Plan;
  readonly #request: PageSearch;
  readonly #search: Search;
  readonly #records: RecordHeader[] = [];
  readonly #places = new Map<string, Position>();
  #skip: number;
  #last: Position | undefined;
  #isUnshown = false;
  #hasMore = false;
  /** Numbers of checked candidates and of matches. */
  #looked = 0;
  #fitted = 0;
  /** What was found beyond the page. */
  readonly #left: Hit[] = [];
  #isEnd = false;
  /** Whether the hits needed a request where none was allowed: what they had begun is lost. */
  #hasStopped = false;

  constructor(plan: Plan, request: PageSearch, search: Search) {
    this.#plan = plan;
    this.#request = request;
    this.#search = search;
    this.#skip = request.skip;
    this.#last = request.position;
  }

  async run(): Promise<FoundPage> {
    const { size, skip, position, looksAhead = false } = this.#request;
    let isSpent = false;
    while (!this.#isEnd && !this.#hasMore && !isSpent) {
      const batch = await this.#nextBatch(this.#batchSize());
      await this.#take(batch);
      const isFull = this.#records.length === size && this.#left.length === 0;
      if (isFull && !this.#isEnd && !this.#hasMore && !looksAhead) {
        const hit = await this.#next();
        if (hit) this.#left.push(hit);
        this.#hasMore = hit !== undefined;
      }
      isSpent = !this.#isEnd && !this.#hasMore && this.#search.budget.isSpent;
    }
    const isEnd = this.#isEnd;
    const isComplete = isEnd || this.#records.length === size;
    const goesOn = this.#hasMore || !isEnd;
    return {
      records: this.#records,
      placeOf: (record) => this.#places.get(record.id) ?? this.#placeOf(record),
      next: goesOn && this.#last ? this.#nextAt(this.#last) : undefined,
      isComplete,
      plan: this.#plan.name,
      isWhole: isEnd && !this.#hasMore && !position && this.#skip === 0 && skip >= 0,
    };
  }

  /** What is known by now, with the places that are found without another request. */
  async known(before: Known): Promise<Known> {
    const looked = before.looked + this.#looked;
    const fitted = before.fitted + this.#fitted;
    const { budget } = this.#search;
    const read = before.read + budget.headers;
    if (before.isWhole || budget.isSpent) return { ...before, read, looked, fitted };
    await this.#lookAhead();
    const places = this.#left.map(({ id, keys }) => ({ id, keys }));
    const isWhole = this.#isEnd;
    return { ...before, places, from: this.#last, isWhole, read, looked, fitted };
  }

  /** Number of records of the list, where this is its first page and all that follows is known to fit. */
  async total(): Promise<number | undefined> {
    const { position, skip } = this.#request;
    if (this.#plan.total !== undefined) return this.#plan.total;
    if (position || this.#skip > 0 || !this.#plan.coversFilter) return undefined;
    await this.#lookAhead();
    const isKnown = this.#isEnd && this.#left.every(({ isProven }) => isProven);
    return isKnown ? skip + this.#records.length + this.#left.length : undefined;
  }

  /** Takes what is found beyond the page without another request. */
  async #lookAhead(): Promise<void> {
    const { budget } = this.#search;
    if (this.#isEnd || this.#hasStopped || budget.isSpent) return;
    const isThrough = await budget.inMemory(async () => {
      while (this.#left.length < MAX_AHEAD) {
        const hit = await this.#next();
        if (!hit) return;
        this.#left.push(hit);
      }
    });
    this.#hasStopped = !isThrough;
  }

  async #next(): Promise<Hit | undefined> {
    const hit = await this.#plan.hits.next();
    if (!hit) this.#isEnd = true;
    return hit;
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

  /** The next candidates. Those that are certain and before the page are skipped without reading their records. */
  async #nextBatch(size: number): Promise<Hit[]> {
    const { coversFilter } = this.#plan;
    const batch: Hit[] = [];
    while (batch.length < size) {
      const hit = await this.#next();
      if (!hit) break;
      if (this.#skip > 0 && batch.length === 0 && coversFilter && hit.isProven) {
        this.#skip -= 1;
        this.#last = hit;
        this.#isUnshown = false;
      } else {
        batch.push(hit);
      }
      if (this.#search.budget.isSpent) break;
    }
    return batch;
  }

  /** Looks at candidates until the page is full or the time is over. */
  async #take(hits: readonly Hit[]): Promise<void> {
    const { source, budget } = this.#search;
    let taken = 0;
    for await (const some of readHits(hits, source)) {
      taken += await this.#takeSome(some);
      if (this.#hasMore || budget.isLate) break;
    }
    if (taken === hits.length) return;
    this.#left.push(...hits.slice(taken));
    this.#isEnd = false;
  }

  /** @returns how many of them are no longer ahead */
  async #takeSome(read: readonly ReadHit[]): Promise<number> {
    const { order, size } = this.#request;
    await order[0]?.places?.learn(read.flatMap(({ header }) => header ?? []));
    for (const [at, { hit, header }] of read.entries()) {
      const fits = header !== undefined && this.#fits(hit, header);
      if (fits && this.#skip === 0 && this.#records.length === size) {
        this.#hasMore = true;
        return at;
      }
      this.#isUnshown = !fits;
      this.#last = fits ? this.#placeOf(header) : placeOf(hit, this.#last);
      if (fits && this.#skip > 0) this.#skip -= 1;
      else if (fits) this.#show(header, this.#last);
    }
    return read.length;
  }

  #show(header: RecordHeader, place: Position): void {
    this.#records.push(this.#search.budget.keeps(header) ? header : withoutLarge(header));
    this.#places.set(header.id, place);
  }

  #placeOf(header: RecordHeader): Position {
    return positionOf(this.#request.order, header, this.#search.model);
  }

  /** Rows may be stale; the record decides. */
  #fits(hit: Hit, header: RecordHeader): boolean {
    const fits = this.#isWanted(hit, header);
    this.#looked += 1;
    if (fits) this.#fitted += 1;
    return fits;
  }

  #isWanted(hit: Hit, header: RecordHeader): boolean {
    const { filter, order, isDeleted = false } = this.#request;
    const { model, words } = this.#search;
    const isThere = (header.deletedAt !== undefined) === isDeleted;
    if (!isThere || !matches(filter, header, model, words)) return false;
    return (
      hit.keys.length === 0 || comparePositions(order, hit, positionOf(order, header, model)) === 0
    );
  }
}

/** Position of a candidate that does not match, if its row contains it. */
const placeOf = ({ id, keys }: Hit, last: Position | undefined): Position =>
  keys.length > 0 || !last || last.keys.length === 0 ? { id, keys } : last;
