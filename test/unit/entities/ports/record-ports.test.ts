import { describe, expect, it } from 'vitest';
import { recordsPort, recordWritesPort } from '../../../../functions/entities/index.ts';
import type { Host } from '../../../../shared/host/host.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import { notExists } from '../../../../shared/store/conditions.ts';
import { principalOf } from '../../../helpers/api/principals.ts';
import { admin } from '../../../helpers/api/test-tokens.ts';
import { aContext } from '../../../helpers/world/a-context.ts';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;
const mai = { name: 'Mai', email: 'mai@example.com', status: 'open', city: 'Huế' };
const closed = { name: 'Lan', email: 'lan@example.com', status: 'closed' };
const clerk = { sub: 'clerk', roles: ['clerk'] };
const caller = principalOf(admin);

/** Clerks see open customers, without their city. */
const host: Host = {
  permissionEvaluator: {
    hasPermission: ({ roles }, _target, action) =>
      roles.includes('admin') ||
      (action === 'view' && {
        allowed: true,
        rowFilter: { status: 'open' },
        fields: ['name', 'status'],
      }),
  },
};

/** Customers, and the ports in the function of another module. */
async function customers(...records: readonly object[]) {
  const api = anEntitiesApi({ host });
  await api.define(aCustomerEntity({ requirePermission: true }));
  const ids: string[] = [];
  for (const record of records) ids.push(String((await api.post(CUSTOMERS, record)).body.id));
  const shop = aContext({ module: 'shop', host, besides: api.context });
  return {
    ...api,
    ids,
    shop,
    records: bindPort(recordsPort, shop).use(),
    writes: bindPort(recordWritesPort, shop).use(),
  };
}

const order = { pk: 'SHOP#1', sk: 'order' };

describe('the port of records that are read', () => {
  it.each([admin, clerk])('shows what the GET of its caller shows: %j', async (who) => {
    const { get, records, ids } = await customers(mai, closed);
    const id = ids[0] ?? '';

    const one = await get(`${CUSTOMERS}/${id}`, { caller: who });
    const list = await get(`${CUSTOMERS}?sort=-name`, { caller: who });

    expect(await records.get('customer', id, principalOf(who))).toEqual(one.body);
    const found = await records.list(
      'customer',
      { parameters: { sort: '-name' } },
      principalOf(who),
    );
    expect(found.content).toEqual(contentOf(list));
  });

  it('reads no large texts that are not asked for', async () => {
    const { define, post, shop, context } = await customers();
    const long = { type: 'string', format: 'textarea' };
    const properties = { name: { type: 'string' }, text: long };
    await define({ code: 'paper', name: 'P', uiSchemaJson: { type: 'object', properties } });
    const body = { name: 'a', text: 'x'.repeat(100_000) };
    const { id } = (await post(`${RECORDS}/paper`, body)).body;
    const records = bindPort(recordsPort, shop).use();
    const reading = async (shown: { readonly fields?: string }) => {
      context.db.meter.reset();
      const record = await records.get('paper', String(id), caller, shown);
      return { record, units: context.db.meter.total().readUnits };
    };
    await reading({});

    const all = await reading({});
    const name = await reading({ fields: 'name' });

    expect(all.record).toMatchObject(body);
    expect(name.record).toMatchObject({ name: 'a' });
    expect(name.record).not.toHaveProperty('text');
    expect(name.units).toBeLessThan(all.units / 5);
  });

  it('hides what the caller may not see', async () => {
    const { records, ids } = await customers(mai, closed);
    const read = (id = '', sub = clerk) => records.get('customers', id, principalOf(sub));

    expect(await read(ids[0])).not.toHaveProperty('city');
    await expect(read(ids[1])).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    await expect(records.get('nobody', ids[0] ?? '', caller)).rejects.toMatchObject({
      code: 'ENTITY_NOT_FOUND',
    });
  });

  it.each([0, -1, 1.5, 201, 1e9, Number.NaN])('refuses a page of %d records', async (size) => {
    const { records } = await customers(mai);

    await expect(records.list('customer', { size }, caller)).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
      errors: [{ parameter: 'size' }],
    });
  });

  it('writes nothing, not even what an interrupted change has left over', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 95 }, (_, at) => [`f${at}`, { type: 'string' }]),
    );
    const wide = (text: string) =>
      Object.fromEntries(Object.keys(fields).map((code) => [code, text]));
    const { define, post, put, get, records, context } = await customers();
    await define({ code: 'wide', uiSchemaJson: { type: 'object', properties: fields }, name: 'W' });
    const { body } = await post(`${RECORDS}/wide`, wide('a'));
    let commits = 0;
    const revive = context.db.before('TransactWriteItems', () => {
      commits += 1;
      if (commits === 2) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    });
    await put(`${RECORDS}/wide/${body.id}`, wide('b'));
    revive();
    const pending = () => context.db.items().filter(({ sk }) => sk === 'PENDING').length;
    context.db.meter.reset();

    const seen = await records.get('wide', String(body.id), caller);

    expect([seen.f0, pending()]).toEqual(['b', 1]);
    expect(context.db.meter.total().writeUnits).toBe(0);
    await get(`${RECORDS}/wide/${body.id}`);
    expect(pending()).toBe(0);
  });
});

describe('the port of records that are written', () => {
  it('writes in the unit of work of its caller, in one transaction', async () => {
    const { get, writes, ids, shop } = await customers(mai);
    const id = ids[0] ?? '';
    shop.db.meter.reset();

    const made = await shop.unitOfWork(async (unit) => {
      unit.put({ ...order, type: 'order' });
      await writes.update('customer', id, { city: 'Vinh' }, caller);
      return writes.create('customer', closed, caller);
    });

    const { requests } = shop.db.meter.total();
    expect(requests.filter((request) => request.startsWith('TransactWriteItems'))).toHaveLength(1);
    expect((await get(`${CUSTOMERS}/${id}`)).body).toMatchObject({ city: 'Vinh', version: 2 });
    expect((await get(`${CUSTOMERS}/${made.id}`)).body).toMatchObject(closed);
    expect(await shop.table.get(order)).toBeDefined();
  });

  it('refers to one record from several entities in one unit', async () => {
    const { define, get, writes, ids, shop } = await customers(mai);
    const [customer] = ids;
    const reference = { type: 'string', 'x-reference': { entity: 'customer' } };
    const uiSchemaJson = { type: 'object', properties: { customer: reference } };
    const codes = ['visit', 'call'];
    for (const code of codes) await define({ code, name: code, uiSchemaJson });

    await shop.unitOfWork(async () => {
      for (const code of codes) await writes.create(code, { customer }, caller);
    });

    for (const code of codes) expect(contentOf(await get(`${RECORDS}/${code}`))).toHaveLength(1);
    const lost = shop.unitOfWork(async () => {
      await writes.delete('customer', customer ?? '', caller);
      for (const code of codes) await writes.create(code, { customer }, caller);
    });
    await expect(lost).rejects.toMatchObject({ status: expect.any(Number) });
  });

  it('writes before the commit of the unit, too, with its unique values, counts and numbers', async () => {
    const { define, get, post, writes, shop } = await customers();
    const text = { type: 'string' };
    const properties = {
      number: { ...text, 'x-number': 'A{0}' },
      email: { ...text, 'x-unique': true },
    };
    await define({ code: 'bill', name: 'Bill', uiSchemaJson: { type: 'object', properties } });
    const bills = `${RECORDS}/bill`;

    await shop.unitOfWork(async (unit) => {
      await writes.create('bill', { email: 'a' }, caller);
      unit.beforeCommit(async () => {
        await writes.create('bill', { email: 'b' }, caller);
      });
    });

    expect((await post(bills, { email: 'b' })).status).toBe(409);
    expect((await post(bills, { email: 'c' })).body).toMatchObject({ number: 'A3' });
    const found = contentOf(await get(`${bills}?sort=number`));
    expect(found.map(({ number }) => number)).toEqual(['A1', 'A2', 'A3']);
    expect((await get(`${bills}/count?count=exact`)).body).toMatchObject({ count: 3 });
  });

  it('writes nothing when the unit of its caller fails, and lets that fail by its own rules', async () => {
    const { get, writes, ids, shop } = await customers(mai, closed);
    const id = ids[0] ?? '';
    const taken = new Error('taken');
    await shop.unitOfWork(async (unit) => unit.put({ ...order, type: 'order' }));

    const late = shop.unitOfWork(async (unit) => {
      await writes.update('customer', id, { city: 'Vinh' }, caller);
      unit.put({ ...order, type: 'order' }, { condition: notExists, otherwise: () => taken });
    });
    const twice = shop.unitOfWork(async (unit) => {
      unit.put({ ...order, sk: 'second', type: 'order' });
      await writes.update('customer', id, { email: closed.email }, caller);
    });

    await expect(late).rejects.toBe(taken);
    await expect(twice).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' });
    expect((await get(`${CUSTOMERS}/${id}`)).body).toMatchObject({ ...mai, version: 1 });
    expect(await shop.table.get({ ...order, sk: 'second' })).toBeUndefined();
  });

  it('asks the host as the endpoints do', async () => {
    const { writes, ids } = await customers(mai);
    const id = ids[0] ?? '';
    const forbidden = { code: 'FORBIDDEN' };

    const who = principalOf(clerk);
    await expect(writes.create('customer', closed, who)).rejects.toMatchObject(forbidden);
    await expect(writes.update('customer', id, {}, who)).rejects.toMatchObject(forbidden);
    await expect(writes.delete('customer', id, who)).rejects.toMatchObject(forbidden);
  });

  it('deletes, and honours the version that the caller has seen', async () => {
    const { get, writes, ids } = await customers(mai);
    const id = ids[0] ?? '';

    const stale = writes.delete('customer', id, caller, { version: 7 });

    await expect(stale).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await writes.delete('customer', id, caller, { version: 1 });
    expect((await get(`${CUSTOMERS}/${id}`)).status).toBe(404);
  });
});
