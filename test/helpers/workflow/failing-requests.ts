import type { MemoryStorage } from '../captured/memory-storage.ts';
import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';

/**
 * What becomes of a request: `killed`: its process ends before it, so that it and all others fail; `lost`: it is carried
 * out and its answer does not arrive; `failed`: it alone fails.
 */
export type RequestFault = 'killed' | 'lost' | 'failed';

const READS: readonly string[] = ['GetItem', 'Query', 'BatchGetItem', 'bucket.get'];
const OPERATIONS = [
  ...['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ...['BatchWriteItem', 'TransactWriteItems'],
];

/** Counts the requests to table and bucket, and makes one of them go wrong. */
export class FailingRequests {
  /** Requests since the last arming: of all kinds for `failed`, else those that change something. */
  count = 0;
  #fault: RequestFault | undefined;
  #at = 0;
  #isDead = false;
  readonly #db: MemoryDynamoDb;

  constructor(db: MemoryDynamoDb) {
    this.#db = db;
    for (const operation of OPERATIONS) {
      db.before(operation, () => {
        if (this.#hits(operation)) this.#db.failNext('answer-lost', { operation });
      });
    }
  }

  /** A storage whose requests are among those that are counted. */
  storage({ files, get, put, delete: remove }: MemoryStorage): MemoryStorage {
    return {
      files,
      get: this.#around('bucket.get', get),
      put: this.#around('bucket.put', put),
      delete: this.#around('bucket.delete', remove),
    };
  }

  /** From now on the n-th request goes wrong. */
  arm(fault: RequestFault, nth: number): void {
    this.count = 0;
    this.#fault = fault;
    this.#at = nth;
    this.#isDead = false;
  }

  /** From now on nothing goes wrong. */
  disarm(): void {
    this.#fault = undefined;
    this.#isDead = false;
    this.#db.stopFailing();
  }

  #around<A extends unknown[], R>(operation: string, work: (...given: A) => Promise<R>) {
    return async (...given: A): Promise<R> => {
      const isLost = this.#hits(operation);
      const answer = await work(...given);
      if (isLost) throw gone();
      return answer;
    };
  }

  /** @returns whether the answer of the request gets lost */
  #hits(operation: string): boolean {
    if (this.#isDead) throw gone();
    if (this.#fault !== 'failed' && READS.includes(operation)) return false;
    this.count += 1;
    if (this.#fault === undefined || this.count !== this.#at) return false;
    if (this.#fault === 'lost') return true;
    this.#isDead = this.#fault === 'killed';
    throw gone();
  }
}

const gone = (): Error => Object.assign(new Error('gone'), { code: 'ECONNRESET' });
