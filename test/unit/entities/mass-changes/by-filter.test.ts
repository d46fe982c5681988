import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import {
  anInterruptibleApi,
  type InterruptibleApi,
  interruptEverywhere,
} from '../deletions/interrupted.ts';
import {
  anEntitiesApi,
  contentOf,
  type EntitiesApi,
  RECORDS,
  storeAesKey,
} from '../entities-api.ts';

const LOANS = `${RECORDS}/loan`;
const loan = {
  ...{ code: 'loan', name: 'Loan', apiPath: 'loans', requirePermission: true },
  options: { history: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      number: { type: 'integer' },
      status: { type: 'string', enum: ['open', 'closed'] },
      note: { type: 'string', maxLength: 20 },
      code: { type: 'string', 'x-unique': true },
      due: { type: 'string', format: 'date' },
      extra: { type: 'object' },
    },
  },
};

const UNITS = `${RECORDS}/unit`;
const unit = {
  ...{ code: 'unit', name: 'Unit', hierarchical: true },
  uiSchemaJson: {
    type: 'object',
    properties: { name: { type: 'string' }, old: { type: 'boolean' } },
  },
};

type Decide = (action: string) => boolean | PermissionDecision;
type Body = Readonly<Record<string, unknown>>;

const deciding = (decide: Decide) => ({
  hasPermission: (_who: unknown, target: string, action: string) =>
    target === 'loans' ? decide(action) : true,
});

async function fill<T extends EntitiesApi>(api: T, count: number): Promise<T> {
  const defined = await api.define(loan);
  expect(defined.status, defined.text).toBe(201);
  for (let at = 0; at < count; at += 500) {
    const operations = Array.from({ length: Math.min(500, count - at) }, (_, more) => {
      const number = at + more;
      return { op: 'create', data: { number, status: number % 2 ? 'closed' : 'open', note: 'n' } };
    });
    expect((await api.post(`${LOANS}/bulk`, { operations })).status).toBe(200);
  }
  return api;
}

const loans = (count: number, decide: Decide = () => true) =>
  fill(anEntitiesApi({ host: { permissionEvaluator: deciding(decide) } }), count);

/** Starts a job and lets it run to its end. */
async function done(api: EntitiesApi, path: string, body: Body): Promise<Body> {
  const started = await api.post(`${LOANS}/${path}`, body);
  expect(started.status, started.text).toBe(202);
  await api.runJobs();
  return (await api.get(String(started.headers.location))).body;
}

async function all(api: EntitiesApi, query = ''): Promise<readonly Body[]> {
  const answer = await api.get(`${LOANS}?size=200&sort=number${query}`);
  expect(answer.status, answer.text).toBe(200);
  return contentOf(answer);
}

const versions = (records: readonly Body[]) => records.map(({ version }) => version);

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

  it('of a deletion deletes nothing', async () => {
    const api = await loans(7);
    const job = await done(api, 'bulk:delete', { filter: { status: 'open' }, dryRun: true });
    expect(job).toMatchObject({ result: { dryRun: true, deleted: 4, failed: 0 } });
    expect(await all(api)).toHaveLength(7);
  });
});

describe('a change by filter with long values', () => {
  const option = (at: number) => `${at} ${'文'.repeat(100)}`;
  const properties = {
    text: { type: 'string', format: 'textarea' },
    kind: { type: 'string', enum: Array.from({ length: 20 }, (_, at) => option(at)) },
  };
  const pages = async () => {
    const api = anEntitiesApi();
    await api.define({ code: 'page', name: 'Page', uiSchemaJson: { type: 'object', properties } });
    const operations = Array.from({ length: 100 }, () => ({ op: 'create', data: { text: 'a' } }));
    await api.post(`${RECORDS}/page/bulk`, { operations });
    return api;
  };

  it.each([true, false])('ends and names failures: dry run %s', async (dryRun) => {
    const api = await pages();
    const data = { text: 'x'.repeat(190_000), kind: 'none' };
    const path = `${RECORDS}/page/bulk:update`;
    const started = await api.post(path, { filter: {}, data, dryRun });
    expect(started.status, started.text).toBe(202);
    await api.runJobs();
    expect((await api.get(String(started.headers.location))).body).toMatchObject({
      state: 'DONE',
      result: { failed: 100, failures: { 0: { field: 'kind', code: 'ENUM' } } },
    });
  });

  it('is refused where a job could not keep them beside its failures', async () => {
    const api = await pages();
    const data = { text: 'x'.repeat(270_000), kind: 'none' };
    const answer = await api.post(`${RECORDS}/page/bulk:update`, { filter: {}, data });
    expect(answer.body).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('a change by filter that is not possible', () => {
  it.each<[string, Body, Body]>([
    ['bulk:update', { data: { note: 'x' } }, { pointer: '/filter' }],
    [
      'bulk:update',
      JSON.parse('{"filter":{"__proto__":"x"},"data":{"note":"x"}}'),
      { pointer: '/filter/__proto__' },
    ],
    ['bulk:delete', JSON.parse('{"filter":{"__proto__":"x"}}'), { pointer: '/filter/__proto__' }],
    [
      'bulk:update',
      JSON.parse('{"filter":{},"data":{"extra":{"a":[{"__proto__":1}]}}}'),
      { pointer: '/data/extra/a/0/__proto__', code: 'INVALID_NAME' },
    ],
    ['bulk:update', { filter: {} }, { pointer: '/data' }],
    ['bulk:update', { filter: {}, data: {} }, { pointer: '/data', code: 'TOO_SMALL' }],
    ['bulk:update', { filter: {}, data: { nots: 1 } }, { pointer: '/data/nots' }],
    ['bulk:update', { filter: { nots: 1 }, data: { note: 'x' } }, { pointer: '/filter' }],
    ['bulk:update', { filter: { due: 'soon' }, data: { note: 'x' } }, { pointer: '/filter' }],
    ['bulk:update', { filter: 'status=open', data: { note: 'x' } }, { pointer: '/filter' }],
    ['bulk:update', { filter: {}, data: { note: 'x' }, purge: true }, { pointer: '/purge' }],
    ['bulk:delete', {}, { pointer: '/filter' }],
    [
      'bulk:delete',
      { filter: { note: { like: 'x' } } },
      { pointer: '/filter', code: 'UNKNOWN_OPERATOR' },
    ],
    ['bulk:delete', { filter: {}, data: {} }, { pointer: '/data' }],
    ['bulk:delete', { filter: { 'status.x': 1 } }, { pointer: '/filter', code: 'NOT_A_REFERENCE' }],
  ])('%s %j is refused', async (path, body, error) => {
    const api = await loans(1);
    const answer = await api.post(`${LOANS}/${path}`, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ errors: [error] });
  });

  it('fails when the field that it names is gone by then', async () => {
    const api = await loans(1);
    const started = await api.post(`${LOANS}/bulk:update`, {
      filter: { due: null },
      data: { note: 'x' },
    });
    const { due: _due, ...properties } = loan.uiSchemaJson.properties;
    const { status } = await api.put('/api/v1/entity-definitions/code/loan/schema', {
      uiSchemaJson: { type: 'object', properties },
    });
    expect(status).toBe(200);
    api.context.clock.advance(60_000);
    await api.runJobs();
    expect((await api.get(String(started.headers.location))).body).toMatchObject({
      state: 'FAILED',
      result: { code: 'VALIDATION_FAILED' },
    });
  });
});

describe('a change by filter under narrowed grants', () => {
  const hidesNote: Decide = (action) =>
    action === 'view' ? { allowed: true, fields: ['number', 'status'] } : true;

  it('changes what the caller may both view and edit', async () => {
    const rows = { view: { number: { gte: 4 } }, edit: { number: { lt: 8 } } };
    const decide: Decide = (action) => ({
      allowed: true,
      ...(action in rows && { rowFilter: rows[action as 'view'] }),
    });
    const open = await loans(12);
    const permissionEvaluator = deciding(decide);
    const caller = anEntitiesApi({ host: { permissionEvaluator }, besides: open.context });
    const job = await done(caller, 'bulk:update', { filter: {}, data: { note: 'mine' } });
    expect(job).toMatchObject({ processed: 4, result: { updated: 4 } });
    const mine = await all(open, '&note=mine');
    expect(mine.map(({ number }) => number)).toEqual([4, 5, 6, 7]);
  });

  it.each<[string, Body, Decide, number]>([
    ['bulk:update', { filter: { note: 'n' }, data: { status: 'open' } }, hidesNote, 403],
    ['bulk:delete', { filter: { note: { startsWith: 'n' } } }, hidesNote, 403],
    ['bulk:delete', { filter: { or: [{ number: 1 }, { not: { note: 'n' } }] } }, hidesNote, 403],
    ['bulk:update', { filter: {}, data: { note: 'x' } }, (action) => action !== 'edit', 403],
    ['bulk:delete', { filter: {} }, (action) => action !== 'delete', 403],
    [
      'bulk:update',
      { filter: {}, data: { note: 'x' } },
      (action) => (action === 'edit' ? { allowed: true, fields: ['status'] } : true),
      403,
    ],
  ])('%s %j is refused', async (path, body, decide, status) => {
    const api = await loans(1);
    const permissionEvaluator = deciding(decide);
    const caller = anEntitiesApi({ host: { permissionEvaluator }, besides: api.context });
    expect((await caller.post(`${LOANS}/${path}`, body)).status).toBe(status);
  });

  it.each([true, false])('confirms no guess about a hidden value: dry run %s', async (dryRun) => {
    const api = await loans(4);
    const permissionEvaluator = deciding(hidesNote);
    const caller = anEntitiesApi({ host: { permissionEvaluator }, besides: api.context });
    const [same, other] = [
      await done(caller, 'bulk:update', { filter: {}, data: { note: 'n' }, dryRun }),
      await done(caller, 'bulk:update', { filter: {}, data: { note: 'm' }, dryRun }),
    ];
    expect(same.result).toEqual(other.result);
    expect(same.result).toMatchObject({ updated: 4, unchanged: 0 });
  });

  it('ends when the grant is gone by then, and shows failures under the same grant only', async () => {
    let decide: Decide = () => true;
    const api = await loans(4, (action) => decide(action));
    const started = await api.post(`${LOANS}/bulk:update`, { filter: {}, data: { note: 'x' } });
    decide = (action) => (action === 'edit' ? { allowed: true, fields: [] } : true);
    await api.runJobs();
    expect((await api.get(String(started.headers.location))).body).toMatchObject({
      state: 'FAILED',
      result: { code: 'FORBIDDEN' },
    });
    decide = () => true;
    const job = await done(api, 'bulk:update', { filter: {}, data: { code: 'X' } });
    expect(job).toMatchObject({ result: { failures: { length: 3 } } });
    decide = hidesNote;
    const { body } = await api.get(`${LOANS}/jobs/${job.id}`);
    expect(body).toMatchObject({ result: { updated: 1, failed: 3, code: 'GRANT_CHANGED' } });
    expect(body.result).not.toHaveProperty('failures');
  });

  it('is followed by its caller only', async () => {
    const api = await loans(1);
    const started = await api.post(`${LOANS}/bulk:delete`, { filter: {} });
    const caller = { sub: 'somebody', roles: ['admin'] };
    expect((await api.get(String(started.headers.location), { caller })).status).toBe(404);
  });
});

describe('a change by filter that is interrupted before any of its requests', () => {
  // What the caller does not see is stored always, so each change of a record shows in its version.
  const hides: Decide = (action) =>
    action === 'view' ? { allowed: true, fields: ['number', 'status'] } : true;

  const interrupted = async (world: InterruptibleApi, path: string, body: Body) => {
    const started = await world.post(`${LOANS}/${path}`, body);
    await world.runJobs();
    return started;
  };

  it('changes every record exactly once, and counts it once', async () => {
    const requests = await interruptEverywhere(
      () => fill(anInterruptibleApi({ permissionEvaluator: deciding(hides) }), 5),
      (world) => interrupted(world, 'bulk:update', { filter: {}, data: { note: 'x' } }),
      async (world, started, name) => {
        const isStarted = started.status === 202;
        const seen = versions(await all(world));
        // An answer that got lost may have started the job.
        if (isStarted) expect(seen, name).toEqual([2, 2, 2, 2, 2]);
        else expect([1, 2], name).toContain(new Set(seen).size === 1 ? seen[0] : seen);
        if (!isStarted) return;
        const { body } = await world.get(String(started.headers.location));
        expect(body, name).toMatchObject({
          state: 'DONE',
          processed: 5,
          result: { updated: 5, failed: 0 },
        });
      },
    );
    expect(requests).toBeGreaterThan(15);
  });

  it('deletes every record once, and counts it once', async () => {
    await interruptEverywhere(
      () => fill(anInterruptibleApi(), 5),
      (world) => interrupted(world, 'bulk:delete', { filter: { status: 'open' } }),
      async (world, started, name) => {
        if (started.status !== 202) return;
        expect(await all(world), name).toHaveLength(2);
        const { body } = await world.get(String(started.headers.location));
        expect(body, name).toMatchObject({
          state: 'DONE',
          processed: 3,
          result: { deleted: 3, failed: 0 },
        });
      },
    );
  });

  it('goes on in one run at a time: another one that wakes up late changes nothing', async () => {
    const world = await fill(anInterruptibleApi({ permissionEvaluator: deciding(hides) }), 6);
    const started = await world.post(`${LOANS}/bulk:update`, { filter: {}, data: { note: 'x' } });
    let isOther = false;
    const stop = world.context.db.before('TransactWriteItems', async (input) => {
      if (isOther || !JSON.stringify(input).includes('"L#')) return;
      isOther = true;
      // Another run takes the job over and ends it while this change waits.
      world.context.clock.advance(400_000);
      await world.runTask(SWEEP_TASK);
      await world.runJobs();
    });
    await world.runJobs();
    stop();
    await world.settle();
    expect(isOther).toBe(true);
    expect(versions(await all(world))).toEqual([2, 2, 2, 2, 2, 2]);
    const { body } = await world.get(String(started.headers.location));
    expect(body).toMatchObject({ state: 'DONE', processed: 6, result: { updated: 6 } });
  });
});
