import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Item, QueryInput, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { BatchResult } from '../domain/documents/batch-result.ts';

/*
 * Access patterns
 *   the result of a record     put    TPLJOB#<job id> / R#<4 digits>
 *   those of a batch, in order query  TPLJOB#<job id> / R#
 */

interface ResultItem extends Item {
  readonly result: BatchResult;
}

/** Longer than their job. */
const KEPT_SECONDS = 9 * 24 * 3_600;
const PAGE = 1_000;
const PREFIX = 'R#';

const sortKey = (index: number): string => PREFIX + String(index).padStart(4, '0');

/** What became of the records of batches. */
export class BatchRepository {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;

  constructor({ table, unitOfWork }: { table: Table; unitOfWork: RunUnitOfWork }) {
    this.#table = table;
    this.#unitOfWork = unitOfWork;
  }

  /** @param nowMs time of the machine */
  async save(jobId: string, result: BatchResult, nowMs: number): Promise<void> {
    const key = { pk: partition(jobId), sk: sortKey(result.index) };
    const ttl = Math.floor(nowMs / 1_000) + KEPT_SECONDS;
    await this.#unitOfWork(async (unit) => {
      unit.put({ ...key, type: 'TEMPLATE_BATCH_RESULT', result, ttl });
    });
  }

  /** Results of the records from one place up to another, that one left out. */
  async between(jobId: string, from: number, to: number): Promise<readonly BatchResult[]> {
    const found: BatchResult[] = [];
    let startKey: QueryInput['startKey'];
    do {
      const page = await this.#table.query({
        ...{ partition: partition(jobId), consistent: true, limit: PAGE, startKey },
        between: { from: sortKey(from), to: sortKey(to - 1) },
      });
      found.push(...page.items.map((item) => (item as ResultItem).result));
      startKey = page.lastKey;
    } while (startKey);
    return found;
  }

  /** In the order of the records. */
  async list(jobId: string, page: PageRequest): Promise<ReadPage<BatchResult>> {
    const query = { partition: partition(jobId), beginsWith: PREFIX, consistent: true };
    const found = await readPage<ResultItem>(this.#table, query, page, ['batch', jobId]);
    return { ...found, content: found.content.map(({ result }) => result) };
  }
}

const partition = (jobId: string): string => `TPLJOB#${jobId}`;
