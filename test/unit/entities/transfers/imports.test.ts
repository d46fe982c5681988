import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { contentOf, type EntitiesApi, RECORDS } from '../entities-api.ts';
import { FROM, TO, withEntities } from './two-entities.ts';

const idOf = (at: number) => `0a000000-0000-7000-8000-${String(at).padStart(12, '0')}`;

/** The job of an import that was interrupted, at its end. */
async function goneOn({ context, get, runJobs }: EntitiesApi, started: ApiAnswer) {
  for (let turn = 0; turn < 3; turn += 1) {
    context.clock.advance(600_000);
    await get(String(started.headers.location));
    await runJobs();
  }
  return (await get(String(started.headers.location))).body;
}

describe('POST {prefix}/dynamic/{entity}/import', () => {
  it('stores the rows that are right and names what is wrong with the others', async () => {
    const { send, get } = await withEntities();
    const csv = 'name,amount,email\r\nA,1,a@b.cd\r\n,2,\r\nC,three,\r\nD,4,A@b.cd\r\n';

    const outcome = await send(`${FROM}/import`, csv, 'text/csv');

    expect(outcome.body).toEqual({
      created: 1,
      updated: 0,
      failed: 3,
      errors: [
        { row: 2, field: 'name', code: 'REQUIRED', detail: 'is required' },
        { row: 3, field: 'amount', code: 'TYPE', detail: 'must be number' },
        { row: 4, field: 'email', code: 'UNIQUE', detail: 'already exists' },
      ],
    });
    expect((await get(FROM)).body).toMatchObject({
      totalElements: 1,
      content: [{ name: 'A', amount: 1 }],
    });
  });

  it.each([
    ['1.0', '1.00', { type: 'string', format: 'decimal' }],
    ['2026-01-01T00:00:00Z', '2026-01-01T07:00:00+07:00', { type: 'string', format: 'date-time' }],
  ])('takes %s and %s in rows of an upsert for one key', async (one, other, key) => {
    const { define, post, get } = await withEntities();
    const properties = { key: { ...key, 'x-unique': true }, name: { type: 'string' } };
    await define({ code: 'part', name: 'Part', uiSchemaJson: { type: 'object', properties } });
    const path = `${RECORDS}/part/import?format=json&mode=upsert&key=key`;
    const rows = [
      { key: one, name: 'a' },
      { key: other, name: 'b' },
    ];

    for (const how of ['&dryRun=true', '']) {
      const { body } = await post(`${path}${how}`, rows);
      expect(body).toMatchObject({ created: 1, updated: 1, failed: 0, errors: [] });
    }
    expect(contentOf(await get(`${RECORDS}/part`))).toMatchObject([{ key: other, name: 'b' }]);
  });

  it('ends in time when each row waits for the one behind it', async () => {
    const { define, post, context } = await withEntities();
    const near = { type: 'string', 'x-reference': { entity: 'part' } };
    const uiSchemaJson = { type: 'object', properties: { near } };
    await define({ code: 'part', name: 'Part', uiSchemaJson });
    for (const operation of ['BatchGetItem', 'BatchWriteItem', 'TransactWriteItems'])
      context.db.before(operation, () => context.clock.advance(8));
    const rows = Array.from({ length: 200 }, (_, at) => ({
      id: idOf(at),
      ...(at < 199 && { near: idOf(at + 1) }),
    }));
    const begin = context.clock.now();

    const { status, body } = await post(`${RECORDS}/part/import?format=json`, rows);

    expect(context.clock.now() - begin).toBeLessThan(25_000);
    expect(status).toBe(200);
    expect(Number(body.created)).toBeGreaterThan(0);
    expect(Number(body.created) + Number(body.failed)).toBe(200);
  });

  it.each([
    ['a.csv', 'text/csv', 'name\r\nAn\r\n'],
    ['a.ndjson', 'application/octet-stream', '{"name":"An"}\n'],
    ['a.txt', 'application/json', '[{"name":"An"}]'],
  ])('takes the file %s of a form', async (name, type, text) => {
    const { post, get } = await withEntities();
    const data = new FormData();
    data.append('file', new File([text], name, { type }));
    const request = new Request('http://x', { method: 'POST', body: data });
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };

    const body = Buffer.from(await request.arrayBuffer());
    const outcome = await post(`${FROM}/import`, body, { headers });

    expect(outcome.body, outcome.text).toMatchObject({ created: 1, failed: 0 });
    expect(contentOf(await get(FROM))).toMatchObject([{ name: 'An' }]);
  });

  it.each([
    ['name,name\na,b', '', 'IMPORT_INVALID'],
    ['name,city\na,b,c', '', 'IMPORT_INVALID'],
    ['name\na', '&mode=upsert&key=colour', 'INVALID_PARAMETER'],
    ['name\na', '&mode=upsert&key=name', 'INVALID_PARAMETER'],
  ])('refuses %j with %j', async (text, query, code) => {
    const { send, get } = await withEntities();

    const outcome = await send(`${TO}/import?format=csv${query}`, text, 'text/csv');

    expect(outcome).toMatchObject({ status: 400, body: { code } });
    expect((await get(TO)).body.totalElements).toBe(0);
  });

  it('refuses a row by its key when no record can have that, and imports the others', async () => {
    const { send, post, get } = await withEntities();
    await post(FROM, { name: 'was there', email: 'a@b.cd' });
    const rows = [{ email: 7 }, { email: { ne: '' } }, { email: 'x'.repeat(1_001) }];
    const named = [...rows, { email: 'c@b.cd' }].map((row, at) => ({ name: `n${at}`, ...row }));

    const path = `${FROM}/import?mode=upsert&key=email`;
    const outcome = await send(path, JSON.stringify(named), 'application/json');

    expect(outcome.body, outcome.text).toMatchObject({
      ...{ created: 1, updated: 0, failed: 3 },
      errors: [1, 2, 3].map((row) => ({ row, field: 'email' })),
    });
    expect((await get(`${FROM}?name=was there`)).body.totalElements).toBe(1);
  });

  it('checks in a dry run what an update would make', async () => {
    const { send, get } = await withEntities();
    await send(`${TO}/import?format=csv`, 'name,email\na,a@x.vn', 'text/csv');
    const rows = 'email,amount\na@x.vn,many\na@x.vn,5';

    const outcome = await send(
      `${TO}/import?format=csv&mode=upsert&key=email&dryRun=true`,
      rows,
      'text/csv',
    );

    expect(outcome.body).toMatchObject({
      updated: 1,
      failed: 1,
      errors: [{ row: 1, field: 'amount', code: 'TYPE' }],
    });
    expect(contentOf(await get(TO))[0]).not.toHaveProperty('amount');
  });

  it('stores nothing in a dry run', async () => {
    const { send, get } = await withEntities();

    const outcome = await send(
      `${FROM}/import?dryRun=true`,
      '[{"name":"A"},{}]',
      'application/json',
    );

    expect(outcome.body).toMatchObject({ created: 1, failed: 1 });
    expect((await get(FROM)).body).toMatchObject({ totalElements: 0 });
  });

  it('updates what it finds by a key', async () => {
    const { post, send, get } = await withEntities();
    await post(FROM, { name: 'A', email: 'a@b.cd', city: 'Huế' });

    const outcome = await send(
      `${FROM}/import?mode=upsert&key=email`,
      'name,email\nA2,a@b.cd\nB,b@b.cd\n',
      'text/csv',
    );

    expect(outcome.body).toMatchObject({ created: 1, updated: 1, failed: 0 });
    expect(contentOf(await get(`${FROM}?sort=name`))).toMatchObject([
      { name: 'A2', city: 'Huế' },
      { name: 'B' },
    ]);
  });

  it.each([
    ['{', 'application/json', 400, 'IMPORT_INVALID'],
    ['{"a":1}', 'application/json', 400, 'IMPORT_INVALID'],
    ['a"b,c\n', 'application/octet-stream', 400, 'IMPORT_INVALID'],
    ['a"b,c\n', 'text/csv', 400, 'IMPORT_INVALID'],
    ['x', 'image/png', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('refuses %j as %s', async (text, type, status, code) => {
    const { send } = await withEntities();
    const expected = text === '{' ? 'INVALID_JSON' : code;

    expect(await send(`${FROM}/import`, text, type)).toMatchObject({
      status,
      body: { code: expected },
    });
  });

  it('reads a long file by a job, which makes no record twice when it is interrupted', async () => {
    const { send, get, runJobs, runTask, context, storage } = await withEntities();
    const lines = Array.from({ length: 700 }, (_, at) => `n${at},${at}`);
    const started = await send(`${FROM}/import`, `name,amount\n${lines.join('\n')}\n`, 'text/csv');
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 14 });

    await runJobs();
    context.clock.advance(600_000);
    await get(String(started.headers.location));
    await runJobs();
    await runTask(SWEEP_TASK);
    const job = await get(String(started.headers.location));

    expect(started.status).toBe(202);
    expect(job.body, job.text).toMatchObject({
      state: 'DONE',
      processed: 700,
      result: { created: 700, failed: 0 },
    });
    expect((await get(`${FROM}?sort=amount&size=1`)).body).toMatchObject({
      totalElements: 700,
      content: [{ name: 'n0' }],
    });
    expect(
      (await get(`${FROM}/count?${new URLSearchParams({ 'amount[gte]': '0' })}`)).body,
    ).toEqual({ count: 700, relation: 'eq' });
    expect([...storage.files]).toEqual([]);
  }, 60_000);

  it('tells rows with ids apart from records that were there when it is interrupted', async () => {
    const api = await withEntities();
    const { send, post, get, runJobs, context, storage } = api;
    await post(FROM, { id: idOf(0), name: 'was there' });
    context.clock.advance(1_000);
    const rows = Array.from({ length: 600 }, (_, at) => ({ id: idOf(at), name: `n${at}` }));
    const file = JSON.stringify([...rows, { id: idOf(1), name: 'again' }]);
    const started = await send(`${FROM}/import`, file, 'application/json');
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 8 });
    await runJobs();

    const body = await goneOn(api, started);

    expect(body).toMatchObject({
      state: 'DONE',
      processed: 601,
      result: { created: 599, failed: 2, errors: [{ row: 1 }, { row: 601 }] },
    });
    expect((await get(`${FROM}?size=1`)).body).toMatchObject({ totalElements: 600 });
    expect([...storage.files]).toEqual([]);
  }, 60_000);

  it.each([
    ['email', ''],
    ['id', 'id,'],
  ])(
    'counts what an interrupted upsert by %s has made as made',
    async (key, more) => {
      const api = await withEntities();
      const { send, post, get, runJobs, context } = api;
      for (const at of [0, 3]) {
        await post(FROM, { id: idOf(at), name: 'was there', email: `n${at}@b.cd` });
      }
      context.clock.advance(1_000);
      const lineOf = (at: number) => `${more && `${idOf(at)},`}n${at},n${at}@b.cd`;
      const lines = Array.from({ length: 620 }, (_, at) => lineOf(at));
      const file = `${more}name,email\n${[...lines, lineOf(5)].join('\n')}\n`;
      const started = await send(`${FROM}/import?mode=upsert&key=${key}`, file, 'text/csv');
      expect(started.status, started.text).toBe(202);
      context.db.failNext('network', { operation: 'TransactWriteItems', after: 15 });
      await runJobs();
      expect((await get(`${FROM}?size=1`)).body.totalElements).toBeLessThan(620);

      const body = await goneOn(api, started);

      expect(body).toMatchObject({
        ...{ state: 'DONE', processed: 621 },
        result: { created: 618, updated: 3, failed: 0 },
      });
      expect((await get(`${FROM}?size=1`)).body).toMatchObject({ totalElements: 620 });
    },
    60_000,
  );
});
