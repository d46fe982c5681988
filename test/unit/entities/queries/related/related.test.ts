import { beforeAll, describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../../shared/ports/security.ts';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, type EntitiesApi, RECORDS } from '../../entities-api.ts';

const ORDERS = `${RECORDS}/orders`;
const customer = {
  ...{ code: 'customer', name: 'Customer', apiPath: 'customers', requirePermission: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      region: { type: 'string', enum: ['north', 'south'] },
      credit: { type: 'integer' },
    },
  },
};
const toCustomer = { type: 'string', 'x-reference': { entity: 'customer' } };
const order = {
  ...{ code: 'order', name: 'Order', apiPath: 'orders', requirePermission: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      number: { type: 'integer' },
      status: { type: 'string', enum: ['open', 'paid'] },
      customer: toCustomer,
      viewers: { type: 'array', items: toCustomer },
      note: { type: 'string', 'x-reference': { entity: 'order' } },
    },
  },
};

/** Orders 0 to 11 of four customers: 0 and 1 in the north, 2 in the south, 3 in none; every third order is paid. */
async function aShop(decide: (target: string) => boolean | PermissionDecision = () => true) {
  const hasPermission = (_who: unknown, target: string) => decide(target);
  const open = anEntitiesApi();
  await open.define(customer);
  await open.define(order);
  const ids: string[] = [];
  for (const values of [
    { name: 'An', region: 'north', credit: 5 },
    { name: 'Bình', region: 'north', credit: 50 },
    { name: 'Chi', region: 'south', credit: 500 },
    { name: 'Dũng' },
  ]) {
    ids.push(String((await open.post(`${RECORDS}/customer`, values)).body.id));
  }
  for (let number = 0; number < 12; number += 1) {
    const made = await open.post(ORDERS, {
      ...{ number, status: number % 3 ? 'open' : 'paid', customer: ids[number % 4] },
      viewers: [ids[(number + 1) % 4]],
    });
    expect(made.status, made.text).toBe(201);
  }
  const api = anEntitiesApi({
    besides: open.context,
    host: { permissionEvaluator: { hasPermission } },
  });
  return { api, ids };
}

const numbers = async (api: EntitiesApi, path: string): Promise<unknown[]> => {
  const answer = await api.get(path);
  expect(answer.status, answer.text).toBe(200);
  return contentOf(answer).map(({ number }) => number);
};

const group = (filter: unknown): string => encodeURIComponent(JSON.stringify(filter));

describe('records by those that they refer to', () => {
  let api: EntitiesApi;
  let ids: readonly string[];

  beforeAll(async () => {
    ({ api, ids } = await aShop());
  });

  it.each([
    ['customer.region=north', [9, 8, 5, 4, 1, 0]],
    ['customer.region=north,south&sort=number', [0, 1, 2, 4, 5, 6, 8, 9, 10]],
    ['customer.region=north&status=paid', [9, 0]],
    ['customer.credit[gte]=50&sort=number', [1, 2, 5, 6, 9, 10]],
    ['customer.region[null]=true', [11, 7, 3]],
    ['customer.name[startsWith]=b&customer.region=north', [9, 5, 1]],
    ['customer.name=Nobody', []],
    ['viewers.region=south', [9, 5, 1]],
    [
      `filter=${group({ or: [{ 'customer.region': 'south' }, { number: { lt: 2 } }] })}`,
      [10, 6, 2, 1, 0],
    ],
    [`filter=${group({ not: { 'customer.region': 'north' } })}`, [11, 10, 7, 6, 3, 2]],
    [`filter=${group({ 'customer.credit': { gte: 50, lt: 500 } })}`, [9, 5, 1]],
  ])('%s', async (query, expected) => {
    expect(await numbers(api, `${ORDERS}?${query}`)).toEqual(expected);
  });

  it('are counted, added up and paged like others', async () => {
    const count = await api.get(`${ORDERS}/count?customer.region=north`);
    const facets = await api.get(`${ORDERS}/facets?fields=status&customer.region=north`);
    const sums = await api.get(`${ORDERS}/aggregate?sum=number&customer.region=north`);
    const first = await api.get(`${ORDERS}?customer.region=north&size=4&expand=customer`);
    const next = await api.get(
      `${ORDERS}?customer.region=north&size=4&expand=customer&cursor=${first.body.nextCursor}`,
    );

    expect(count.body).toEqual({ count: 6, relation: 'eq' });
    expect(facets.body.status).toEqual([
      { value: 'open', count: 4 },
      { value: 'paid', count: 2 },
    ]);
    expect(sums.body.groups).toEqual([{ by: {}, count: 6, sum: { number: '27' } }]);
    expect(first.body.totalElements).toBe(6);
    expect([...contentOf(first), ...contentOf(next)].map(({ number }) => number)).toEqual([
      9, 8, 5, 4, 1, 0,
    ]);
    expect(contentOf(next)[0]?.customer).toMatchObject({ name: 'Bình', region: 'north' });
  });

  it('are those of one record, with the parameters of a list', async () => {
    const path = `${RECORDS}/customers/${ids[2]}`;

    expect(await numbers(api, `${path}/orders:customer`)).toEqual([10, 6, 2]);
    expect(await numbers(api, `${path}/order:viewers?sort=number`)).toEqual([1, 5, 9]);
    expect(await numbers(api, `${path}/orders:customer?status=open&size=1`)).toEqual([10]);
    expect(await numbers(api, `/api/v1/customers/${ids[2]}/orders:customer?number[lt]=5`)).toEqual([
      2,
    ]);
    const one = await api.get(`${path}/orders:customer?size=1`);
    const other = await api.get(
      `${RECORDS}/customers/${ids[1]}/orders:customer?size=1&cursor=${one.body.nextCursor}`,
    );
    expect(one.body.totalElements).toBe(3);
    expect(other.body.code).toBe('INVALID_CURSOR');
  });

  it.each([
    ['orders', 400, 'INVALID_PARAMETER'],
    ['orders:number', 400, 'INVALID_PARAMETER'],
    ['customers', 404, 'ENTITY_NOT_FOUND'],
    ['nothing', 404, 'ENTITY_NOT_FOUND'],
  ])('are not found by the relation %s', async (relation, status, code) => {
    const { body } = await api.get(`${RECORDS}/customers/${ids[0]}/${relation}`);

    expect(body).toMatchObject({ status, code });
  });

  it('are not those of a record that is not there', async () => {
    const { body } = await api.get(`${RECORDS}/customers/${crypto.randomUUID()}/orders:customer`);

    expect(body).toMatchObject({ status: 404, code: 'RECORD_NOT_FOUND' });
  });

  it.each([
    ['number.region=1', 'number.region', 'NOT_A_REFERENCE'],
    ['nobody.region=1', 'nobody.region', 'NOT_A_REFERENCE'],
    ['customer.regio=north', 'customer.regio', 'UNKNOWN_PARAMETER'],
    ['customer.region[gte]=north', undefined, undefined],
    ['customer.credit[contains]=1', 'customer.credit[contains]', 'UNKNOWN_OPERATOR'],
    ['customer.credit=much', 'customer.credit', 'INVALID_VALUE'],
    ['note.customer.region=north', 'note.customer.region', 'TOO_DEEP'],
  ])('refuses %s and names it', async (query, parameter, code) => {
    const { status, body } = await api.get(`${ORDERS}?${query}`);

    expect(status).toBe(parameter === undefined ? 200 : 400);
    if (parameter) expect(body.errors).toMatchObject([{ parameter, code }]);
  });
});

describe('expand', () => {
  it('fails with the read of the records that it shows, instead of leaving them out', async () => {
    const { api } = await aShop();
    const path = `${ORDERS}?number=0&count=none&expand=customer`;
    await api.get(path);
    const answers = [];

    for (let after = 0; after < 3; after += 1) {
      api.context.db.failNext('throttling', { operation: 'BatchGetItem', after, times: 9 });
      answers.push(await api.get(path));
      api.context.db.stopFailing();
    }

    expect(answers.map(({ status }) => status)).toContain(503);
    for (const answer of answers.filter(({ status }) => status === 200)) {
      expect(contentOf(answer)[0]?.customer).toMatchObject({ name: 'An' });
    }
  });
});

describe('grants of both entities', () => {
  it('hold: hidden rows of the other entity are met by no condition', async () => {
    const { api, ids } = await aShop((target) =>
      target === 'customers' ? { allowed: true, rowFilter: { name: 'An' } } : true,
    );

    expect(await numbers(api, `${ORDERS}?customer.region=north&sort=number`)).toEqual([0, 4, 8]);
    expect(await numbers(api, `${ORDERS}?customer.region=south`)).toEqual([]);
    expect((await api.get(`${RECORDS}/customers/${ids[1]}/orders:customer`)).status).toBe(404);
    expect(await numbers(api, `${RECORDS}/customers/${ids[0]}/orders:customer`)).toEqual([8, 4, 0]);
  });

  it('hold: hidden fields of the other entity are named by nobody', async () => {
    const { api } = await aShop((target) =>
      target === 'customers' ? { allowed: true, fields: ['name'] } : true,
    );

    expect((await api.get(`${ORDERS}?customer.credit[gte]=1`)).status).toBe(403);
    expect((await api.get(`${ORDERS}/count?customer.credit[gte]=1`)).status).toBe(403);
    expect(await numbers(api, `${ORDERS}?customer.name=An&status=paid`)).toEqual([0]);
  });

  it('hold: who may not view the other entity filters by nothing of it', async () => {
    const { api } = await aShop((target) => target !== 'customers');

    expect((await api.get(`${ORDERS}?customer.region=north`)).status).toBe(403);
    expect(await numbers(api, `${ORDERS}?number=3`)).toEqual([3]);
  });

  it('hold: rows and fields of the records themselves', async () => {
    const rows = await aShop((target) =>
      target === 'orders' ? { allowed: true, rowFilter: { status: 'paid' } } : true,
    );
    const fields = await aShop((target) =>
      target === 'orders' ? { allowed: true, fields: ['number', 'viewers'] } : true,
    );
    const path = ({ ids }: typeof rows, relation: string): string =>
      `${RECORDS}/customers/${ids[0]}/${relation}`;

    expect(await numbers(rows.api, `${ORDERS}?customer.region=north`)).toEqual([9, 0]);
    expect(await numbers(rows.api, path(rows, 'orders:customer'))).toEqual([0]);
    expect((await fields.api.get(`${ORDERS}?customer.region=north`)).status).toBe(403);
    const hidden = await fields.api.get(path(fields, 'orders:customer'));
    expect(hidden.status).toBe(400);
    expect(hidden.text).not.toContain('"customer"');
    expect(await numbers(fields.api, path(fields, 'orders'))).toEqual([11, 7, 3]);
  });
});

describe('conditions on many related records', () => {
  it('cost no list for each of them; too many are refused', async () => {
    const api = anEntitiesApi();
    await api.define({ ...customer, requirePermission: false });
    const plain = {
      ...order.uiSchemaJson.properties.customer,
      'x-reference': { entity: 'customer', onDelete: 'none' },
    };
    await api.define({
      ...{ ...order, requirePermission: false },
      uiSchemaJson: {
        type: 'object',
        properties: { number: { type: 'integer' }, customer: plain },
      },
    });
    const customers = await loadRecords(
      api.context,
      'customer',
      Array.from({ length: 2_100 }, (_, at) => ({
        name: `c${at}`,
        ...(at < 400 && { region: at < 300 ? 'north' : 'south' }),
        credit: at,
      })),
    );
    await loadRecords(
      api.context,
      'order',
      Array.from({ length: 600 }, (_, number) => ({ number, customer: customers[number % 400] })),
    );
    await api.get(`${ORDERS}?customer.credit=1`);
    const costOf = async (query: string) => {
      let found: unknown[] = [];
      const cost = await api.context.db.meter.costOf(async () => {
        found = await numbers(api, `${ORDERS}?${query}&count=none`);
      });
      return { found, units: cost.readUnits };
    };

    const few = await costOf('customer.credit[lt]=3');
    const some = await costOf('customer.region=south');
    const many = await costOf('customer.region=north');

    expect(few.found).toEqual([402, 401, 400, 2, 1, 0]);
    expect(few.units).toBeLessThanOrEqual(6);
    expect(some.found).toHaveLength(20);
    expect(some.units).toBeLessThanOrEqual(65);
    expect(many.found).toEqual(
      Array.from({ length: 20 }, (_, at) => 599 - at).map((n) => n - (n % 400 >= 300 ? 100 : 0)),
    );
    expect(many.units).toBeLessThanOrEqual(40);
    const refused = await api.get(`${ORDERS}?customer.version=1`);
    expect(refused.body).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
    expect(refused.body.errors).toMatchObject([
      { parameter: 'customer.version', code: 'TOO_MANY' },
    ]);
  });
});
