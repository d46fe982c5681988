import fc from 'fast-check';
import type { OracleFilter } from './oracle.ts';

const names = [
  'Nguyễn Văn An',
  'nguyen van binh',
  'Trần Thị Đào',
  'tran thi dao',
  'Lê Ánh',
  'LE ANH',
  'Đỗ Đức',
  'Zoë',
  '北京',
  '😀 smile',
  'a',
  '',
];
const cities = ['Hà Nội', 'ha noi', 'Huế', 'HUE', 'Đà Nẵng', 'Cần Thơ'];
const statuses = ['open', 'wip', 'closed'];
const prices = [
  '-10.50',
  '-10.5',
  '0',
  '0.00',
  '1.10',
  '1.1',
  '99999999999999999999.5',
  '100',
  '-0.001',
];
const tags = ['red', 'Red', 'xanh', 'Đỏ', 'do'];
const instants = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T07:00:00+07:00',
  '2025-12-31T23:59:59.999Z',
  '2026-06-01T12:30:00Z',
];
const dates = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-02-28'];
const numbers = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(0.1, -0.1, 1e21, -1e-7, 2.5),
);

/** Values of each field. */
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.constantFrom(...names),
  city: fc.constantFrom(...cities),
  status: fc.constantFrom(...statuses),
  amount: numbers,
  priority: fc.integer({ min: 0, max: 4 }),
  price: fc.constantFrom(...prices),
  active: fc.boolean(),
  dueDate: fc.constantFrom(...dates),
  seenAt: fc.constantFrom(...instants),
  tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
};

/** A record with some of its fields. */
export const aRecord: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  values as Record<string, fc.Arbitrary<unknown>>,
  { requiredKeys: ['name'] },
);

const ORDERED = ['gt', 'gte', 'lt', 'lte'];
const operand: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...values,
  tags: fc.constantFrom(...tags),
};

function comparisons(field: string): fc.Arbitrary<OracleFilter> {
  const value = operand[field] ?? fc.constant('');
  const one = (ops: readonly string[]) =>
    fc.tuple(fc.constantFrom(...ops), value).map(([op, given]) => ({ [op]: given }));
  const list = fc
    .tuple(fc.constantFrom('in', 'nin'), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([op, given]) => ({ [op]: given }));
  const between = fc.tuple(value, value).map((given) => ({ between: given }));
  const absence = fc
    .tuple(fc.constantFrom('null', 'exists'), fc.boolean())
    .map(([op, given]) => ({ [op]: given }));
  const range = fc.tuple(value, value).map(([gte, lt]) => ({ gte, lt }));
  const isText = ['name', 'city', 'status', 'tags'].includes(field);
  const parts = fc
    .tuple(
      fc.constantFrom('startsWith', 'contains', 'endsWith', 'eqi'),
      fc.constantFrom('n', 'DAO', 'đào', 'ha', 'H', 'an', 're', 'ế', ...cities),
    )
    .map(([op, given]) => ({ [op]: given }));
  const equal = one(['eq', 'ne']);
  const sets =
    field === 'active'
      ? [equal, absence]
      : [equal, equal, one(ORDERED), list, between, range, absence];
  return fc.oneof(...sets, ...(isText ? [parts] : [])).map((test) => ({ [field]: test }));
}

const aTest = fc.constantFrom(...Object.keys(values)).chain(comparisons);

/** Groups in groups. */
const { nested } = fc.letrec<{ nested: OracleFilter }>((tie) => ({
  nested: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    aTest,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('nested'), { minLength: 1, maxLength: 3 }))
      .map(([group, parts]) => ({ [group]: parts })),
    tie('nested').map((not) => ({ not })),
  ),
}));

/** A filter of a few comparisons in groups. */
const aFilter: fc.Arbitrary<OracleFilter> = fc.oneof(
  { weight: 3, arbitrary: nested },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: aTest },
  { weight: 4, arbitrary: fc.array(aTest, { minLength: 2, maxLength: 3 }).map((and) => ({ and })) },
  { weight: 2, arbitrary: fc.array(aTest, { minLength: 2, maxLength: 3 }).map((or) => ({ or })) },
  { weight: 1, arbitrary: aTest.map((not) => ({ not })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(aTest, fc.array(aTest, { minLength: 1, maxLength: 2 }))
      .map(([first, or]) => ({ and: [first, { or }] })),
  },
);

const sortable = [
  'name',
  'city',
  'status',
  'amount',
  'priority',
  'price',
  'active',
  'dueDate',
  'seenAt',
  'createdAt',
];
const aSort = fc.option(
  fc
    .uniqueArray(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...sortable)), {
      minLength: 1,
      maxLength: 3,
      selector: ([, field]) => field,
    })
    .map((keys) => keys.map((key) => key.join('')).join(',')),
  { nil: undefined },
);

/** What a list call asks for. */
export interface RandomQuery {
  readonly filter: OracleFilter;
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
  readonly page: number;
  readonly size: number;
}

/** A list call. */
export const aQuery: fc.Arbitrary<RandomQuery> = fc.record({
  filter: aFilter,
  q: fc.option(fc.constantFrom('nguyen', 'van a', 'đào', 'T', 'dao tr', 'a', 'n v', 'zzz', '北'), {
    nil: undefined,
    freq: 6,
  }),
  sort: aSort,
  page: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 5, max: 40 })),
  size: fc.constantFrom(1, 3, 7, 20),
});
