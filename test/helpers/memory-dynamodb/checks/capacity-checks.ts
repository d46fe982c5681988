import type { CheckedTable, TableCheck } from './table-check.ts';

const KIB = 1_024;
const total = { ReturnConsumedCapacity: 'TOTAL' };

interface Consumed {
  readonly CapacityUnits: number;
}

const unitsOf = ({
  ConsumedCapacity: consumed,
}: {
  readonly ConsumedCapacity?: unknown;
}): number =>
  Array.isArray(consumed)
    ? (consumed as Consumed[]).reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
    : ((consumed as Consumed | undefined)?.CapacityUnits ?? 0);

const units = (
  name: string,
  gives: number,
  run: (table: CheckedTable) => Promise<Readonly<Record<string, unknown>>>,
): TableCheck => ({ name, gives, run: async (table) => unitsOf(await run(table)) });

const text = (kibibytes: number) => ({ text: 'x'.repeat(kibibytes * KIB) });
const indexed = (table: CheckedTable, gsi1sk = '1') => ({ gsi1pk: table.pk, gsi1sk });

/** What operations are charged, in units. */
export const capacityChecks: readonly TableCheck[] = [
  units('charges 1 for a small put', 1, (table) => table.put({}, total)),
  units('charges a put by KiB begun', 4, (table) => table.put(text(3), total)),
  units('charges a put by the larger of old and new', 6, async (table) => {
    await table.put(text(5));
    return table.put({}, total);
  }),
  units('charges an index entry', 2, (table) =>
    table.put({ ...indexed(table), ...text(0) }, total),
  ),
  units('charges nothing for an index entry that stays', 1, async (table) => {
    await table.put(indexed(table));
    return table.put({ ...indexed(table), other: 1 }, total);
  }),
  units('charges an index entry that changes once', 2, async (table) => {
    await table.put(indexed(table));
    return table.put({ ...indexed(table), summary: { a: 1 } }, total);
  }),
  units('charges an index entry that moves twice', 3, async (table) => {
    await table.put(indexed(table));
    return table.put(indexed(table, '2'), total);
  }),
  units('charges an update', 2, async (table) => {
    await table.put(text(1));
    const more = { ExpressionAttributeValues: { ':v': 1 }, ...total };
    return table.update('SET n = :v', more);
  }),
  units('charges a delete with its index entry', 3, async (table) => {
    await table.put({ ...indexed(table), ...text(1) });
    return table.delete('a', total);
  }),
  units('charges 1 for a consistent read', 1, (table) => table.get('a', total)),
  units('charges half for a read that is not', 0.5, (table) =>
    table.get('a', { ...total, ConsistentRead: false }),
  ),
  units('charges a read by 4 KiB begun', 2, async (table) => {
    await table.put(text(5));
    return table.get('a', total);
  }),
  units('charges a query by the sum of its items', 1.5, async (table) => {
    for (const sk of ['a', 'b', 'c']) await table.put({ sk, ...text(3) });
    return table.query(total);
  }),
  units('charges a batch by item', 3, async (table) => {
    await table.put(text(5));
    return table.batchGet([table.key('a'), table.key('b')], total);
  }),
  units('charges a transaction double', 8, (table) =>
    table.transact(
      [
        { Put: { Item: { ...table.key('a'), ...text(1) } } },
        { Delete: { Key: table.key('b') } },
        {
          ConditionCheck: { Key: table.key('c'), ConditionExpression: 'attribute_not_exists(pk)' },
        },
      ],
      total,
    ),
  ),
  units('charges the indexes of a transaction once', 3, (table) =>
    table.transact([{ Put: { Item: { ...table.key('a'), ...indexed(table) } } }], total),
  ),
];
