import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';

/** An item as it travels. */
interface Wire {
  readonly pk?: { readonly S?: string };
}

/** One part of a request, or the whole of it. */
interface Action {
  readonly Key?: Wire;
  readonly Item?: Wire;
}

type Write = Readonly<Record<string, Action>>;

interface Input extends Action {
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
  readonly TransactItems?: readonly Write[];
  /** By table: keys to read, or puts and deletes. */
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Wire[] } | Write[]>>;
}

/** The units that some work takes of each partition key; those of a request with several items go to all alike. */
export async function unitsByPartition(
  { meter }: Pick<MemoryDynamoDb, 'meter'>,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const units = new Map<string, number>();
  const end = meter.listen(({ readUnits, writeUnits }, input) => {
    const partitions = partitionsOf(input);
    const share = (readUnits + writeUnits) / partitions.length;
    for (const each of partitions) units.set(each, (units.get(each) ?? 0) + share);
  });
  await work();
  end();
  return units;
}

function partitionsOf(input: Input): string[] {
  const { TransactItems, RequestItems, ExpressionAttributeValues } = input;
  if (TransactItems) return TransactItems.flatMap(ofActions);
  if (RequestItems) {
    return Object.values(RequestItems).flatMap((items) =>
      Array.isArray(items) ? items.flatMap(ofActions) : (items.Keys ?? []).map(nameOf),
    );
  }
  const one = input.Key ?? input.Item;
  return [one ? nameOf(one) : (ExpressionAttributeValues?.[':pk']?.S ?? '')];
}

const ofActions = (actions: Write): string[] =>
  Object.values(actions).map(({ Key, Item }) => nameOf(Key ?? Item ?? {}));

const nameOf = ({ pk }: Wire): string => pk?.S ?? '';
