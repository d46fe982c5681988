import { describe, expect, it } from 'vitest';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS, storeAesKey } from '../entities-api.ts';
import { CUSTOMERS, namesOf, path, withCustomers } from './customers.ts';

describe('a wide record', () => {
  const wide = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 95 }, (_, at) => [`f${at}`, { type: 'string', 'x-unique': at === 0 }]),
    ),
  };
  const all = (value: string) =>
    Object.fromEntries(Array.from({ length: 95 }, (_, at) => [`f${at}`, `${value}${at}`]));

  it('is stored, found, changed and deleted with all its fields', async () => {
    const { post, put, get, remove, context, ids } = await withCustomers([all('a')], {
      uiSchemaJson: wide,
    });

    const changed = await put(path(ids[0]), all('b'));
    const [old, current] = [
      await get(`${CUSTOMERS}?f90=a90`),
      await get(`${CUSTOMERS}?f90=b90&sort=f7`),
    ];
    const taken = await post(CUSTOMERS, { ...all('c'), f0: 'B0' });
    await remove(path(ids[0]));

    expect(changed.status, changed.text).toBe(200);
    expect(old.body).toMatchObject({ content: [], totalElements: 0 });
    expect(contentOf(current)).toMatchObject([all('b')]);
    expect(taken.status).toBe(409);
    const rows = context.db
      .items()
      .filter(
        ({ pk, sk }) =>
          String(pk).startsWith('DYN_FIELD_VALUE') && String(sk).includes(String(ids[0])),
      );
    expect(rows).toEqual([]);
  });

  it('is not seen when its commit fails', async () => {
    const { post, get, context } = await withCustomers([], { uiSchemaJson: wide });
    context.db.failNext('network', { operation: 'TransactWriteItems' });

    const failed = await post(CUSTOMERS, all('a'));

    expect(failed.status).toBe(503);
    expect((await get(`${CUSTOMERS}?f1=a1`)).body).toMatchObject({ content: [], totalElements: 0 });
    expect((await get(CUSTOMERS)).body).toMatchObject({ content: [] });
  });
});

describe('secrets', () => {
  it('of writeOnly fields never come back, those of encrypted fields only in the clear', async () => {
    const properties = {
      name: { type: 'string' },
      pin: { type: 'string', writeOnly: true },
      tax: { type: 'string', 'x-encrypted': true },
    };
    const { put, get, context } = await withCustomers([], {
      uiSchemaJson: { type: 'object', properties },
    });
    await storeAesKey(context);
    const { post } = anEntitiesApi({ besides: context });

    const made = await post(CUSTOMERS, { name: 'a', pin: '1234', tax: 'T-1' });
    const changed = await put(path(String(made.body.id)), { name: 'b' });
    const read = await get(path(String(made.body.id)));

    expect(made.body, made.text).toMatchObject({ name: 'a', tax: 'T-1' });
    expect(changed.body).toMatchObject({ name: 'b', tax: 'T-1' });
    expect(read.body).toMatchObject({ tax: 'T-1' });
    expect(read.body).not.toHaveProperty('pin');
    expect(JSON.stringify(context.db.items())).not.toContain('T-1');
  });
});

describe('history and events', () => {
  it('tell what changed, where the entity asks for them', async () => {
    const { put, get, context, ids } = await withCustomers([{ name: 'a', city: 'Huế' }], {
      options: { history: true, events: 'full' },
    });

    await put(path(ids[0]), { city: 'Hà Nội' });
    const history = await get(`${path(ids[0])}/history`);

    expect(contentOf(history)).toMatchObject([
      {
        version: 2,
        action: 'UPDATED',
        changes: [{ field: 'city', before: 'Huế', after: 'Hà Nội' }],
      },
      { version: 1, action: 'CREATED' },
    ]);
    const events = context.bus.events.filter(({ type }) => type === 'dynamic-record');
    expect(events.map(({ envelope }) => envelope)).toMatchObject([
      { subject: `customer/${ids[0]}`, data: { action: 'CREATED', version: 1 } },
      {
        data: {
          action: 'UPDATED',
          changedFields: ['city'],
          before: { city: 'Huế' },
          after: { city: 'Hà Nội' },
        },
      },
    ]);
  });

  it('are not there otherwise', async () => {
    const { get, context, ids } = await withCustomers([{ name: 'a' }]);

    expect(contentOf(await get(`${path(ids[0])}/history`))).toEqual([]);
    expect(context.bus.events.map(({ type }) => type)).toEqual(['dynamic-entity-definition']);
  });
});

describe('what another environment declares', () => {
  it('works at once, though this one has the definition in its cache', async () => {
    const { post, put, get, context } = await withCustomers([{ name: 'a' }]);
    const other = anEntitiesApi({ besides: context });
    const wider = {
      type: 'object',
      properties: { name: { type: 'string' }, nick: { type: 'string' } },
    };

    await other.put(`${DEFINITIONS}/code/customer/schema`, wider);
    const made = await post(CUSTOMERS, { name: 'b', nick: 'bee' });
    await other.define({ code: 'order', name: 'Order', uiSchemaJson: wider });
    const first = await post(`${RECORDS}/order`, { name: 'o' });
    const filtered = await get(`${CUSTOMERS}?nick=bee`);
    void put;

    expect(made.status, made.text).toBe(201);
    expect(first.status).toBe(201);
    expect(namesOf(filtered)).toEqual(['b']);
  });
});

describe('costs of one record', () => {
  it('are one request to read and create, two to change and delete', async () => {
    const { get, post, put, remove, context, ids } = await withCustomers([
      { name: 'a', status: 'open' },
    ]);
    const { meter } = context.db;
    const cost = async (work: () => Promise<unknown>) => {
      const { requests } = await meter.costOf(work);
      return requests.filter((request) => !request.startsWith('GetItem')).length;
    };
    await get(path(ids[0]));

    expect(await cost(() => get(path(ids[0])))).toBe(1);
    expect(await cost(() => post(CUSTOMERS, { name: 'b' }))).toBe(1);
    expect(await cost(() => put(path(ids[0]), { status: 'wip' }))).toBe(2);
    expect(await cost(() => remove(path(ids[0])))).toBe(2);
  });
});
