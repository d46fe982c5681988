import { setTimeout as sleep } from 'node:timers/promises';
import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';

/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item of the one table: the common attributes and those of its record. */
export type Item = Key & {
  /** Record name, such as `setting` or `DYN_RECORD`. */
  readonly type: string;
  readonly version?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** Epoch seconds after which DynamoDB may delete the item; code must not rely on it. */
  readonly ttl?: number;
  readonly gsi1pk?: string;
  readonly gsi1sk?: string;
  readonly gsi2pk?: string;
  readonly gsi2sk?: string;
  /** Attributes for lists (at most 1 KB); the only ones besides `type` that the indexes project. */
  readonly summary?: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
};

/** A writable item: a record, or an index row that is only a key and needs no record name. */
export type StorableItem = Key & { readonly [attribute: string]: unknown };

/** One page of a partition, in key order. */
export interface QueryInput {
  readonly index?: 'gsi1' | 'gsi2';
  readonly partition: string;
  /** Sort keys that begin with this. */
  readonly beginsWith?: string;
  /** Sort keys from `from` to `to`, both included; none where `to` comes first. */
  readonly between?: { readonly from: string; readonly to: string };
  /** Most items to read; filtered-out ones count. A page also ends at 1 MB. */
  readonly limit: number;
  readonly reverse?: boolean;
  /** Last key of the previous page. */
  readonly startKey?: Readonly<Record<string, unknown>> | undefined;
  /** Strongly consistent; not possible on an index. */
  readonly consistent?: boolean;
  readonly filter?: Condition;
}

/** A whole partition, or a part of it. */
export type CountInput = Omit<QueryInput, 'limit' | 'startKey' | 'reverse'>;

/** An update by expression. */
export interface Update {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** An expression over attributes, with its names and values. */
export interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Result of `query`. */
export interface QueryPage<T> {
  readonly items: readonly T[];
  /** Start key of the next page; none at the end of the partition. */
  readonly lastKey?: Readonly<Record<string, unknown>> | undefined;
}

/** Reads of the one table. Writes go through a unit of work. */
export interface Table {
  /** One item, strongly consistent unless told otherwise; `undefined` when there is none. */
  get<T extends Key = Item>(key: Key, options?: { consistent?: boolean }): Promise<T | undefined>;
  /** One request, one page. */
  query<T extends Key = Item>(input: QueryInput): Promise<QueryPage<T>>;
  /** How many items a partition has, without reading them out: one request for each 1 MB that is looked at. */
  count(input: CountInput): Promise<number>;
  /**
   * Items by key, 100 in each request, strongly consistent unless told otherwise; missing ones are left out, the order is
   * that of the keys. What a request leaves unread, such as beyond 16 MB, is asked for again.
   */
  getMany<T extends Key = Item>(
    keys: readonly Key[],
    options?: { consistent?: boolean },
  ): Promise<T[]>;
}

/** Keys of one request. */
const BATCH_SIZE = 100;
/** Rounds without a single item: with the pauses about 6 s. */
const MAX_IDLE_ROUNDS = 8;

type PlainKey = Record<string, unknown>;

/**
 * The one table behind an AWS client.
 * @param pauseMs pause before keys are asked for again for the nth time (from 1); default: up to 25 ms x 2^n.
 */
export function createTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  pauseMs = (round: number): number => Math.random() * 25 * 2 ** round,
): Table {
  /** Asks again for what an answer had no room or no capacity for. */
  const readBatch = async <T>(
    keys: readonly PlainKey[],
    isConsistent: boolean,
    take: (items: readonly T[]) => void,
  ): Promise<void> => {
    let left: readonly PlainKey[] = keys;
    for (let idle = 0; left.length > 0; ) {
      if (idle > 0) await sleep(pauseMs(idle));
      const answer: {
        Responses?: Record<string, unknown[]>;
        UnprocessedKeys?: Record<string, { Keys?: PlainKey[] }>;
      } = await client.send(
        new BatchGetCommand({
          RequestItems: { [tableName]: { Keys: [...left], ConsistentRead: isConsistent } },
        }),
      );
      const items = (answer.Responses?.[tableName] ?? []) as T[];
      take(items);
      left = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      idle = items.length > 0 ? 0 : idle + 1;
      if (idle === MAX_IDLE_ROUNDS) throw unread(left.length);
    }
  };
  return {
    async get<T extends Key>({ pk, sk }: Key, { consistent = true } = {}) {
      const { Item: item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { pk, sk }, ConsistentRead: consistent }),
      );
      return item as T | undefined;
    },

    async query<T extends Key>(input: QueryInput) {
      if (isEmptyRange(input)) return { items: [], lastKey: undefined };
      const { Items: items = [], LastEvaluatedKey: lastKey } = await client.send(
        new QueryCommand({ TableName: tableName, ...toQuery(input) }),
      );
      return { items: items as T[], lastKey };
    },

    async count(input) {
      let counted = 0;
      let startKey: PlainKey | undefined;
      if (isEmptyRange(input)) return counted;
      do {
        const query = { ...toQuery({ ...input, startKey }), Select: 'COUNT' as const };
        const answer: { Count?: number; LastEvaluatedKey?: PlainKey } = await client.send(
          new QueryCommand({ TableName: tableName, ...query }),
        );
        counted += answer.Count ?? 0;
        startKey = answer.LastEvaluatedKey;
      } while (startKey);
      return counted;
    },

    async getMany<T extends Key>(keys: readonly Key[], { consistent = true } = {}) {
      const found = new Map<string, T>();
      const take = (items: readonly T[]): void => {
        for (const item of items) found.set(identity(item), item);
      };
      const wanted = [
        ...new Map(keys.map(({ pk, sk }) => [identity({ pk, sk }), { pk, sk }])).values(),
      ];
      for (let at = 0; at < wanted.length; at += BATCH_SIZE) {
        await readBatch(wanted.slice(at, at + BATCH_SIZE), consistent, take);
      }
      return keys.flatMap((key) => found.get(identity(key)) ?? []);
    },
  };
}

type Queried = Omit<QueryInput, 'limit'> & { readonly limit?: number };

function toQuery({ index, partition, beginsWith, between, filter, ...input }: Queried) {
  const [pk, sk] = index ? [`${index}pk`, `${index}sk`] : ['pk', 'sk'];
  const range =
    beginsWith !== undefined
      ? ' AND begins_with(#sk, :from)'
      : between
        ? ' AND #sk BETWEEN :from AND :to'
        : '';
  return {
    IndexName: index,
    KeyConditionExpression: `#pk = :pk${range}`,
    FilterExpression: filter?.expression,
    ExpressionAttributeNames: { '#pk': pk, ...(range ? { '#sk': sk } : {}), ...filter?.names },
    ExpressionAttributeValues: {
      ':pk': partition,
      ...(range ? { ':from': beginsWith ?? between?.from } : {}),
      ...(beginsWith === undefined && between ? { ':to': between.to } : {}),
      ...filter?.values,
    },
    Limit: input.limit,
    ScanIndexForward: !input.reverse,
    ExclusiveStartKey: input.startKey,
    ConsistentRead: index ? undefined : input.consistent,
  };
}

/** Whether the first key is not behind the second: DynamoDB orders keys by their UTF-8 bytes. */
export const isOrdered = (a: string, b: string): boolean =>
  Buffer.compare(Buffer.from(a), Buffer.from(b)) <= 0;

/** DynamoDB refuses a range whose end comes before its beginning. */
const isEmptyRange = ({ between, beginsWith }: Queried): boolean =>
  beginsWith === undefined && between !== undefined && !isOrdered(between.from, between.to);

const unread = (count: number): Error =>
  new ThrottlingException({
    message: `The table left ${count} keys of a batch unread`,
    $metadata: {},
  });

const identity = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;
