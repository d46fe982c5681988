import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guard, unguard } from '../../../../shared/csv/csv.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { admin, OTHER_ISSUER } from '../../../helpers/api/test-tokens.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { aRecord } from '../../../helpers/entity-queries/random-queries.ts';
import {
  aCustomerEntity,
  anEntitiesApi,
  contentOf,
  RECORDS,
  storeAesKey,
} from '../entities-api.ts';

const FROM = `${RECORDS}/customer`;
const TO = `${RECORDS}/copy`;

async function withEntities(more: object = {}) {
  const storage = memoryStorage();
  const api = anEntitiesApi({ host: { permissionEvaluator: claimsPermissionEvaluator, storage } });
  await api.define(aCustomerEntity({ ...more }));
  await api.define(aCustomerEntity({ code: 'copy', apiPath: 'copies', ...more }));
  const send = (path: string, text: string, type: string) =>
    api.post(path, text, { headers: { 'content-type': type } });
  return { ...api, storage, send };
}

/** The subject of another issuer. */
const elsewhere = { ...admin, iss: OTHER_ISSUER };
const create = (body: object) => ({ op: 'create', data: body });

describe('export and import', () => {
  const nasty = [
    { name: '=SUM(A1)', city: "'=quoted", amount: -5, extra: { a: '=1' } },
    { name: '', city: ' ', tags: [], notes: 'line\r\nline,"quoted";' },
    { name: '@x', city: '-1', price: '-0.50', active: false, tags: ['-a', "'b"] },
    { name: "''+1", notes: '\tindented\u00a0' },
  ];

  it.each([
    ['csv', 'text/csv'],
    ['json', 'application/json'],
    ['ndjson', 'application/x-ndjson'],
  ])('as %s give the same records', async (format, type) => {
    const { post, get, send } = await withEntities();
    const random = fc.sample(aRecord, { numRuns: 60, seed: 7 });
    await post(`${FROM}/bulk`, { operations: [...nasty, ...random].map(create) });

    const file = await get(`${FROM}/export?format=${format}`);
    const outcome = await send(`${TO}/import`, file.text, type);
    const copied = await get(`${TO}/export?format=json`);

    expect(outcome.body, outcome.text).toMatchObject({ created: 64, failed: 0 });
    expect(JSON.parse(copied.text)).toEqual(
      JSON.parse((await get(`${FROM}/export?format=json`)).text),
    );
  });

  it('keep a spreadsheet from running what a file holds', async () => {
    const { post, get } = await withEntities();
    await post(`${FROM}/bulk`, { operations: nasty.map(create) });

    const file = await get(`${FROM}/export?format=csv`);

    expect(file.text.startsWith('\ufeffid,')).toBe(true);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.text).toContain(`"'=SUM(A1)"`);
    expect(file.text).not.toMatch(/[",]=SUM/);
  });

  it('guard every text so that it can be undone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', 'a') }),
        (text) => {
          expect(unguard(guard(text))).toBe(text);
          expect(guard(text)).not.toMatch(/^[=+\-@\t\r]/);
        },
      ),
    );
  });

  it('put parents before children, whatever the order of the file', async () => {
    const { send, get } = await withEntities({ hierarchical: true });
    const [a, b] = ['0a000000-0000-7000-8000-000000000001', '0a000000-0000-7000-8000-000000000002'];
    const rows = [
      { id: b, name: 'b', parentId: a },
      { id: a, name: 'a' },
    ];

    const outcome = await send(`${TO}/import`, JSON.stringify(rows), 'application/json');

    expect(outcome.body).toMatchObject({ created: 2, failed: 0 });
    expect(JSON.parse((await get(`${TO}/tree`)).text)).toMatchObject([
      { label: 'a', children: [{ label: 'b' }] },
    ]);
  });
});

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
    const { send, get, runJobs, context, storage } = await withEntities();
    const lines = Array.from({ length: 700 }, (_, at) => `n${at},${at}`);
    const started = await send(`${FROM}/import`, `name,amount\n${lines.join('\n')}\n`, 'text/csv');
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 14 });

    await runJobs();
    context.clock.advance(600_000);
    await get(String(started.headers.location));
    await runJobs();
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
    const { send, post, get, runJobs, context, storage } = await withEntities();
    const idOf = (at: number) => `0a000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    await post(FROM, { id: idOf(0), name: 'was there' });
    context.clock.advance(1_000);
    const rows = Array.from({ length: 600 }, (_, at) => ({ id: idOf(at), name: `n${at}` }));
    const file = JSON.stringify([...rows, { id: idOf(1), name: 'again' }]);
    const started = await send(`${FROM}/import`, file, 'application/json');
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 8 });
    await runJobs();

    for (let turn = 0; turn < 3; turn += 1) {
      context.clock.advance(600_000);
      await get(String(started.headers.location));
      await runJobs();
    }
    const { body } = await get(String(started.headers.location));

    expect(body).toMatchObject({
      state: 'DONE',
      processed: 601,
      result: { created: 599, failed: 2, errors: [{ row: 1 }, { row: 601 }] },
    });
    expect((await get(`${FROM}?size=1`)).body).toMatchObject({ totalElements: 600 });
    expect([...storage.files]).toEqual([]);
  }, 60_000);
});

describe('GET {prefix}/dynamic/{entity}/export', () => {
  it('writes a large file by a job of the caller alone', async () => {
    const { post, get, runJobs, storage } = await withEntities();
    const notes = 'x'.repeat(45_000);
    await post(`${FROM}/bulk`, {
      operations: Array.from({ length: 20 }, (_, at) => create({ name: `n${at}`, notes })),
    });
    for (let round = 0; round < 4; round += 1) {
      await post(`${FROM}/bulk`, {
        operations: Array.from({ length: 20 }, (_, at) =>
          create({ name: `m${round}-${at}`, notes }),
        ),
      });
    }

    const started = await get(`${FROM}/export?format=ndjson`);
    await runJobs();
    const stranger = await get(String(started.headers.location), { caller: { sub: 'other' } });
    const namesake = await get(String(started.headers.location), { caller: elsewhere });

    expect(started).toMatchObject({ status: 202, body: { kind: 'EXPORT' } });
    const [file] = storage.files.values();
    expect(
      Buffer.from(file ?? [])
        .toString()
        .trim()
        .split('\n'),
    ).toHaveLength(100);
    expect([stranger.status, namesake.status]).toEqual([404, 404]);
  }, 60_000);
});

describe('an export of many records', () => {
  const COUNT = 10_000;
  const PART = 6 * 1_024 * 1_024;
  const note = 'x'.repeat(1_000);

  async function aLargeExport() {
    const api = await withEntities();
    const bodies = Array.from({ length: COUNT }, (_, at) => ({ name: `n${at}`, extra: { note } }));
    const ids = await loadRecords(api.context, 'customer', bodies);
    const written: number[] = [];
    const { put } = api.storage;
    Object.assign(api.storage, {
      put: (path: string, body: Uint8Array, type: string) => {
        written.push(body.length);
        return put(path, body, type);
      },
    });
    return { ...api, ids, written };
  }

  it('holds no more than a part in memory, and reads each record once', async () => {
    const { get, runJobs, storage, context, ids, written } = await aLargeExport();
    let started: Awaited<ReturnType<typeof get>> | undefined;

    const cost = await context.db.meter.costOf(async () => {
      started = await get(`${FROM}/export?format=ndjson`);
      await runJobs();
    });

    const [file] = storage.files.values();
    const lines = Buffer.from(file ?? [])
      .toString()
      .trimEnd()
      .split('\n');
    const job = await get(String(started?.headers.location));
    expect(job.body).toMatchObject({ state: 'DONE', processed: COUNT });
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids.toSorted());
    const size = file?.length ?? 0;
    expect(written.filter((bytes) => bytes < size).every((bytes) => bytes < PART + 20_000)).toBe(
      true,
    );
    // Text that was staged, parts, the file.
    expect(written.length).toBeLessThanOrEqual(Math.ceil(size / PART) + 2);
    const requests = cost.requests.filter((request) => request.startsWith('BatchGetItem'));
    expect(requests.length).toBeLessThanOrEqual((COUNT / 100) * 1.1);
    expect(cost.readUnits).toBeLessThanOrEqual(1.15 * COUNT);
  }, 120_000);
});

describe('what a file leaves out', () => {
  it.each(['csv', 'json', 'ndjson'])(
    'is what is stored encrypted, and %s says so',
    async (format) => {
      const { context } = await withEntities();
      await storeAesKey(context);
      const { define, post, get } = anEntitiesApi({ besides: context });
      const pin = { type: 'string', 'x-encrypted': true };
      const secret = { type: 'string', writeOnly: true };
      const uiSchemaJson = {
        type: 'object',
        properties: { name: { type: 'string' }, pin, secret },
      };
      await define({ code: 'card', name: 'Card', apiPath: 'cards', uiSchemaJson });
      const card = `${RECORDS}/card`;
      const made = await post(card, { name: 'An', pin: '4711', secret: 's' });

      const file = await get(`${card}/export?format=${format}`);
      const named = await get(`${card}/export?format=${format}&fields=name`);

      expect(made.body).toMatchObject({ pin: '4711' });
      expect(file.text).toContain('An');
      expect(file.text).not.toMatch(/pin|4711/);
      expect(file.headers['x-left-out-fields']).toBe('pin');
      expect(named.headers).not.toHaveProperty('x-left-out-fields');
    },
  );
});

describe('POST {prefix}/dynamic/{entity}/jobs/{jobId}:cancel', () => {
  it('stops an import between two of its steps and deletes its file', async () => {
    const { send, post, get, runJobs, context, storage } = await withEntities();
    const lines = Array.from({ length: 700 }, (_, at) => `n${at},${at}`);
    const started = await send(`${FROM}/import`, `name,amount\n${lines.join('\n')}\n`, 'text/csv');
    const job = String(started.headers.location);
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 14 });
    await runJobs();

    const stranger = await post(`${job}:cancel`, undefined, { caller: { sub: 'other' } });
    const namesake = await post(`${job}:cancel`, undefined, { caller: elsewhere });
    const cancelled = await post(`${job}:cancel`);
    await runJobs();
    const again = await post(`${job}:cancel`);

    for (const other of [stranger, namesake]) {
      expect(other).toMatchObject({ status: 404, body: { code: 'JOB_NOT_FOUND' } });
    }
    expect(cancelled, cancelled.text).toMatchObject({ status: 202, body: { state: 'CANCELLING' } });
    expect((await get(job)).body).toMatchObject({ state: 'CANCELLED' });
    expect(again).toMatchObject({ status: 409, body: { code: 'JOB_ENDED' } });
    expect([...storage.files]).toEqual([]);
  }, 60_000);
});

describe('POST {prefix}/dynamic/{entity}/bulk', () => {
  it('tells what became of each operation', async () => {
    const { post } = await withEntities();
    const { body: old } = await post(FROM, { name: 'old' });
    const { body: other } = await post(FROM, { name: 'other' });

    const { body } = await post(`${FROM}/bulk`, {
      operations: [
        create({ name: 'new' }),
        create({}),
        { op: 'update', id: old.id, version: 1, data: { city: 'Huế' } },
        { op: 'update', id: old.id, version: 9, data: {} },
        { op: 'delete', id: other.id },
        { op: 'restore', id: '00000000-0000-7000-8000-ffffffffffff' },
      ],
    });

    expect(
      (body.results as object[]).map((result) => (result as { status: number }).status),
    ).toEqual([201, 400, 200, 412, 204, 404]);
  });

  it('creates many that point to one record', async () => {
    const { post, define } = await withEntities();
    const team = { type: 'string', 'x-reference': { entity: 'team' } };
    const schema = (properties: object) => ({ type: 'object', properties });
    const name = { type: 'string' };
    await define({ code: 'team', name: 'T', apiPath: 'teams', uiSchemaJson: schema({ name }) });
    await define({ code: 'man', name: 'M', apiPath: 'men', uiSchemaJson: schema({ team }) });
    const { body: target } = await post(`${RECORDS}/team`, {});
    const operations = Array.from({ length: 30 }, () => create({ team: target.id }));

    const { status, body } = await post(`${RECORDS}/man/bulk`, { operations });

    expect(status).toBe(200);
    expect(body.results).toEqual(operations.map(() => expect.objectContaining({ status: 201 })));
  });

  it('demands an id where a record is meant', async () => {
    const { post } = await withEntities();

    const { body } = await post(`${FROM}/bulk`, {
      operations: [create({ name: 'a' }), { op: 'delete' }],
    });

    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/operations/1/id', code: 'REQUIRED' }],
    });
  });

  it('does all or nothing when asked to', async () => {
    const { post, get } = await withEntities();
    const operations = [
      create({ name: 'a', email: 'a@b.cd' }),
      create({ name: 'b', email: 'A@b.cd' }),
    ];

    const refused = await post(`${FROM}/bulk`, { atomic: true, operations });
    const tooMany = await post(`${FROM}/bulk`, {
      atomic: true,
      operations: Array.from({ length: 30 }, () => create({ name: 'a' })),
    });
    const done = await post(`${FROM}/bulk`, {
      atomic: true,
      operations: [create({ name: 'a' }), create({ name: 'b' })],
    });

    expect([refused.status, tooMany.status]).toEqual([409, 422]);
    expect(done.status, done.text).toBe(200);
    expect((await get(FROM)).body).toMatchObject({ totalElements: 2 });
  });

  it('creates records for about half of what single calls cost', async () => {
    const { post, context } = await withEntities();
    const body = {
      name: 'Nguyễn',
      status: 'open',
      city: 'Huế',
      amount: 1,
      priority: 2,
      dueDate: '2026-01-01',
    };
    await post(FROM, body);

    const single = await context.db.meter.costOf(() => post(FROM, body));
    const many = await context.db.meter.costOf(() =>
      post(`${FROM}/bulk`, { operations: Array.from({ length: 100 }, () => create(body)) }),
    );

    expect(many.writeUnits / 100).toBeLessThanOrEqual(0.55 * single.writeUnits);
  });

  it.each([
    [{ operations: [] }],
    [{ operations: [{ op: 'drop' }] }],
    [{ operations: Array.from({ length: 501 }, () => create({})) }],
  ])('refuses %j', async (body) => {
    const { post } = await withEntities();

    expect((await post(`${FROM}/bulk`, body)).status).toBe(400);
  });
});
