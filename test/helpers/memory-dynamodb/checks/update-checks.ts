import { type Refusal, refused, type TableCheck } from './table-check.ts';

const item = {
  amount: 7,
  greeting: 'hello',
  many: ['a', 'b', 'c'],
  tree: { leaf: 1, rest: { deep: 'x' } },
  tags: new Set(['p', 'q']),
};

type Values = Readonly<Record<string, unknown>>;
type Row = readonly [update: string, values: Values, changes: Values | Refusal];

const ROWS: readonly Row[] = [
  ['SET amount = :v', { ':v': 1 }, { amount: 1 }],
  ['SET amount = amount + :v', { ':v': 3 }, { amount: 10 }],
  ['SET amount = amount - :v', { ':v': 10 }, { amount: -3 }],
  ['SET amount = :v + amount', { ':v': 0.1 }, { amount: 7.1 }],
  ['SET absent = absent + :v', { ':v': 1 }, refused],
  ['SET amount = greeting + :v', { ':v': 1 }, refused],
  ['SET absent = if_not_exists(absent, :v) + :one', { ':v': 0, ':one': 1 }, { absent: 1 }],
  ['SET amount = if_not_exists(amount, :v)', { ':v': 0 }, {}],
  ['SET twin = greeting, greeting = :v', { ':v': 'new' }, { twin: 'hello', greeting: 'new' }],
  ['SET many = list_append(many, :v)', { ':v': ['d'] }, { many: ['a', 'b', 'c', 'd'] }],
  ['SET many = list_append(:v, many)', { ':v': ['z'] }, { many: ['z', 'a', 'b', 'c'] }],
  [
    'SET fresh = list_append(if_not_exists(fresh, :none), :v)',
    { ':none': [], ':v': [1] },
    { fresh: [1] },
  ],
  ['SET greeting = list_append(greeting, :v)', { ':v': ['d'] }, refused],
  ['SET many[1] = :v', { ':v': 'B' }, { many: ['a', 'B', 'c'] }],
  ['SET many[9] = :v', { ':v': 'end' }, { many: ['a', 'b', 'c', 'end'] }],
  [
    'SET tree.leaf = :v, tree.fresh = :w',
    { ':v': 2, ':w': 3 },
    { tree: { leaf: 2, fresh: 3, rest: { deep: 'x' } } },
  ],
  ['SET tree.none.deep = :v', { ':v': 1 }, refused],
  ['SET greeting.leaf = :v', { ':v': 1 }, refused],
  ['SET tree.rest.deep = :v REMOVE tree.leaf', { ':v': 'y' }, { tree: { rest: { deep: 'y' } } }],
  ['REMOVE greeting, absent', {}, { greeting: undefined }],
  ['REMOVE many[0], many[2]', {}, { many: ['b'] }],
  ['REMOVE many[7]', {}, {}],
  ['REMOVE tree.rest.deep', {}, { tree: { leaf: 1, rest: {} } }],
  ['ADD amount :v', { ':v': -2 }, { amount: 5 }],
  ['ADD fresh :v', { ':v': 4 }, { fresh: 4 }],
  ['ADD tags :v', { ':v': new Set(['q', 'r']) }, { tags: new Set(['p', 'q', 'r']) }],
  ['ADD fresh :v', { ':v': new Set([1]) }, { fresh: new Set([1]) }],
  ['ADD greeting :v', { ':v': 1 }, refused],
  ['ADD greeting :v', { ':v': 'more' }, refused],
  ['DELETE tags :v', { ':v': new Set(['q']) }, { tags: new Set(['p']) }],
  ['DELETE tags :v', { ':v': new Set(['p', 'q']) }, { tags: undefined }],
  ['DELETE absent :v', { ':v': new Set(['p']) }, {}],
  ['DELETE amount :v', { ':v': 1 }, refused],
  ['SET amount = :v ADD amount :v', { ':v': 1 }, refused],
  ['SET amount = :v SET greeting = :v', { ':v': 1 }, refused],
  ['SET pk = :v', { ':v': 'x' }, refused],
  ['SET #none = :v', { ':v': 'x' }, refused],
  ['SET amount = :v', { ':v': 1, ':unused': 2 }, refused],
  ['SET amount = :absent', { ':v': 1 }, refused],
  ['SET status = :v', { ':v': 'x' }, refused],
  ['SET amount = :v,', { ':v': 1 }, refused],
  ['PUT amount :v', { ':v': 1 }, refused],
  ['SET amount = twice(:v)', { ':v': 1 }, refused],
  ['SET gsi1pk = :v', { ':v': '' }, refused],
  ['SET gsi1pk = :v', { ':v': 7 }, refused],
];

/** What an update makes of an item with an attribute of most types. */
export const updateChecks: readonly TableCheck[] = ROWS.map(([update, values, changes]) => ({
  name: `${isRefusal(changes) ? 'refuses' : 'applies'}: ${update} with ${Object.values(values).map(String).join(', ')}`,
  run: async (table) => {
    await table.put(item);
    const hasValues = Object.keys(values).length > 0;
    await table.update(update, hasValues ? { ExpressionAttributeValues: values } : {});
    const { Item } = (await table.get()) as { Item: Record<string, unknown> };
    const { pk: _, sk: __, type: ___, ...attributes } = Item;
    return attributes;
  },
  gives: isRefusal(changes) ? changes : present({ ...item, ...changes }),
}));

function isRefusal(changes: Values | Refusal): changes is Refusal {
  return 'refused' in changes;
}

function present(attributes: Values): Values {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
