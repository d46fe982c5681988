import { describe, expect, it } from 'vitest';
import { anEntitiesApi, RECORDS } from '../entities-api.ts';
import { all, type Body, type Decide, deciding, done, LOANS, loan, loans } from './loans.ts';

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
