import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';
import { unitsByPartition } from './units-by-partition.ts';

/** What calls cost on average. */
export interface MeanCost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The partition key that calls take most of, and how much each of them. */
  readonly busiest: { readonly partition: string; readonly units: number };
}

/** What several calls, one after the other, cost on average. @param call the n-th one */
export async function meanCostOf(
  db: Pick<MemoryDynamoDb, 'meter'>,
  rounds: number,
  call: (at: number) => Promise<unknown>,
): Promise<MeanCost> {
  const total = { requests: 0, readUnits: 0, writeUnits: 0 };
  const units = await unitsByPartition(db, async () => {
    for (let at = 0; at < rounds; at += 1) {
      const { requests, readUnits, writeUnits } = await db.meter.costOf(() => call(at));
      total.requests += requests.length;
      total.readUnits += readUnits;
      total.writeUnits += writeUnits;
    }
  });
  const [partition, most] = [...units].reduce(
    (one, other) => (other[1] > one[1] ? other : one),
    ['', 0],
  );
  return {
    requests: total.requests / rounds,
    readUnits: total.readUnits / rounds,
    writeUnits: total.writeUnits / rounds,
    busiest: { partition, units: most / rounds },
  };
}
