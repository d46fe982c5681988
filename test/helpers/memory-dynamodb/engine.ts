import type { Attributes } from './attribute-value.ts';
import { totalUnits, type Units } from './capacity.ts';
import { ServiceError } from './errors.ts';
import { Storage } from './storage.ts';

/** Input of an operation, as the AWS client sends it. */
export type WireInput = Readonly<Record<string, unknown>>;

/** Answer of an operation and what it cost. */
export interface Outcome {
  readonly output: Readonly<Record<string, unknown>>;
  readonly items: number;
  readonly reads?: Units;
  readonly writes?: Units;
}

/** An error after work that is charged all the same, such as a condition that did not hold. */
export class ChargedError extends Error {
  readonly error: ServiceError;
  readonly items: number;
  readonly writes: Units;

  constructor(error: ServiceError, items: number, writes: Units) {
    super(error.message);
    this.error = error;
    this.items = items;
    this.writes = writes;
  }
}

/** The table: what is written, and what eventually consistent reads and the indexes see of it. */
export class Engine {
  readonly tableName: string;
  readonly now: () => number;
  readonly primary = new Storage();
  readonly transactionTokens = new Map<string, { readonly request: string; readonly at: number }>();
  #past: Storage | undefined;
  #behind = 0;
  #unseen: { readonly key: Attributes; readonly item: Attributes | undefined }[] = [];

  constructor(tableName: string, now: () => number) {
    this.tableName = tableName;
    this.now = now;
  }

  checkTable(name: unknown): void {
    if (name !== this.tableName) {
      throw new ServiceError('ResourceNotFoundException', 'Requested resource not found');
    }
  }

  /** Read by the indexes and by eventually consistent reads; it may lag behind. */
  get replica(): Storage {
    return this.#past ?? this.primary;
  }

  write(key: Attributes, item: Attributes | undefined): void {
    const { pk, sk } = key;
    if (!pk || !sk) throw new TypeError('a key has pk and sk');
    this.primary.replace({ pk, sk }, item);
    if (!this.#past) return;
    this.#unseen.push({ key: { pk, sk }, item });
    while (this.#unseen.length > this.#behind) {
      const oldest = this.#unseen.shift();
      if (oldest) this.#past.replace(oldest.key, oldest.item);
    }
  }

  /** From now on indexes and eventually consistent reads see a write only after so many further ones. */
  lagBehind(writes: number): void {
    this.#past ??= this.primary.copy();
    this.#behind = writes;
  }

  catchUp(): void {
    this.#past = undefined;
    this.#unseen = [];
  }
}

/** The `ConsumedCapacity` of an answer, when the request asks for it. */
export function consumedCapacity(
  { ReturnConsumedCapacity: wanted }: WireInput,
  tableName: string,
  units: Units,
): Readonly<Record<string, unknown>> | undefined {
  if (wanted !== 'TOTAL' && wanted !== 'INDEXES') return undefined;
  const total = { TableName: tableName, CapacityUnits: totalUnits(units) };
  if (wanted === 'TOTAL') return total;
  const indexes = Object.entries(units.indexes).map(([name, CapacityUnits]) => [
    name,
    { CapacityUnits },
  ]);
  return {
    ...total,
    Table: { CapacityUnits: units.table },
    ...(indexes.length > 0 ? { GlobalSecondaryIndexes: Object.fromEntries(indexes) } : {}),
  };
}
