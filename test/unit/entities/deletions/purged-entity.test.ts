import { describe, expect, it } from 'vitest';
import { aCustomerEntity, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, type InterruptibleApi } from './interrupted.ts';

const CUSTOMERS = `${RECORDS}/customer`;
const CODE = `${DEFINITIONS}/code/customer`;
const ORDERS = `${RECORDS}/order`;

/** Customers in a tree with everything that a record may have, orders that refer to them, and a region they refer to. */
async function withCustomers() {
  const api = anInterruptibleApi();
  const { define, post, remove } = api;
  const text = { type: 'string' };
  await define({
    code: 'region',
    name: 'Region',
    uiSchemaJson: { type: 'object', properties: { name: text } },
  });
  await defineCustomers(api);
  const buyer = { type: 'string', 'x-reference': { entity: 'customer' } };
  await define({
    code: 'order',
    name: 'Order',
    uiSchemaJson: { type: 'object', properties: { name: text, buyer } },
  });
  const ids: string[] = [];
  for (let at = 0; at < 12; at += 1) {
    const { body } = await post(CUSTOMERS, {
      name: `Customer ${at}`,
      email: `c${at}@example.com`,
      status: 'open',
      tags: ['a', 'b'],
      notes: 'n'.repeat(at === 3 ? 310_000 : 10),
      ...(ids[0] && { parentId: ids[0] }),
    });
    ids.push(String(body.id));
  }
  await remove(`${CUSTOMERS}/${ids[5]}`);
  return api;
}

function defineCustomers({ define }: InterruptibleApi) {
  const { uiSchemaJson, ...entity } = aCustomerEntity({ hierarchical: true });
  const region = { type: 'string', 'x-reference': { entity: 'region' } };
  return define({
    ...entity,
    options: { history: true, shards: 2 },
    uiSchemaJson: { ...uiSchemaJson, properties: { ...uiSchemaJson.properties, region } },
  });
}

/** Items that name the entity, without ended jobs, which expire. */
const itemsOf = ({ context }: InterruptibleApi): string[] =>
  context.db
    .items()
    .filter(({ pk, job }) => String(pk).startsWith('DYN_') && job === undefined)
    .map(({ pk, sk }) => `${pk} / ${sk}`)
    .filter((key) => key.includes('customer'));

describe('an entity that is purged', () => {
  it('leaves no item, object or open job to its successor', async () => {
    const api = await withCustomers();
    const { get, post, remove, settle, files, items } = api;
    const before = itemsOf(api).length;

    const deleted = await remove(`${CODE}?force=true&purge=true`);
    await settle();
    const left = itemsOf(api);
    await defineCustomers(api);

    expect([deleted.status, before > 100]).toEqual([204, true]);
    expect(left).toEqual(['DYN_ENTITY_DEFINITION#customer / INCOMING']);
    expect([files.size, items('DYN_OPEN_WORK').length]).toEqual([0, 0]);
    expect((await get(CUSTOMERS)).body).toMatchObject({ totalElements: 0 });
    expect((await get(`${CUSTOMERS}/facets?fields=status`)).body).toEqual({ status: [] });
    const again = await post(CUSTOMERS, { name: 'a', email: 'c1@example.com' });
    expect(again.status, again.text).toBe(201);
    expect(contentOf(await get(`${CUSTOMERS}/${again.body.id}/history`))).toHaveLength(1);
  });

  it('leaves to its successor who refers to it, so that its records are guarded', async () => {
    const api = await withCustomers();
    const { post, remove, settle } = api;
    await remove(`${CODE}?force=true&purge=true`);
    await settle();
    await defineCustomers(api);
    const { body } = await post(CUSTOMERS, { name: 'a' });
    const order = await post(ORDERS, { buyer: body.id });

    const refused = await remove(`${CUSTOMERS}/${body.id}`);

    expect(order.status).toBe(201);
    expect(refused).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(itemsOf(api).filter((key) => key.endsWith('INCOMING'))).toEqual([]);
  });

  it('is no longer looked for by what it referred to', async () => {
    const api = await withCustomers();
    const { remove, settle, context } = api;
    await remove(`${CODE}?force=true&purge=true`);
    await settle();

    const region = context.db
      .items()
      .find(({ pk, sk }) => pk === 'DYN_ENTITY_DEFINITION#region' && sk === 'META');
    expect(region).toMatchObject({ head: { incoming: [] } });
  });

  it('cannot be restored, and is purged to its end wherever the job is killed', async () => {
    const api = await withCustomers();
    const { post, remove, runTask, settle, context, dieAt, files } = api;
    await remove(`${CODE}?force=true&purge=true`);

    const answers: number[] = [];
    for (const requests of [2, 9, 20, 45, 60, 70, 80]) {
      context.clock.advance(4_000_000);
      await runTask('entities.sweep');
      const revive = dieAt(requests);
      await api.runJobs();
      revive();
      answers.push((await post(`${CODE}/restore`)).status);
    }
    context.clock.advance(4_000_000);
    await settle();

    expect(new Set(answers)).toEqual(new Set([404]));
    expect(itemsOf(api)).toEqual(['DYN_ENTITY_DEFINITION#customer / INCOMING']);
    expect(files.size).toBe(0);
  });

  it('is purged to its end wherever the job is killed once', async () => {
    const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
    const small = { code: 'customer', name: 'Customer', apiPath: 'customers', uiSchemaJson };
    for (let nth = 0, isOver = false; !isOver; nth += 1) {
      const api = anInterruptibleApi();
      const { define, post, remove, runTask, runJobs, items, context } = api;
      await define(small);
      const { body } = await post(CUSTOMERS, { name: 'a' });
      await remove(`${CUSTOMERS}/${body.id}`);
      await remove(`${CODE}?force=true&purge=true`);
      const revive = api.dieAt(nth);
      await runJobs();
      isOver = !revive();
      context.clock.advance(4_000_000);
      await runTask('entities.sweep');
      const stop = api.dieAt(300);
      await runJobs();

      expect([stop(), itemsOf(api)], `request ${nth}`).toEqual([false, []]);
      expect(items('DYN_JOB').filter(({ pk }) => pk === 'DYN_JOB')).toEqual([]);
      expect((await define(small)).status, `request ${nth}`).toBe(201);
    }
  }, 120_000);

  it('may have been deleted before', async () => {
    const api = await withCustomers();
    const { remove, post, settle } = api;
    await remove(`${CODE}?force=true`);

    const purged = await remove(`${CODE}?force=true&purge=true`);
    const restored = await post(`${CODE}/restore`);
    await settle();

    expect([purged.status, restored.status]).toEqual([204, 404]);
    expect(itemsOf(api)).toEqual(['DYN_ENTITY_DEFINITION#customer / INCOMING']);
  });

  it('ends its unfinished jobs, which would go on in its successor', async () => {
    const api = await withCustomers();
    const { post, get, remove, settle, runTask, context } = api;
    const rows = Array.from({ length: 600 }, (_, at) => ({ name: `row ${at}` }));
    await post(`${CUSTOMERS}/import`, rows);
    const revive = api.dieAt(0);
    await api.runJobs();
    revive();
    await remove(`${CODE}?force=true&purge=true`);
    await api.runJobs();
    await defineCustomers(api);
    context.clock.advance(4_000_000);
    await runTask('entities.sweep');
    await settle();

    expect((await get(`${CUSTOMERS}/count`)).body.count).toBe(0);
    expect(context.db.items().filter(({ pk }) => pk === 'DYN_JOB')).toEqual([]);
  });
});
