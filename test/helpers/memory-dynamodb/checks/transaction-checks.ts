import { randomUUID } from 'node:crypto';
import { CheckedTable, refused, type TableCheck } from './table-check.ts';

const KIB = 1_024;
const { sortKeys } = CheckedTable;
const exists = { ConditionExpression: 'attribute_exists(pk)' };
const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
const put = (table: CheckedTable, sk: string, more: object = {}) => ({
  Put: { Item: { ...table.key(sk), type: 'check' }, ...more },
});

/** Transactions and batches. */
export const transactionChecks: readonly TableCheck[] = [
  {
    name: 'writes, updates, deletes and checks together',
    run: async (table) => {
      await table.put({ sk: 'old' });
      await table.put({ sk: 'kept' });
      await table.transact([
        put(table, 'new', isNew),
        {
          Update: {
            Key: table.key('n'),
            UpdateExpression: 'ADD n :v',
            ExpressionAttributeValues: { ':v': 2 },
          },
        },
        { Delete: { Key: table.key('old') } },
        { ConditionCheck: { Key: table.key('kept'), ...exists } },
      ]);
      return sortKeys(await table.query({ ConsistentRead: true }));
    },
    gives: ['kept', 'n', 'new'],
  },
  {
    name: 'writes nothing when one condition fails, and says which',
    run: async (table) => {
      const actions = [put(table, 'a'), put(table, 'b', exists), put(table, 'c', isNew)];
      const error = await table.transact(actions).catch((cause: unknown) => cause);
      const { CancellationReasons } = error as { CancellationReasons: { Code: string }[] };
      const { Count } = await table.query({ ConsistentRead: true });
      return [CancellationReasons.map(({ Code }) => Code), Count];
    },
    gives: [['None', 'ConditionalCheckFailed', 'None'], 0],
  },
  {
    name: 'names every condition that fails',
    run: (table) =>
      table.transact([put(table, 'a', exists), put(table, 'b'), put(table, 'c', exists)]),
    gives: {
      refused: 'TransactionCanceledException',
      reasons: ['ConditionalCheckFailed', 'None', 'ConditionalCheckFailed'],
    },
  },
  {
    name: 'cancels with an update that does not fit the item',
    run: async (table) => {
      await table.put({ sk: 'a', greeting: 'x' });
      const update = {
        UpdateExpression: 'ADD greeting :v',
        ExpressionAttributeValues: { ':v': 1 },
      };
      return table.transact([put(table, 'b'), { Update: { Key: table.key('a'), ...update } }]);
    },
    gives: { refused: 'TransactionCanceledException', reasons: ['None', 'ValidationError'] },
  },
  {
    name: 'shows the item behind a failed condition when asked to',
    run: async (table) => {
      await table.put({ sk: 'a', n: 1 });
      const shown = { ...isNew, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
      const error = await table.transact([put(table, 'a', shown)]).catch((cause: unknown) => cause);
      const { CancellationReasons } = error as {
        CancellationReasons: { Item?: { n?: unknown } }[];
      };
      return CancellationReasons[0]?.Item?.n;
    },
    gives: { N: '1' },
  },
  {
    name: 'refuses two actions on one item',
    run: (table) => table.transact([put(table, 'a'), { Delete: { Key: table.key('a') } }]),
    gives: refused,
  },
  { name: 'refuses an empty transaction', run: (table) => table.transact([]), gives: refused },
  {
    name: 'takes 100 actions',
    run: async (table) => {
      await table.transact(Array.from({ length: 100 }, (_, i) => put(table, String(i))));
      return (await table.query({ ConsistentRead: true })).Count;
    },
    gives: 100,
  },
  {
    name: 'refuses 101 actions',
    run: (table) => table.transact(Array.from({ length: 101 }, (_, i) => put(table, String(i)))),
    gives: refused,
  },
  {
    name: 'refuses more than 4 MB',
    run: (table) =>
      table.transact(
        Array.from({ length: 11 }, (_, i) => ({
          Put: { Item: { ...table.key(String(i)), text: 'x'.repeat(390 * KIB) } },
        })),
      ),
    gives: refused,
  },
  {
    name: 'does a transaction with a token once',
    run: async (table) => {
      const update = { UpdateExpression: 'ADD n :v', ExpressionAttributeValues: { ':v': 1 } };
      const token = { ClientRequestToken: randomUUID() };
      const actions = [{ Update: { Key: table.key(), ...update } }];
      await table.transact(actions, token);
      await table.transact(actions, token);
      return ((await table.get()).Item as { n: number }).n;
    },
    gives: 1,
  },
  {
    name: 'refuses a token with another transaction',
    run: async (table) => {
      const token = { ClientRequestToken: randomUUID() };
      await table.transact([put(table, 'a')], token);
      return table.transact([put(table, 'b')], token);
    },
    gives: { refused: 'IdempotentParameterMismatchException' },
  },
  {
    name: 'forgets the token of a transaction that was cancelled',
    run: async (table) => {
      const token = { ClientRequestToken: randomUUID() };
      await table.transact([put(table, 'a', exists)], token).catch(() => undefined);
      await table.put({ sk: 'a' });
      await table.transact([put(table, 'a', exists)], token);
      return 'done';
    },
    gives: 'done',
  },
  {
    name: 'reads a batch and leaves out what is missing',
    run: async (table) => {
      await table.put({ sk: 'a' });
      await table.put({ sk: 'b' });
      const { Responses } = await table.batchGet([table.key('a'), table.key('x'), table.key('b')]);
      const items = (Responses as Record<string, { sk: string }[]>)[table.name] ?? [];
      return items.map(({ sk }) => sk).sort();
    },
    gives: ['a', 'b'],
  },
  {
    name: 'refuses a batch that names a key twice',
    run: (table) => table.batchGet([table.key('a'), table.key('a')]),
    gives: refused,
  },
  {
    name: 'refuses a batch of 101 keys',
    run: (table) => table.batchGet(Array.from({ length: 101 }, (_, i) => table.key(String(i)))),
    gives: refused,
  },
  {
    name: 'writes a batch',
    run: async (table) => {
      await table.put({ sk: 'old' });
      await table.batchWrite([
        { PutRequest: { Item: table.key('new') } },
        { DeleteRequest: { Key: table.key('old') } },
      ]);
      return sortKeys(await table.query({ ConsistentRead: true }));
    },
    gives: ['new'],
  },
  {
    name: 'refuses a batch of 26 writes',
    run: (table) =>
      table.batchWrite(
        Array.from({ length: 26 }, (_, i) => ({ PutRequest: { Item: table.key(String(i)) } })),
      ),
    gives: refused,
  },
];
