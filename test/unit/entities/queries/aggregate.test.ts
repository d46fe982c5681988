import { describe, expect, it } from 'vitest';
import {
  average,
  exactOf,
  plus,
  toText,
  ZERO,
} from '../../../../functions/entities/domain/values/exact.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { aCustomerEntity, anEntitiesApi, type EntitiesApi, RECORDS } from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customers`;

type Values = Readonly<Record<string, unknown>>;

async function withCustomers(records: Iterable<Values>): Promise<EntitiesApi> {
  const api = anEntitiesApi();
  await api.define(aCustomerEntity());
  await loadRecords(api.context, 'customer', records);
  return api;
}

const aggregate = async (api: EntitiesApi, query: string): Promise<Values> => {
  const answer = await api.get(`${CUSTOMERS}/aggregate?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const INVOICES: readonly Values[] = [
  { name: 'a', status: 'open', amount: 0.1, price: '1.10', dueDate: '2026-01-31', priority: 1 },
  { name: 'b', status: 'open', amount: 0.2, price: '0.005', dueDate: '2026-01-01', priority: 2 },
  { name: 'c', status: 'closed', amount: 1e21, price: '99999999999999999999999.01', priority: 1 },
  { name: 'd', amount: -7, dueDate: '2026-02-28' },
];

describe('GET .../aggregate', () => {
  it('adds up without rounding, for each value of a field', async () => {
    const api = await withCustomers(INVOICES);

    expect(await aggregate(api, 'groupBy=status&sum=amount,price&avg=amount')).toEqual({
      count: 4,
      complete: true,
      groups: [
        {
          ...{ by: { status: null }, count: 1 },
          ...{ sum: { amount: '-7', price: null }, avg: { amount: '-7' } },
        },
        {
          ...{ by: { status: 'closed' }, count: 1 },
          sum: { amount: '1000000000000000000000', price: '99999999999999999999999.01' },
          avg: { amount: '1000000000000000000000' },
        },
        {
          ...{ by: { status: 'open' }, count: 2 },
          ...{ sum: { amount: '0.3', price: '1.105' }, avg: { amount: '0.15' } },
        },
      ],
    });
  });

  it('shows the lowest and the highest values, of all records where nothing groups them', async () => {
    const api = await withCustomers(INVOICES);

    expect(await aggregate(api, 'min=amount,dueDate,name&max=price,createdAt,dueDate')).toEqual({
      count: 4,
      complete: true,
      groups: [
        {
          ...{ by: {}, count: 4 },
          min: { amount: -7, dueDate: '2026-01-01', name: 'a' },
          max: {
            price: '99999999999999999999999.01',
            createdAt: '2026-03-01T09:30:00.000Z',
            dueDate: '2026-02-28',
          },
        },
      ],
    });
  });

  it('groups by two fields, dates by their month, and takes filters', async () => {
    const api = await withCustomers(INVOICES);

    const found = await aggregate(api, 'groupBy=dueDate:month,priority&priority[exists]=true');

    expect(found).toEqual({
      count: 3,
      complete: true,
      groups: [
        { by: { 'dueDate:month': null, priority: 1 }, count: 1 },
        { by: { 'dueDate:month': '2026-01', priority: 1 }, count: 1 },
        { by: { 'dueDate:month': '2026-01', priority: 2 }, count: 1 },
      ],
    });
    expect(await aggregate(api, 'groupBy=createdAt:year')).toMatchObject({
      groups: [{ by: { 'createdAt:year': '2026' }, count: 4 }],
    });
    expect(await aggregate(api, 'status=wip&sum=amount')).toEqual({
      ...{ count: 0, complete: true },
      groups: [{ by: {}, count: 0, sum: { amount: null } }],
    });
  });

  it('has the figures that looking at every record gives', async () => {
    const random = seededRandom(9);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const records = Array.from({ length: 120 }, (_, at) => ({
      ...{ name: `n${at}`, city: pick(['Huế', 'HUE', 'Vinh']), active: random() < 0.5 },
      ...(random() < 0.8 && {
        price: `${pick(['', '-'])}${Math.floor(random() * 1e6)}.${pick(['5', '25', '005'])}`,
      }),
    }));
    const api = await withCustomers(records);

    const { groups } = await aggregate(api, 'groupBy=city,active&sum=price&active=true');

    const wanted = Map.groupBy(
      records.filter(({ active }) => active),
      ({ city }) => city,
    );
    const thousandths = (text: string): bigint => {
      const [whole = '', fraction = ''] = text.replace('-', '').split('.');
      return BigInt(whole + fraction.padEnd(3, '0')) * (text.startsWith('-') ? -1n : 1n);
    };
    const shown = (groups as readonly { by: Values; count: number; sum: { price: string } }[]).map(
      ({ by, count, sum }) => [by.city, count, thousandths(sum.price)],
    );
    expect(new Map(shown.map(([city, ...figures]) => [city, figures]))).toEqual(
      new Map(
        [...wanted].map(([city, some]) => [
          city,
          [some.length, some.reduce((sum, { price = '0' }) => sum + thousandths(price), 0n)],
        ]),
      ),
    );
  });

  it('counts all, and by a counted field, from the counters', async () => {
    const api = await withCustomers(INVOICES);
    await aggregate(api, '');
    let found: Values = {};

    const cost = await api.context.db.meter.costOf(async () => {
      found = await aggregate(api, 'groupBy=status');
    });

    expect(cost.readUnits).toBe(0.5);
    expect(found).toEqual({
      ...{ count: 4, complete: true },
      groups: [
        { by: { status: null }, count: 1 },
        { by: { status: 'closed' }, count: 1 },
        { by: { status: 'open' }, count: 2 },
      ],
    });
    expect(await aggregate(api, '')).toEqual({
      ...{ count: 4, complete: true },
      groups: [{ by: {}, count: 4 }],
    });
  });

  it('costs half a unit for each record, and says when it has not read all', async () => {
    const records = Array.from({ length: 2_300 }, (_, at) => ({
      name: `n${at}`,
      amount: 0.1,
      ...(at < 100 && { priority: 3 }),
    }));
    const api = await withCustomers(records);
    await aggregate(api, '');
    let some: Values = {};

    const cost = await api.context.db.meter.costOf(async () => {
      some = await aggregate(api, 'sum=amount');
    });
    const all = await aggregate(api, 'sum=amount&count=exact');

    expect(some).toMatchObject({
      count: 2_000,
      complete: false,
      groups: [{ sum: { amount: '200' } }],
    });
    expect(all).toMatchObject({
      count: 2_300,
      complete: true,
      groups: [{ sum: { amount: '230' } }],
    });
    const few = await api.context.db.meter.costOf(() => aggregate(api, 'priority=3&sum=amount'));

    expect(cost.readUnits).toBeLessThan(1_050);
    expect(few.requests).toHaveLength(2);
    expect(few.readUnits).toBeLessThanOrEqual(51.5);
    const refused = await api.get(`${CUSTOMERS}/aggregate?groupBy=name&sum=amount`);
    expect(refused.body).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
    expect(refused.text).toContain('more than 1000 groups');
  });

  it.each([
    ['sum=name', 'sum', 'INVALID_TYPE'],
    ['avg=dueDate', 'avg', 'INVALID_TYPE'],
    ['max=active', 'max', 'INVALID_TYPE'],
    ['groupBy=tags', 'groupBy', 'INVALID_TYPE'],
    ['groupBy=notes', 'groupBy', 'NOT_SEARCHABLE'],
    ['groupBy=statos', 'groupBy', 'UNKNOWN_FIELD'],
    ['groupBy=status,city,priority', 'groupBy', 'TOO_MANY'],
    ['groupBy=status,status', 'groupBy', 'TOO_MANY'],
    ['groupBy=dueDate:week', 'groupBy', 'INVALID_VALUE'],
    ['groupBy=name:month', 'groupBy', 'INVALID_VALUE'],
    ['sum=amount&statos=open', 'statos', 'UNKNOWN_PARAMETER'],
  ])('refuses %s and names it', async (query, parameter, code) => {
    const api = await withCustomers([]);

    const { status, body } = await api.get(`${CUSTOMERS}/aggregate?${query}`);

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ parameter, code }]);
  });
});

describe('exact decimals', () => {
  const sum = (...values: unknown[]) =>
    values.map((value) => exactOf(value) ?? ZERO).reduce(plus, ZERO);

  it.each([
    [[0.1, 0.2], '0.3'],
    [[1e21, -1e21, 1e-7], '0.0000001'],
    [['-0.50', '0.5'], '0'],
    [[1.7e308, 5e-324], `17${'0'.repeat(307)}.${'0'.repeat(323)}5`],
    [['+12.340'], '12.34'],
  ])('%j make %s', (values, text) => {
    expect(toText(sum(...values))).toBe(text);
  });

  it.each([
    [['1', '1', '2'], '1.3333333333'],
    [['-2', '0', '0'], '-0.6666666667'],
    [['0.25', '0.26'], '0.255'],
    [['0.0000000001', '0.0000000002'], '0.00000000015'],
  ])('%j are %s on average', (values, text) => {
    expect(toText(average(sum(...values), values.length))).toBe(text);
  });
});

describe('GET .../facets', () => {
  it('counts each value of a list by itself', async () => {
    const api = anEntitiesApi();
    const tags = { type: 'array', items: { type: 'string', maxLength: 20 }, 'x-searchable': true };
    await api.define({
      ...{ code: 'note', name: 'Note', apiPath: 'notes' },
      uiSchemaJson: { type: 'object', properties: { name: { type: 'string' }, tags } },
    });
    for (const values of [{ tags: ['a', 'b'] }, { tags: ['a'] }, { tags: [] }, {}]) {
      expect((await api.post(`${RECORDS}/notes`, { name: 'n', ...values })).status).toBe(201);
    }
    const answer = await api.get(`${RECORDS}/notes/facets?fields=tags`);

    expect(answer.body.tags).toEqual([
      { value: null, count: 2 },
      { value: 'a', count: 2 },
      { value: 'b', count: 1 },
    ]);
  });
});
