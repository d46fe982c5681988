import type { RecordHeader } from '../entity/record.ts';
import { holdsLarge } from '../records/large-values.ts';

/** Sort keys from `from` to `to`, both included. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** A row as it is stored. */
export interface StoredRow {
  readonly sk: string;
  /** The exact text of a folded key; `false` when the record must be read to compare. */
  readonly text?: string | false;
}

/** One request for rows of one lane of an index. */
export interface RowRequest {
  readonly index: string;
  readonly lane: string;
  readonly range: KeyRange;
  readonly reverse: boolean;
  /** Sort key to continue after. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A row of the trash. */
export interface DeletedRow {
  readonly deletedAt: string;
  readonly id: string;
}

/** Counts of records: of all, and by value. */
export interface Counters {
  readonly live: number;
  readonly deleted: number;
  /** Count of each `field=value`. */
  readonly facets: Readonly<Record<string, number>>;
}

/** Read port of queries. */
export interface RecordSource {
  /** Fields whose large values are read; all when there is no list. */
  readonly fields?: ReadonlySet<string> | undefined;
  rows(
    request: RowRequest,
  ): Promise<{ readonly rows: readonly StoredRow[]; readonly isEnd: boolean }>;
  /**
   * Up to 100 records in the order of their ids, a few at a time where their values are large; those that do not exist are
   * missing.
   * @param fields other ones whose large values are read
   */
  headers(
    ids: readonly string[],
    fields?: ReadonlySet<string>,
  ): AsyncIterable<readonly RecordHeader[]>;
  /** The record that holds a unique value. */
  claimant(constraint: string, key: string): Promise<string | undefined>;
  counters(): Promise<Counters>;
  /** Rows of the trash, in the order of their deletion. */
  deleted(request: {
    readonly after: DeletedRow | undefined;
    readonly oldestFirst: boolean;
    readonly limit: number;
  }): Promise<{ readonly rows: readonly DeletedRow[]; readonly isEnd: boolean }>;
}

/** A search that may only use what was read already needs more than that. */
class NotRead extends Error {}

/** Characters of records that one request keeps while it looks for others. */
const MAX_KEPT = 24_000_000;

/** Work budget of one request. */
export class Budget {
  requests = 0;
  rows = 0;
  headers = 0;
  /** Records of which large values were read. */
  larges = 0;
  #kept = 0;
  #maxRows: number;
  readonly #maxHeaders: number;
  readonly #isLate: () => boolean;
  #isClosed = false;

  constructor(limits: { maxRows: number; maxHeaders: number; isLate: () => boolean }) {
    this.#maxRows = limits.maxRows;
    this.#maxHeaders = limits.maxHeaders;
    this.#isLate = limits.isLate;
  }

  get isSpent(): boolean {
    return this.rows >= this.#maxRows || this.headers >= this.#maxHeaders || this.#isLate();
  }

  /** Whether the time is over, whatever was read in it. */
  get isLate(): boolean {
    return this.#isLate();
  }

  /** Counts a request that is about to be sent. */
  ask(): void {
    if (this.#isClosed) throw new NotRead();
    this.requests += 1;
  }

  /** Whether there is room to keep a record with its values; what is not kept is read again where it is needed. */
  keeps({ values }: RecordHeader): boolean {
    this.#kept += JSON.stringify(values).length;
    return this.#kept <= MAX_KEPT;
  }

  /** Runs work on what was read already. @returns whether it came to its end without a request */
  async inMemory(work: () => Promise<void>): Promise<boolean> {
    this.#isClosed = true;
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof NotRead) return false;
      throw error;
    } finally {
      this.#isClosed = false;
    }
  }

  /** Runs work that may read about so many rows. */
  async within<T>(rows: number, work: () => Promise<T>): Promise<T> {
    const maxRows = this.#maxRows;
    this.#maxRows = Math.min(maxRows, this.rows + rows);
    try {
      return await work();
    } finally {
      this.#maxRows = maxRows;
    }
  }
}

/** The same source, counting into a budget. Counters are read once. */
export function metered(source: RecordSource, budget: Budget): RecordSource {
  let counted: Promise<Counters> | undefined;
  return {
    fields: source.fields,
    async rows(request) {
      budget.ask();
      const page = await source.rows(request);
      budget.rows += page.rows.length;
      return page;
    },
    async *headers(ids, fields) {
      budget.ask();
      budget.headers += ids.length;
      for await (const some of source.headers(ids, fields)) {
        budget.larges += some.filter(holdsLarge).length;
        yield some;
      }
    },
    async claimant(constraint, key) {
      budget.ask();
      return source.claimant(constraint, key);
    },
    async counters() {
      if (!counted) budget.ask();
      counted ??= source.counters();
      return counted;
    },
    async deleted(request) {
      budget.ask();
      const page = await source.deleted(request);
      budget.rows += page.rows.length;
      return page;
    },
  };
}
