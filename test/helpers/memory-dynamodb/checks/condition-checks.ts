import type { TableCheck } from './table-check.ts';

const item = {
  greeting: 'hello',
  blank: '',
  amount: 7,
  isOpen: true,
  nil: null,
  many: ['x', 2, { deep: 'y' }],
  tree: { leaf: 'z', howMany: 3 },
  tags: new Set(['p', 'q']),
  primes: new Set([1, 2]),
  octets: Buffer.from('abc'),
};

type Row = readonly [condition: string, values: Readonly<Record<string, unknown>>, holds: boolean];

const ROWS: readonly Row[] = [
  ['attribute_exists(pk)', {}, true],
  ['attribute_exists(absent)', {}, false],
  ['attribute_not_exists(absent)', {}, true],
  ['attribute_not_exists(nil)', {}, false],
  ['attribute_exists(tree.leaf) AND attribute_not_exists(tree.rest)', {}, true],
  ['attribute_exists(many[2].deep)', {}, true],
  ['attribute_exists(many[3])', {}, false],
  ['attribute_type(greeting, :v)', { ':v': 'S' }, true],
  ['attribute_type(tags, :v)', { ':v': 'SS' }, true],
  ['attribute_type(nil, :v)', { ':v': 'NULL' }, true],
  ['attribute_type(absent, :v)', { ':v': 'S' }, false],
  ['begins_with(greeting, :v)', { ':v': 'he' }, true],
  ['begins_with(greeting, :v)', { ':v': 'hello!' }, false],
  ['begins_with(octets, :v)', { ':v': Buffer.from('ab') }, true],
  ['contains(greeting, :v)', { ':v': 'ell' }, true],
  ['contains(greeting, :v)', { ':v': 'ELL' }, false],
  ['contains(tags, :v)', { ':v': 'q' }, true],
  ['contains(primes, :v)', { ':v': 2 }, true],
  ['contains(many, :v)', { ':v': 'x' }, true],
  ['contains(many, :v)', { ':v': 'xx' }, false],
  ['contains(amount, :v)', { ':v': '7' }, false],
  ['size(greeting) = :v', { ':v': 5 }, true],
  ['size(blank) = :v', { ':v': 0 }, true],
  ['size(many) > :v', { ':v': 2 }, true],
  ['size(tree) = :v', { ':v': 2 }, true],
  ['size(tags) < :v', { ':v': 2 }, false],
  ['size(amount) = :v', { ':v': 1 }, false],
  ['size(absent) > :v', { ':v': 0 }, false],
  ['amount = :v', { ':v': 7 }, true],
  ['amount = :v', { ':v': '7' }, false],
  ['amount <> :v', { ':v': '7' }, true],
  ['absent <> :v', { ':v': 'x' }, true],
  ['absent = :v', { ':v': 'x' }, false],
  ['absent < :v', { ':v': 'x' }, false],
  ['amount < :v', { ':v': 8 }, true],
  ['amount <= :v AND amount >= :v', { ':v': 7 }, true],
  ['greeting > :v', { ':v': 'hell' }, true],
  ['greeting < :v', { ':v': 9 }, false],
  ['isOpen = :v', { ':v': true }, true],
  ['nil = :v', { ':v': null }, true],
  ['tags = :v', { ':v': new Set(['q', 'p']) }, true],
  ['many = :v', { ':v': ['x', 2, { deep: 'y' }] }, true],
  ['many = :v', { ':v': [2, 'x', { deep: 'y' }] }, false],
  ['tree = :v', { ':v': { howMany: 3, leaf: 'z' } }, true],
  ['amount BETWEEN :a AND :b', { ':a': 7, ':b': 9 }, true],
  ['amount BETWEEN :a AND :b', { ':a': 8, ':b': 9 }, false],
  ['greeting BETWEEN :a AND :b AND isOpen = :c', { ':a': 'a', ':b': 'z', ':c': true }, true],
  ['amount IN (:a, :b)', { ':a': 1, ':b': 7 }, true],
  ['amount IN (:a)', { ':a': '7' }, false],
  ['NOT amount = :v', { ':v': 8 }, true],
  ['NOT (amount = :v OR isOpen = :w)', { ':v': 8, ':w': true }, false],
  ['isOpen = :no AND amount = :no OR amount = :v', { ':no': false, ':v': 7 }, true],
  ['isOpen = :no AND (amount = :no OR amount = :v)', { ':no': false, ':v': 7 }, false],
  [
    'not isOpen = :no and amount in (:v) or attribute_exists(absent)',
    { ':no': false, ':v': 7 },
    true,
  ],
  ['tree.howMany > amount', {}, false],
];

/** Whether a condition holds for an item with an attribute of every type. */
export const conditionChecks: readonly TableCheck[] = ROWS.map(([condition, values, holds]) => ({
  name: `${holds ? 'holds' : 'does not hold'}: ${condition} with ${Object.values(values).map(String).join(', ')}`,
  run: async (table) => {
    await table.put(item);
    const hasValues = Object.keys(values).length > 0;
    await table.put(
      {},
      {
        ConditionExpression: condition,
        ...(hasValues && { ExpressionAttributeValues: values }),
      },
    );
    return 'held';
  },
  gives: holds ? 'held' : { refused: 'ConditionalCheckFailedException' },
}));
