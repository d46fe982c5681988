import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';

type Text = { readonly S?: string };
type Attributes = Readonly<Record<string, Text | undefined>>;

interface Write {
  readonly Item?: Attributes;
  readonly Key?: Attributes;
}

/** How often something was written. */
export interface Busy {
  readonly name: string;
  readonly writes: number;
}

/** What calls write most: that a partition takes many bounds their rate, that an item does makes them meet. */
export interface Busiest {
  readonly partition: Busy;
  readonly item: Busy;
}

const INDEXES = ['gsi1', 'gsi2'] as const;

/** Which item, and which partition of the table or of an index, some calls write most. */
export async function busiest(db: MemoryDynamoDb, work: () => Promise<unknown>): Promise<Busiest> {
  const partitions = new Map<string, number>();
  const items = new Map<string, number>();
  const count = (write: Write | undefined): void => {
    const { pk, sk } = write?.Item ?? write?.Key ?? {};
    add(items, `${pk?.S} / ${sk?.S}`);
    for (const partition of partitionsOf(write)) add(partitions, partition);
  };
  const stops = [
    ...['PutItem', 'UpdateItem', 'DeleteItem'].map((operation) =>
      db.before(operation, ({ input }) => count(input as Write)),
    ),
    db.before('TransactWriteItems', ({ input }) => {
      for (const { Put, Update, Delete } of input.TransactItems as readonly Transacted[]) {
        count(Put ?? Update ?? Delete);
      }
    }),
    db.before('BatchWriteItem', ({ input }) => {
      const tables = Object.values(input.RequestItems as Readonly<Record<string, Batched[]>>);
      for (const { PutRequest, DeleteRequest } of tables.flat()) count(PutRequest ?? DeleteRequest);
    }),
  ];
  await work();
  for (const stop of stops) stop();
  return { partition: most(partitions), item: most(items) };
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function most(counts: ReadonlyMap<string, number>): Busy {
  const [name, writes] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ['none', 0];
  return { name, writes };
}

type Transacted = Readonly<Partial<Record<'Put' | 'Update' | 'Delete', Write>>>;
type Batched = Readonly<Partial<Record<'PutRequest' | 'DeleteRequest', Write>>>;

function partitionsOf({ Item, Key }: Write = {}): string[] {
  const named = Item ?? Key ?? {};
  const own = named.pk?.S;
  const indexed = INDEXES.flatMap((index) => {
    const partition = named[`${index}pk`]?.S;
    return partition === undefined ? [] : [`${index} ${partition}`];
  });
  return own === undefined ? indexed : [own, ...indexed];
}
