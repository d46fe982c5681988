import { refused, type TableCheck } from './table-check.ts';

const KIB = 1_024;

/** Puts, gets, updates and deletes of one item: answers, and what is refused. */
export const itemChecks: readonly TableCheck[] = [
  {
    name: 'gives back what was put',
    run: async (table) => {
      const attributes = { n: 1.5, b: Buffer.from('x'), l: [], m: {}, s: new Set([1]), e: '' };
      await table.put(attributes);
      const { Item } = (await table.get()) as { Item: Record<string, unknown> };
      return { ...Item, pk: undefined, b: Buffer.from(Item.b as Uint8Array).toString() };
    },
    gives: { sk: 'a', type: 'check', n: 1.5, b: 'x', l: [], m: {}, s: new Set([1]), e: '' },
  },
  {
    name: 'answers a missing item with none',
    run: async (table) => (await table.get()).Item ?? 'none',
    gives: 'none',
  },
  {
    name: 'projects names, places and paths',
    run: async (table) => {
      await table.put({ many: ['a', 'b', 'c'], tree: { x: 1, y: { z: 2, w: 3 } }, text: 't' });
      const more = { ProjectionExpression: '#t, many[2], many[0], tree.y.z, absent' };
      return (await table.get('a', { ...more, ExpressionAttributeNames: { '#t': 'text' } })).Item;
    },
    gives: { text: 't', many: ['a', 'c'], tree: { y: { z: 2 } } },
  },
  {
    name: 'refuses overlapping projections',
    run: async (table) => table.get('a', { ProjectionExpression: 'tree, tree.x' }),
    gives: refused,
  },
  {
    name: 'returns the old item of a put',
    run: async (table) => {
      await table.put({ n: 1 });
      const { Attributes } = await table.put({ n: 2 }, { ReturnValues: 'ALL_OLD' });
      return (Attributes as { n: number }).n;
    },
    gives: 1,
  },
  {
    name: 'returns the updated attributes of an update, old and new',
    run: async (table) => {
      await table.put({ n: 1, m: { x: 1, y: 2 } });
      const values = { ExpressionAttributeValues: { ':v': 5 } };
      const update = 'SET n = :v, m.x = :v, fresh = :v';
      const old = await table.update(update, { ...values, ReturnValues: 'UPDATED_OLD' });
      const fresh = await table.update(update, { ...values, ReturnValues: 'UPDATED_NEW' });
      return [old.Attributes, fresh.Attributes];
    },
    gives: [
      { n: 1, m: { x: 1 } },
      { n: 5, m: { x: 5 }, fresh: 5 },
    ],
  },
  {
    name: 'creates an item by update',
    run: async (table) => {
      const more = { ExpressionAttributeValues: { ':v': 1 }, ReturnValues: 'ALL_NEW' };
      const { Attributes } = await table.update('SET n = :v', more);
      return { ...(Attributes as object), pk: undefined };
    },
    gives: { sk: 'a', n: 1 },
  },
  {
    name: 'returns the old item of a delete, and nothing for a missing one',
    run: async (table) => {
      await table.put({ n: 1 });
      const first = await table.delete('a', { ReturnValues: 'ALL_OLD' });
      const second = await table.delete('a', { ReturnValues: 'ALL_OLD' });
      return [(first.Attributes as { n: number }).n, second.Attributes ?? 'none'];
    },
    gives: [1, 'none'],
  },
  {
    name: 'shows the item with a failed condition when asked to',
    run: async (table) => {
      await table.put({ n: 1 });
      const more = {
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      };
      const error = await table.put({ n: 2 }, more).catch((cause: unknown) => cause);
      return (error as { Item?: { n?: unknown } }).Item?.n;
    },
    gives: { N: '1' },
  },
  { name: 'refuses an empty sort key', run: (table) => table.put({ sk: '' }), gives: refused },
  { name: 'refuses an empty key in a get', run: (table) => table.get(''), gives: refused },
  { name: 'refuses a number as sort key', run: (table) => table.put({ sk: 7 }), gives: refused },
  {
    name: 'refuses an item without sort key',
    run: (table) => table.put({ sk: undefined }),
    gives: refused,
  },
  {
    name: 'refuses a sort key over 1 KiB',
    run: (table) => table.put({ sk: 'x'.repeat(KIB + 1) }),
    gives: refused,
  },
  {
    name: 'takes a sort key of 1 KiB',
    run: async (table) => typeof (await table.put({ sk: 'x'.repeat(KIB) })),
    gives: 'object',
  },
  {
    name: 'refuses a partition key over 2 KiB',
    run: (table) => table.put({ pk: 'x'.repeat(2 * KIB + 1) }),
    gives: refused,
  },
  {
    name: 'refuses a partition key of an index over 2 KiB',
    run: (table) => table.put({ gsi2pk: 'x'.repeat(2 * KIB + 1), gsi2sk: 'x' }),
    gives: refused,
  },
  {
    name: 'refuses a sort key of an index over 1 KiB',
    run: (table) => table.put({ gsi2pk: 'x', gsi2sk: 'x'.repeat(KIB + 1) }),
    gives: refused,
  },
  {
    name: 'refuses an empty index key',
    run: (table) => table.put({ gsi1pk: '', gsi1sk: 'x' }),
    gives: refused,
  },
  {
    name: 'refuses a number as index key',
    run: (table) => table.put({ gsi2pk: 'x', gsi2sk: 1 }),
    gives: refused,
  },
  {
    name: 'takes an empty text as a member of a set',
    run: async (table) => {
      await table.put({ words: new Set(['', 'a']) });
      const { Item } = (await table.get()) as { Item: { words: Set<string> } };
      return [...Item.words].sort();
    },
    gives: ['', 'a'],
  },
  {
    name: 'refuses a key with more attributes',
    run: (table) => table.delete('a', { Key: { ...table.key(), type: 'x' } }),
    gives: refused,
  },
  {
    name: 'refuses an item over 400 KiB',
    run: (table) => table.put({ text: 'x'.repeat(400 * KIB) }),
    gives: refused,
  },
  {
    name: 'takes an item just below 400 KiB',
    run: async (table) => typeof (await table.put({ text: 'x'.repeat(399 * KIB) })),
    gives: 'object',
  },
  {
    name: 'refuses an update that makes an item too large',
    run: async (table) => {
      await table.put({ text: 'x'.repeat(300 * KIB) });
      const more = { ExpressionAttributeValues: { ':v': 'x'.repeat(150 * KIB) } };
      return table.update('SET more = :v', more);
    },
    gives: refused,
  },
  {
    name: 'refuses more than 32 levels',
    run: (table) => table.put({ deep: nested(33) }),
    gives: refused,
  },
  {
    name: 'takes 32 levels',
    run: async (table) => typeof (await table.put({ deep: nested(31) })),
    gives: 'object',
  },
  {
    name: 'refuses unused names',
    run: (table) =>
      table.put(
        {},
        { ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeNames: { '#x': 'x' } },
      ),
    gives: refused,
  },
  {
    name: 'refuses names without an expression',
    run: (table) => table.put({}, { ExpressionAttributeNames: { '#x': 'x' } }),
    gives: refused,
  },
  {
    name: 'refuses an empty condition',
    run: (table) => table.put({}, { ConditionExpression: '' }),
    gives: refused,
  },
  {
    name: 'refuses a table that does not exist',
    run: (table) => table.get('a', { TableName: 'no-such-table' }),
    gives: { refused: 'ResourceNotFoundException' },
  },
];

function nested(levels: number): unknown {
  return levels === 0 ? 'end' : [nested(levels - 1)];
}
