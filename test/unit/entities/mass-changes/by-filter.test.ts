import { describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS, storeAesKey } from '../entities-api.ts';
import { all, type Body, done, LOANS, loans, UNITS, unit, versions } from './loans.ts';

describe('a change by filter', () => {
  it('changes the records that meet it, and says how many', async () => {
    const api = await loans(40);
    const job = await done(api, 'bulk:update', {
      filter: { status: 'open', number: { lt: 20 } },
      data: { status: 'closed' },
    });
    expect(job).toMatchObject({
      ...{ kind: 'BULK_UPDATE', state: 'DONE', processed: 10 },
      result: { dryRun: false, updated: 10, unchanged: 0, failed: 0, failures: [] },
    });
    expect(await all(api, '&status=open')).toHaveLength(10);
    const [first] = await all(api);
    const { body } = await api.get(`${LOANS}/${first?.id}/history`);
    expect(body.totalElements ?? contentOf({ body } as ApiAnswer).length).toBe(2);
  });

  it('changes each once, though it meets the filter afterwards as well', async () => {
    const api = await loans(1_203);
    const job = await done(api, 'bulk:update', { filter: {}, data: { note: 'changed' } });
    expect(job).toMatchObject({ processed: 1_203, result: { updated: 1_203, failed: 0 } });
    const counted = await api.get(`${LOANS}/count?note=changed&version=2&count=exact`);
    expect(counted.body).toEqual({ count: 1_203, relation: 'eq' });
  });

  it('counts those that are like that already, and leaves them alone', async () => {
    const api = await loans(10);
    const job = await done(api, 'bulk:update', { filter: {}, data: { status: 'open' } });
    expect(job).toMatchObject({ processed: 10, result: { updated: 5, unchanged: 5, failed: 0 } });
    expect(versions(await all(api))).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
  });

  it('keeps the rules of the schema, and names the first failures', async () => {
    const api = await loans(12);
    const job = await done(api, 'bulk:update', { filter: { status: 'open' }, data: { code: 'X' } });
    expect(job).toMatchObject({ processed: 6, result: { updated: 1, failed: 5 } });
    const { failures } = job.result as { failures: readonly Body[] };
    expect(failures).toHaveLength(5);
    expect(failures[0]).toMatchObject({ id: expect.any(String), code: 'UNIQUE', field: 'code' });
    const long = await done(api, 'bulk:update', { filter: {}, data: { note: 'x'.repeat(21) } });
    expect(long).toMatchObject({
      result: { updated: 0, failed: 12, failures: { length: 12, 0: { field: 'note' } } },
    });
  });

  it('leaves records alone that are made after the call', async () => {
    const api = await loans(3);
    const started = await api.post(`${LOANS}/bulk:update`, { filter: {}, data: { note: 'late' } });
    api.context.clock.advance(1_000);
    await api.post(LOANS, { number: 99, note: 'n' });
    await api.runJobs();
    expect((await api.get(String(started.headers.location))).body).toMatchObject({ processed: 3 });
    expect((await all(api, '&note=n')).map(({ number }) => number)).toEqual([99]);
  });

  it('changes each once, though one of them is being deleted meanwhile', async () => {
    const api = anEntitiesApi();
    await api.define(unit);
    const root = (await api.post(UNITS, { name: 'root' })).body.id;
    const operations = Array.from({ length: 250 }, (_, at) => ({
      ...{ op: 'create', data: { name: `below ${at}`, parentId: root } },
    }));
    await api.post(`${UNITS}/bulk`, { operations });
    await api.post(UNITS, { name: 'other' });
    expect((await api.remove(`${UNITS}/${root}?cascade=true`)).status).toBe(202);
    const filter = { name: { in: ['root', 'other'] } };
    const started = await api.post(`${UNITS}/bulk:update`, { filter, data: { old: true } });
    const wake = api.context.bus.events.find(({ envelope }) =>
      JSON.stringify(envelope).includes(String(started.body.id)),
    );
    if (wake) await api.deliver(wake.envelope);
    expect((await api.get(String(started.headers.location))).body).toMatchObject({
      ...{ state: 'DONE', processed: 2 },
      result: { updated: 1, unchanged: 0, failed: 1, failures: [{ code: 'DELETION_IN_PROGRESS' }] },
    });
  });

  it('keeps values of encrypted fields nowhere in the clear', async () => {
    const api = anEntitiesApi();
    await storeAesKey(api.context);
    const properties = {
      name: { type: 'string' },
      secret: { type: 'string', 'x-encrypted': true },
      gone: { type: 'string', 'x-encrypted': true },
    };
    await api.define({ code: 'person', name: 'P', uiSchemaJson: { type: 'object', properties } });
    const people = `${RECORDS}/person`;
    await api.post(people, { name: 'a', secret: 'before', gone: 'before' });
    const data = { name: 'b', secret: 'CANARY', gone: null };
    const started = await api.post(`${people}/bulk:update`, { filter: {}, data });
    for (const isOver of [false, true]) {
      expect(JSON.stringify(api.context.db.items()), String(isOver)).not.toContain('CANARY');
      await api.runJobs();
    }
    expect((await api.get(String(started.headers.location))).body).toMatchObject({
      result: { updated: 1 },
    });
    const [person] = contentOf(await api.get(people));
    expect(person).toMatchObject({ name: 'b', secret: 'CANARY' });
    expect(person).not.toHaveProperty('gone');
  });

  it('takes today as the day of the call', async () => {
    const api = await loans(2);
    const [one] = await all(api);
    await api.put(`${LOANS}/${one?.id}`, { due: '2026-03-01' });
    api.context.clock.advance(Date.parse('2026-03-01T23:59:59Z') - api.context.clock.now());
    const job = await done(api, 'bulk:update', { filter: { due: 'today' }, data: { note: 'due' } });
    expect(job).toMatchObject({ result: { updated: 1 } });
  });

  it('does not follow a record that has left the filter meanwhile', async () => {
    const api = await loans(6);
    const stop = api.context.db.before('TransactWriteItems', async (input) => {
      if (!JSON.stringify(input).includes('L#')) return;
      stop();
      const [first] = await all(api, '&status=open');
      await api.put(`${LOANS}/${first?.id}`, { status: 'closed' });
    });
    const job = await done(api, 'bulk:update', { filter: { status: 'open' }, data: { note: 'x' } });
    const changed = await all(api, '&note=x');
    expect(changed.every(({ status }) => status === 'open')).toBe(true);
    expect(job).toMatchObject({ processed: changed.length, result: { updated: changed.length } });
  });

  it('ends after the step that is under way when it is cancelled', async () => {
    const api = await loans(20);
    const started = await api.post(`${LOANS}/bulk:update`, { filter: {}, data: { note: 'x' } });
    const cancelled = await api.post(`${started.headers.location}:cancel`);
    expect(cancelled.status, cancelled.text).toBe(202);
    await api.runJobs();
    expect((await api.get(String(started.headers.location))).body).toMatchObject({
      state: 'CANCELLED',
    });
    expect(await all(api, '&note=x')).toHaveLength(0);
  });

  it('starts once for one Idempotency-Key', async () => {
    const api = await loans(2);
    const body = { filter: {}, data: { note: 'x' } };
    const headers = { 'idempotency-key': 'one' };
    const first = await api.post(`${LOANS}/bulk:update`, body, { headers });
    const again = await api.post(`${LOANS}/bulk:update`, body, { headers });
    expect(again.body.id).toBe(first.body.id);
    expect(again.headers.location).toBe(first.headers.location);
  });
});

describe('a deletion by filter', () => {
  it('moves records to the trash', async () => {
    const api = await loans(30);
    const job = await done(api, 'bulk:delete', { filter: { status: 'open' } });
    expect(job).toMatchObject({
      ...{ kind: 'BULK_DELETE', state: 'DONE', processed: 15 },
      result: { dryRun: false, deleted: 15, failed: 0 },
    });
    expect(await all(api)).toHaveLength(15);
    expect(contentOf(await api.get(`${LOANS}/trash?size=100`))).toHaveLength(15);
  });

  it('takes records below others before them, and keeps those above records that stay', async () => {
    const api = anEntitiesApi();
    await api.define(unit);
    const units = UNITS;
    const make = async (name: string, parentId?: unknown, old = true) =>
      (await api.post(units, { name, old, ...(parentId ? { parentId } : {}) })).body.id;
    const root = await make('root');
    const middle = await make('middle', root);
    await make('leaf', middle);
    const other = await make('other');
    await make('young', other, false);
    const foretold = await api.post(`${units}/bulk:delete`, {
      filter: { old: true },
      dryRun: true,
    });
    const started = await api.post(`${units}/bulk:delete`, { filter: { old: true } });
    await api.runJobs();
    const expected = { processed: 4, result: { deleted: 3, failed: 1 } };
    expect((await api.get(String(foretold.headers.location))).body).toMatchObject({
      ...expected,
      result: { dryRun: true, failures: [{ id: other, code: 'HAS_CHILDREN' }] },
    });
    expect((await api.get(String(started.headers.location))).body).toMatchObject(expected);
    const left = contentOf(await api.get(`${units}?sort=name`)).map(({ name }) => name);
    expect(left).toEqual(['other', 'young']);
  });

  it('takes trees of many levels, as its dry run says', async () => {
    const api = anEntitiesApi();
    await api.define(unit);
    let parentId: unknown;
    for (let level = 0; level < 30; level += 1) {
      const body = { name: 'a', ...(level > 0 && { parentId }) };
      parentId = (await api.post(UNITS, body)).body.id;
    }
    for (const dryRun of [true, false]) {
      const started = await api.post(`${UNITS}/bulk:delete`, { filter: {}, dryRun });
      await api.runJobs();
      expect((await api.get(String(started.headers.location))).body).toMatchObject({
        ...{ state: 'DONE', processed: 30 },
        result: { deleted: 30, failed: 0, failures: [] },
      });
    }
  });

  it('is refused for records that others refer to, unless those go as well', async () => {
    const api = await loans(4);
    await api.define({
      ...{ code: 'fine', name: 'Fine' },
      uiSchemaJson: {
        type: 'object',
        properties: { loan: { type: 'string', 'x-reference': { entity: 'loan' } } },
      },
    });
    const [first] = await all(api);
    await api.post(`${RECORDS}/fine`, { loan: first?.id });
    for (const dryRun of [true, false]) {
      expect(await done(api, 'bulk:delete', { filter: {}, dryRun })).toMatchObject({
        result: {
          dryRun,
          deleted: 3,
          failed: 1,
          failures: [{ id: first?.id, code: 'REFERENCED' }],
        },
      });
    }
  });
});

describe('a dry run', () => {
  it.each([
    [{ status: 'open' }, { updated: 10, unchanged: 10, failed: 0 }],
    [{ note: 'x'.repeat(30) }, { updated: 0, unchanged: 0, failed: 20 }],
    [{ code: 'X' }, { updated: 1, unchanged: 0, failed: 19 }],
  ])('of %j foretells %j and changes nothing', async (data, expected) => {
    const api = await loans(20);
    const job = await done(api, 'bulk:update', { filter: {}, data, dryRun: true });
    expect(job).toMatchObject({
      state: 'DONE',
      processed: 20,
      result: { dryRun: true, ...expected },
    });
    expect(new Set(versions(await all(api)))).toEqual(new Set([1]));
    expect(await done(api, 'bulk:update', { filter: {}, data })).toMatchObject({
      result: expected,
    });
  });

  it('of moves in a tree foretells those that are not possible', async () => {
    const api = anEntitiesApi();
    await api.define(unit);
    const make = async (body: Body) => (await api.post(UNITS, body)).body.id;
    const root = await make({ name: 'root' });
    const below = await make({ name: 'below', parentId: root });
    const leaf = await make({ name: 'leaf', parentId: below });
    for (let at = 0; at < 5; at += 1) await make({ name: `other ${at}` });
    for (const dryRun of [true, false]) {
      const body = { filter: {}, data: { parentId: leaf }, dryRun };
      const started = await api.post(`${UNITS}/bulk:update`, body);
      await api.runJobs();
      expect((await api.get(String(started.headers.location))).body).toMatchObject({
        state: 'DONE',
        result: {
          ...{ updated: 5, unchanged: 0, failed: 3 },
          failures: [root, below, leaf].map((id) => ({ id, code: 'HIERARCHY_CYCLE' })),
        },
      });
    }
  });

  it('of a deletion foretells what stays above a record that stays, or is referred to by it', async () => {
    const api = anEntitiesApi();
    const text = { type: 'string' };
    const refersTo = (entity: string) => ({ ...text, 'x-reference': { entity } });
    await api.define(unit);
    const next = { type: 'object', properties: { name: text, next: refersTo('unit') } };
    await api.put(`${DEFINITIONS}/code/unit/schema`, next);
    const properties = { unit: refersTo('unit') };
    await api.define({ code: 'use', name: 'Use', uiSchemaJson: { type: 'object', properties } });
    await api.runJobs();
    const make = async (body: Body) => (await api.post(UNITS, body)).body.id;
    const pointedTo = await make({ name: 'pointed to' });
    const root = await make({ name: 'root' });
    const below = await make({ name: 'below', parentId: root });
    const leaf = await make({ name: 'leaf', parentId: below, next: pointedTo });
    for (let at = 0; at < 3; at += 1) await make({ name: `other ${at}`, parentId: below });
    await api.post(`${RECORDS}/use`, { unit: leaf });
    api.context.clock.advance(1_000);
    for (const dryRun of [true, false]) {
      const started = await api.post(`${UNITS}/bulk:delete`, { filter: {}, dryRun });
      await api.runJobs();
      expect((await api.get(String(started.headers.location))).body).toMatchObject({
        state: 'DONE',
        result: {
          ...{ deleted: 3, failed: 4 },
          failures: [
            { id: pointedTo, code: 'REFERENCED' },
            { id: root, code: 'HAS_CHILDREN' },
            { id: below, code: 'HAS_CHILDREN' },
            { id: leaf, code: 'REFERENCED' },
          ],
        },
      });
    }
  });

  it('of a deletion deletes nothing', async () => {
    const api = await loans(7);
    const job = await done(api, 'bulk:delete', { filter: { status: 'open' }, dryRun: true });
    expect(job).toMatchObject({ result: { dryRun: true, deleted: 4, failed: 0 } });
    expect(await all(api)).toHaveLength(7);
  });
});
