import { CheckedTable, refused, type TableCheck } from './table-check.ts';

const { sortKeys } = CheckedTable;
const KIB = 1_024;

async function fill(table: CheckedTable, sks: readonly string[], more: object = {}) {
  for (const sk of sks) await table.put({ sk, ...more });
}

const range = (
  condition: string,
  values: Readonly<Record<string, unknown>>,
  gives: unknown,
): TableCheck => ({
  name: `reads the range ${condition} with ${Object.values(values).join(', ')}`,
  run: async (table) => {
    await fill(table, ['b#2', 'a', 'b#1', 'c', 'b#10', 'é', '\u{1F600}', 'ﬀ']);
    return sortKeys(
      await table.query({ KeyConditionExpression: `pk = :pk AND ${condition}` }, values),
    );
  },
  gives,
});

/** Queries of the table. */
export const queryChecks: readonly TableCheck[] = [
  range('begins_with(sk, :v)', { ':v': 'b#' }, ['b#1', 'b#10', 'b#2']),
  range('sk BETWEEN :v AND :w', { ':v': 'b#1', ':w': 'c' }, ['b#1', 'b#10', 'b#2', 'c']),
  range('sk = :v', { ':v': 'c' }, ['c']),
  range('sk < :v', { ':v': 'b#10' }, ['a', 'b#1']),
  range('sk >= :v', { ':v': 'c' }, ['c', 'é', 'ﬀ', '\u{1F600}']),
  range('sk <> :v', { ':v': 'c' }, refused),
  range('contains(sk, :v)', { ':v': 'c' }, refused),
  range('begins_with(sk, :v)', { ':v': '' }, refused),
  range('sk = :v', { ':v': 7 }, refused),
  range('sk > :v AND sk < :w', { ':v': 'a', ':w': 'c' }, refused),
  range('sk BETWEEN :v AND :w', { ':v': 'c', ':w': 'a' }, refused),
  {
    name: 'reads backwards',
    run: async (table) => {
      await fill(table, ['a', 'b', 'c']);
      return sortKeys(await table.query({ ScanIndexForward: false, Limit: 2 }));
    },
    gives: ['c', 'b'],
  },
  {
    name: 'says where a limited page ended, even when nothing is left',
    run: async (table) => {
      await fill(table, ['a', 'b']);
      const page = await table.query({ Limit: 2 });
      const rest = await table.query({ ExclusiveStartKey: page.LastEvaluatedKey });
      return [(page.LastEvaluatedKey as { sk: string }).sk, sortKeys(rest), rest.LastEvaluatedKey];
    },
    gives: ['b', [], undefined],
  },
  {
    name: 'names no start key when the partition ends before the limit',
    run: async (table) => {
      await fill(table, ['a', 'b']);
      return (await table.query({ Limit: 3 })).LastEvaluatedKey ?? 'none';
    },
    gives: 'none',
  },
  {
    name: 'goes on backwards from a start key that is no item',
    run: async (table) => {
      await fill(table, ['a', 'c', 'd']);
      return sortKeys(
        await table.query({ ScanIndexForward: false, ExclusiveStartKey: table.key('b') }),
      );
    },
    gives: ['a'],
  },
  {
    name: 'counts filtered-out items against the limit',
    run: async (table) => {
      await fill(table, ['a', 'b'], { n: 1 });
      await fill(table, ['c'], { n: 2 });
      const page = await table.query({ FilterExpression: 'n = :n', Limit: 2 }, { ':n': 2 });
      return [page.Count, page.ScannedCount, (page.LastEvaluatedKey as { sk: string }).sk];
    },
    gives: [0, 2, 'b'],
  },
  {
    name: 'counts without items',
    run: async (table) => {
      await fill(table, ['a', 'b']);
      const { Count, Items } = await table.query({ Select: 'COUNT' });
      return [Count, Items];
    },
    gives: [2, undefined],
  },
  {
    name: 'ends a page before 1 MB is passed',
    run: async (table) => {
      await fill(table, ['a', 'b', 'c', 'd'], { text: 'x'.repeat(300 * KIB) });
      const page = await table.query();
      return [sortKeys(page), (page.LastEvaluatedKey as { sk: string }).sk];
    },
    gives: [['a', 'b', 'c'], 'c'],
  },
  {
    name: 'refuses a start key of another partition',
    run: (table) => table.query({ ExclusiveStartKey: { pk: 'other', sk: 'a' } }),
    gives: refused,
  },
  {
    name: 'refuses a start key outside the range',
    run: (table) =>
      table.query(
        {
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :v)',
          ExclusiveStartKey: table.key('z'),
        },
        { ':v': 'b' },
      ),
    gives: refused,
  },
  {
    name: 'refuses a start key with other attributes',
    run: (table) => table.query({ ExclusiveStartKey: { pk: table.pk } }),
    gives: refused,
  },
  { name: 'refuses a limit of 0', run: (table) => table.query({ Limit: 0 }), gives: refused },
  {
    name: 'refuses a query without its partition',
    run: (table) => table.query({ KeyConditionExpression: 'sk = :pk' }),
    gives: refused,
  },
  {
    name: 'refuses an index that does not exist',
    run: (table) => table.query({ IndexName: 'gsi3' }),
    gives: refused,
  },
];

const byIndex = (table: CheckedTable, more: object = {}, values: object = {}) =>
  table.query(
    { IndexName: 'gsi1', KeyConditionExpression: 'gsi1pk = :pk', ...more },
    { ...values },
  );

/** Queries of an index: sparse, projected, eventually consistent. */
export const indexChecks: readonly TableCheck[] = [
  {
    name: 'holds items with both index keys only',
    run: async (table) => {
      await table.put({ sk: 'a', gsi1pk: table.pk, gsi1sk: '2' });
      await table.put({ sk: 'b', gsi1pk: table.pk });
      await table.put({ sk: 'c', gsi1sk: '1' });
      await table.put({ sk: 'd', gsi1pk: table.pk, gsi1sk: '1' });
      return sortKeys(await byIndex(table));
    },
    gives: ['d', 'a'],
  },
  {
    name: 'projects keys, type and summary',
    run: async (table) => {
      await table.put({ gsi1pk: table.pk, gsi1sk: '1', summary: { a: 1 }, heavy: 'x', version: 1 });
      const { Items } = (await byIndex(table)) as { Items: Record<string, unknown>[] };
      return Object.keys(Items[0] ?? {}).sort();
    },
    gives: ['gsi1pk', 'gsi1sk', 'pk', 'sk', 'summary', 'type'],
  },
  {
    name: 'follows a changed and a removed index key',
    run: async (table) => {
      await table.put({ sk: 'a', gsi1pk: table.pk, gsi1sk: '1' });
      await table.put({ sk: 'b', gsi1pk: table.pk, gsi1sk: '2' });
      await table.put({ sk: 'a', gsi1pk: table.pk, gsi1sk: '3' });
      const moved = sortKeys(await byIndex(table));
      await table.put({ sk: 'b' });
      return [moved, sortKeys(await byIndex(table))];
    },
    gives: [['b', 'a'], ['a']],
  },
  {
    name: 'gives start keys with the keys of table and index',
    run: async (table) => {
      await table.put({ sk: 'a', gsi1pk: table.pk, gsi1sk: '1' });
      await table.put({ sk: 'b', gsi1pk: table.pk, gsi1sk: '1' });
      const page = await byIndex(table, { Limit: 1 });
      const rest = await byIndex(table, { ExclusiveStartKey: page.LastEvaluatedKey });
      // Items with one index key come in any order.
      const seen = [...sortKeys(page), ...sortKeys(rest)].sort();
      return [Object.keys(page.LastEvaluatedKey as object).sort(), sortKeys(page).length, seen];
    },
    gives: [['gsi1pk', 'gsi1sk', 'pk', 'sk'], 1, ['a', 'b']],
  },
  {
    name: 'filters by a member of summary',
    run: async (table) => {
      await table.put({ sk: 'a', gsi1pk: table.pk, gsi1sk: '1', summary: { search: 'mail from' } });
      await table.put({ sk: 'b', gsi1pk: table.pk, gsi1sk: '2', summary: { search: 'other' } });
      const filter = {
        FilterExpression: 'contains(#s.#t, :v)',
        ExpressionAttributeNames: { '#s': 'summary', '#t': 'search' },
      };
      return sortKeys(await byIndex(table, filter, { ':v': 'mail' }));
    },
    gives: ['a'],
  },
  {
    name: 'refuses a consistent read',
    run: (table) => byIndex(table, { ConsistentRead: true }),
    gives: refused,
  },
  {
    name: 'refuses a projection of what it does not hold',
    run: (table) => byIndex(table, { ProjectionExpression: 'heavy' }),
    gives: refused,
  },
];
