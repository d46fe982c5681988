import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';

interface Action {
  readonly Key?: { readonly pk?: { readonly S?: string } };
  readonly Item?: { readonly pk?: { readonly S?: string } };
}

/** The write units that the transactions of some work take of each partition key, for items of up to 1 KB. */
export async function unitsByPartition(
  db: MemoryDynamoDb,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const units = new Map<string, number>();
  const takeOff = db.before('TransactWriteItems', ({ input }) => {
    for (const action of (input.TransactItems ?? []) as readonly Record<string, Action>[]) {
      const [{ Key, Item } = {}] = Object.values(action);
      const partition = (Key ?? Item)?.pk?.S ?? '';
      units.set(partition, (units.get(partition) ?? 0) + 2);
    }
  });
  await work();
  takeOff();
  return units;
}
