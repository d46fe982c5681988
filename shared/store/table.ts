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
  /** Sort keys from `from` to `to`, both included. */
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
  /** Up to 100 items, strongly consistent unless told otherwise; missing ones are left out, the order is that of the keys. */
  getMany<T extends Key = Item>(
    keys: readonly Key[],
    options?: { consistent?: boolean },
  ): Promise<T[]>;
}

const MAX_BATCH_ROUNDS = 8;

/** The one table behind an AWS client. */
export function createTable(client: DynamoDBDocumentClient, tableName: string): Table {
  return {
    async get<T extends Key>({ pk, sk }: Key, { consistent = true } = {}) {
      const { Item: item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { pk, sk }, ConsistentRead: consistent }),
      );
      return item as T | undefined;
    },

    async query<T extends Key>(input: QueryInput) {
      const { Items: items = [], LastEvaluatedKey: lastKey } = await client.send(
        new QueryCommand({ TableName: tableName, ...toQuery(input) }),
      );
      return { items: items as T[], lastKey };
    },

    async getMany<T extends Key>(keys: readonly Key[], { consistent = true } = {}) {
      const found = new Map<string, T>();
      let wanted: Record<string, unknown>[] | undefined = keys.map(({ pk, sk }) => ({ pk, sk }));
      for (let round = 0; wanted && wanted.length > 0; round += 1) {
        if (round === MAX_BATCH_ROUNDS) throw new Error('The table left keys of a batch unread');
        const answer: {
          Responses?: Record<string, unknown[]>;
          UnprocessedKeys?: Record<string, { Keys?: Record<string, unknown>[] }>;
        } = await client.send(
          new BatchGetCommand({
            RequestItems: { [tableName]: { Keys: wanted, ConsistentRead: consistent } },
          }),
        );
        for (const item of (answer.Responses?.[tableName] ?? []) as T[])
          found.set(identity(item), item);
        wanted = answer.UnprocessedKeys?.[tableName]?.Keys;
      }
      return keys.flatMap((key) => found.get(identity(key)) ?? []);
    },
  };
}

function toQuery({ index, partition, beginsWith, between, filter, ...input }: QueryInput) {
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

const identity = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;
