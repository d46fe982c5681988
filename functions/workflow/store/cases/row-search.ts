import { readAll } from '../../../../shared/store/read-all.ts';
import type { Item, Key, QueryInput, Table } from '../../../../shared/store/table.ts';
import { signalPartition, topicPartition, workKey } from '../case-keys.ts';
import { type Packed, packedIn } from '../packed.ts';

/** A listener that waits for a signal. */
export interface SignalListener {
  readonly caseInstanceId: string;
  readonly planItemInstanceId: string;
}

/** External work as it is stored. */
export interface StoredWork {
  readonly id: string;
  readonly tenantCode: string;
  readonly topic: string;
  readonly caseInstanceId: string;
  readonly definitionKey: string;
  readonly name: string;
  readonly createdAt: string;
  readonly retriesLeft: number;
  /** Who works on it, until when. */
  readonly workerId?: string;
  readonly leaseUntil?: string;
  /** Not leased before this instant. */
  readonly availableAt?: string;
  readonly lastFailure?: string;
  readonly version: number;
  readonly variables: Packed;
}

/** Work that one read brings at most. */
const MAX_WORKS = 500;

/** Finds what waits in the rows beside cases. */
export class RowSearch {
  readonly #table: Table;

  constructor({ table }: { table: Table }) {
    this.#table = table;
  }

  listeners(tenant: string, signalName: string, limit: number): Promise<SignalListener[]> {
    const partition = signalPartition(tenant, signalName);
    return readAll<Key & SignalListener>(this.#table, { partition }, limit);
  }

  /**
   * Work of a topic, oldest first, page by page.
   * @param first how much of it the first page has; each further one has twice as much, as long as others have what is found
   */
  async *works(
    tenant: string,
    topic: string,
    first: number,
  ): AsyncGenerator<readonly StoredWork[]> {
    const partition = topicPartition(tenant, topic);
    let limit = first;
    let startKey: QueryInput['startKey'];
    do {
      const page = await this.#table.query<Key>({
        ...{ partition, limit, startKey, consistent: true },
      });
      limit = Math.min(2 * limit, MAX_WORKS);
      if (page.items.length > 0) {
        const keys = page.items.map(({ sk }) => workKey(sk));
        yield (await this.#table.getMany(keys)).map(toWork);
      }
      startKey = page.lastKey;
    } while (startKey);
  }

  async work(id: string): Promise<StoredWork | undefined> {
    const item = await this.#table.get(workKey(id));
    return item && toWork(item);
  }
}

function toWork(item: Item): StoredWork {
  const { pk: _, sk: _sk, type: _type, json: _json, zip: _zip, object: _object, ...work } = item;
  return { ...(work as unknown as Omit<StoredWork, 'variables'>), variables: packedIn(item) };
}
