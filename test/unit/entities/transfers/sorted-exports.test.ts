import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, RECORDS } from '../entities-api.ts';

const EXPORT = `${RECORDS}/orders/export`;
const toCustomer = { type: 'string', 'x-reference': { entity: 'customer', onDelete: 'none' } };
const text = { type: 'string' };
const customer = {
  ...{ code: 'customer', name: 'Customer', apiPath: 'customers', requirePermission: true },
  uiSchemaJson: {
    type: 'object',
    properties: { name: text, region: text, pin: { type: 'string', 'x-encrypted': true } },
  },
};
const order = {
  ...{ code: 'order', name: 'Order', apiPath: 'orders', requirePermission: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      number: { type: 'integer' },
      city: text,
      customer: toCustomer,
      viewers: { type: 'array', items: toCustomer },
      note: { type: 'string', format: 'textarea' },
    },
  },
};

/** Orders of four customers; each order is of the customer of its number and is seen by the next one. */
async function aShop(count = 8, note = '') {
  const storage = memoryStorage();
  const state: { decide: (target: string) => boolean | PermissionDecision } = {
    decide: () => true,
  };
  const api = anEntitiesApi({
    host: {
      permissionEvaluator: { hasPermission: (_who, target) => state.decide(target) },
      storage,
    },
  });
  await api.define(customer);
  await api.define(order);
  const ids: string[] = [];
  for (const [name, region] of [
    ['Dũng', 'north'],
    ['An', 'south'],
    ['Chi', 'north'],
    ['Bình', 'south'],
  ]) {
    const made = await api.post(`${RECORDS}/customers`, { name, region });
    expect(made.status, made.text).toBe(201);
    ids.push(String(made.body.id));
  }
  await loadRecords(
    api.context,
    'order',
    Array.from({ length: count }, (_, number) => ({
      ...{
        number,
        city: `c${number % 3}`,
        customer: ids[number % 4],
        viewers: [ids[(number + 1) % 4]],
      },
      ...(note && { note }),
    })),
  );
  const exported = async (query: string) => {
    const file = await api.get(`${EXPORT}?${query}`);
    expect(file.status, file.text).toBe(200);
    return JSON.parse(file.text) as Readonly<Record<string, unknown>>[];
  };
  return { ...api, state, ids, exported, storage };
}

const numbers = (records: readonly Readonly<Record<string, unknown>>[]) =>
  records.map(({ number }) => number);

describe('an export', () => {
  it.each([
    ['sort=-number', [7, 6, 5, 4, 3, 2, 1, 0]],
    ['sort=-createdAt', [7, 6, 5, 4, 3, 2, 1, 0]],
    ['sort=-city,number', [2, 5, 1, 4, 7, 0, 3, 6]],
    ['sort=customer.name', [1, 5, 3, 7, 2, 6, 0, 4]],
    ['sort=-customer.name&number[lt]=5', [4, 0, 2, 3, 1]],
    ['customer.region=north', [0, 2, 4, 6]],
    ['customer.region=north&sort=-number', [6, 4, 2, 0]],
  ])('%s', async (query, wanted) => {
    const { exported } = await aShop();

    expect(numbers(await exported(query))).toEqual(wanted);
  });

  it('shows the records that others refer to', async () => {
    const { exported, ids, get } = await aShop(2);

    const [first] = await exported('expand=customer,viewers&sort=number');
    const csv = (await get(`${EXPORT}?format=csv&expand=customer&fields=number,customer`)).text;

    expect(first).toMatchObject({
      customer: { id: ids[0], name: 'Dũng', region: 'north' },
      viewers: [{ id: ids[1], name: 'An' }],
    });
    expect(
      csv
        .replaceAll(/["\ufeff]/g, '')
        .trimEnd()
        .split('\r\n'),
    ).toEqual([
      'id,number,customer,customer.id,customer.name,customer.region',
      expect.stringContaining(`,0,${ids[0]},${ids[0]},Dũng,north`),
      expect.stringContaining(`,1,${ids[1]},${ids[1]},An,south`),
    ]);
  });

  it('shows of them what its caller sees, and never an encrypted field', async () => {
    const { exported, state, ids, get } = await aShop(3);
    state.decide = (target) =>
      target !== 'customers' || { allowed: true, fields: ['name'], rowFilter: { region: 'north' } };

    const seen = await exported('expand=customer&sort=number');
    const sorted = await exported('sort=customer.name');
    const hidden = await get(`${EXPORT}?sort=customer.region`);
    state.decide = (target) => target !== 'customers';
    const none = await exported('expand=customer&sort=number');
    const refused = await get(`${EXPORT}?sort=customer.name`);

    expect(seen.map(({ customer: each }) => each)).toEqual([
      { id: ids[0], name: 'Dũng' },
      ids[1],
      { id: ids[2], name: 'Chi' },
    ]);
    expect(numbers(sorted)).toEqual([2, 0, 1]);
    expect(hidden.status).toBe(403);
    expect(none.map(({ customer: each }) => each)).toEqual(ids.slice(0, 3));
    expect(refused.status).toBe(403);
  });

  it.each([
    ['sort=nothing', 'sort'],
    ['sort=note', 'sort'],
    ['sort=customer.name,number', 'sort'],
    ['expand=number', 'expand'],
    ['customer.nothing=1', 'customer.nothing'],
  ])('refuses %s and names it', async (query, parameter) => {
    const { get } = await aShop(1);

    const { status, body } = await get(`${EXPORT}?${query}`);

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ parameter }]);
  });

  it('of more records than memory is for says which index sorts them', async () => {
    const { get } = await aShop(20_001);

    const { status, body } = await get(`${EXPORT}?sort=-city,number`);
    const few = await get(`${EXPORT}?sort=-city,number&number[lt]=10`);

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ parameter: 'sort', code: 'SORT_NEEDS_INDEX' }]);
    expect(few.status).toBe(200);
  }, 60_000);

  it('that is long is written by a job, in its order and with what it refers to', async () => {
    const count = 700;
    const world = await aShop(count, 'x'.repeat(20_000));
    const { get, runJobs, storage, state } = world;

    const query = 'format=ndjson&sort=-customer.name&expand=customer&customer.region=north,south';
    const started = await get(`${EXPORT}?${query}`);
    await runJobs();
    const [file] = storage.files.values();
    const lines = Buffer.from(file ?? [])
      .toString()
      .trimEnd()
      .split('\n');
    const records = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const done = await get(String(started.headers.location));
    state.decide = (target) =>
      target !== 'customers' || { allowed: true, rowFilter: { region: 'north' } };
    const narrowed = await get(String(started.headers.location));

    expect(started.status).toBe(202);
    expect(done.body).toMatchObject({ state: 'DONE', processed: count });
    expect(numbers(records)).toEqual(
      [0, 2, 3, 1].flatMap((of) =>
        Array.from({ length: count / 4 }, (_, at) => at * 4 + of).toReversed(),
      ),
    );
    expect(records[0]).toMatchObject({ customer: { name: 'Dũng' } });
    expect(done.body.url ?? done.text).toBeTruthy();
    // What was seen of the customers is not seen any more.
    expect(narrowed.body.result).toMatchObject({ code: 'GRANT_CHANGED' });
  }, 60_000);
});
