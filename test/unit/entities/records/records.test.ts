import { describe, expect, it } from 'vitest';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';
import { CUSTOMERS, namesOf, path, withCustomers } from './customers.ts';

describe('POST {prefix}/dynamic/{entity}', () => {
  it('stores a record and answers it flat, with version and place', async () => {
    const { post } = await withCustomers();

    const answer = await post(CUSTOMERS, { name: 'Nguyễn Văn An', amount: 1.5, extra: { a: [1] } });

    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      name: 'Nguyễn Văn An',
      amount: 1.5,
      extra: { a: [1] },
      version: 1,
    });
    expect(answer.headers).toMatchObject({ etag: '"1"', location: path(String(answer.body.id)) });
  });

  it('gives back exactly what was sent', async () => {
    const { post, get } = await withCustomers();
    const sent = {
      name: '  e\u0301 = é \ud83d\ude00 \t',
      city: '',
      amount: 1e300,
      price: '0010.500',
      tags: ['A', 'a', 'á'],
      seenAt: '2026-01-01T07:00:00.5+07:00',
      extra: { deep: { x: -0.1, list: [null, '', ' '] } },
    };

    const { body } = await post(CUSTOMERS, sent);
    const read = await get(path(String(body.id)));
    const listed = await get(CUSTOMERS);

    expect(read.body).toMatchObject(sent);
    expect(contentOf(listed)[0]).toEqual(read.body);
  });

  it.each([
    [{}, 'VALIDATION_FAILED', '/name', 'REQUIRED'],
    [{ name: 1 }, 'VALIDATION_FAILED', '/name', 'TYPE'],
    [{ name: 'a', status: 'new' }, 'VALIDATION_FAILED', '/status', 'ENUM'],
    [{ name: 'a', amount: '1' }, 'VALIDATION_FAILED', '/amount', 'TYPE'],
    [{ name: 'a', priority: 2 ** 53 }, 'VALIDATION_FAILED', '/priority', 'MAXIMUM'],
    [
      { name: 'a', tags: Array.from({ length: 51 }, String) },
      'VALIDATION_FAILED',
      '/tags',
      'MAX_ITEMS',
    ],
    [{ name: 'a', email: 'x' }, 'VALIDATION_FAILED', '/email', 'FORMAT'],
    [
      { name: 'a', extra: JSON.parse('{"__proto__":{"x":1}}') },
      'VALIDATION_FAILED',
      '/extra/__proto__',
      'INVALID_NAME',
    ],
    [
      { name: 'a', extra: JSON.parse('{"a":'.repeat(64) + 1 + '}'.repeat(64)) },
      'VALIDATION_FAILED',
      `/extra${'/a'.repeat(63)}`,
      'TOO_DEEP',
    ],
    [{ name: 'a', nick: 'b' }, 'UNKNOWN_FIELD', '/nick', 'UNKNOWN_FIELD'],
    ['{"name":"a","__proto__":{"b":1}}', 'UNKNOWN_FIELD', '/__proto__', 'UNKNOWN_FIELD'],
    [{ name: 'a', id: 'x' }, 'VALIDATION_FAILED', '/id', 'FORMAT'],
    ['[]', 'VALIDATION_FAILED', '', 'INVALID_TYPE'],
  ])('refuses %j', async (body, code, pointer, rule) => {
    const { post } = await withCustomers();

    const answer = await post(CUSTOMERS, body);

    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code, errors: [{ pointer, code: rule }] });
  });

  it('takes an id that the caller brings, once', async () => {
    const { post } = await withCustomers();
    const body = { id: '7c1f5c1e-3c0f-4a5e-9d0b-1a2b3c4d5e6f', name: 'a' };

    const first = await post(CUSTOMERS, body);
    const second = await post(CUSTOMERS, body);

    expect(first.body.id).toBe(body.id);
    expect(second).toMatchObject({ status: 409, body: { code: 'RECORD_EXISTS' } });
  });

  it('works once for each Idempotency-Key', async () => {
    const { post, get } = await withCustomers();
    const headers = { 'idempotency-key': 'k1' };

    const first = await post(CUSTOMERS, { name: 'a' }, { headers });
    const again = await post(CUSTOMERS, { name: 'a' }, { headers });

    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(contentOf(await get(CUSTOMERS))).toHaveLength(1);
  });

  it('keeps a unique value for one live record, whatever its case', async () => {
    const { post, remove, ids } = await withCustomers([{ name: 'a', email: 'A@example.com' }]);

    const taken = await post(CUSTOMERS, { name: 'b', email: 'a@EXAMPLE.com' });
    await remove(path(ids[0]));
    const free = await post(CUSTOMERS, { name: 'b', email: 'a@EXAMPLE.com' });
    const restored = await post(`${path(ids[0])}/restore`);

    expect(taken.body).toMatchObject({
      code: 'UNIQUE_VIOLATION',
      field: 'email',
      conflictId: ids[0],
    });
    expect(free.status).toBe(201);
    expect(restored.body).toMatchObject({
      status: 409,
      code: 'UNIQUE_VIOLATION',
      conflictId: free.body.id,
    });
  });
});

describe('PUT {prefix}/dynamic/{entity}/{id}', () => {
  it('changes what is sent, clears what is null and keeps the rest', async () => {
    const { put, ids } = await withCustomers([{ name: 'a', city: 'Huế', amount: 1 }]);

    const answer = await put(path(ids[0]), { amount: 2, city: null });

    expect(answer.body).toMatchObject({ name: 'a', amount: 2, version: 2 });
    expect(answer.body).not.toHaveProperty('city');
  });

  it('takes back what was read, and changes nothing then', async () => {
    const { put, get, ids } = await withCustomers([{ name: 'a', city: 'Huế' }]);
    const read = await get(path(ids[0]));

    const answer = await put(path(ids[0]), read.body);

    expect(answer.body).toEqual(read.body);
  });

  it('replaces the whole when asked to', async () => {
    const { put, ids } = await withCustomers([{ name: 'a', city: 'Huế' }]);

    const answer = await put(`${path(ids[0])}?replace=true`, { name: 'b' });

    expect(answer.body).not.toHaveProperty('city');
  });

  it('clears members that no schema names, too, where records may have such', async () => {
    const api = anEntitiesApi();
    await api.define({
      ...{ code: 'note', name: 'Note', apiPath: 'notes' },
      uiSchemaJson: {
        type: 'object',
        properties: { name: { type: 'string' } },
        additionalProperties: true,
      },
    });
    const made = await api.post(`${RECORDS}/notes`, { name: 'a', colour: 'red', size: 3 });

    const answer = await api.put(`${RECORDS}/notes/${made.body.id}?replace=true`, { size: 4 });

    expect(answer.body).toMatchObject({ size: 4, version: 2 });
    expect(answer.body).not.toHaveProperty('name');
    expect(answer.body).not.toHaveProperty('colour');
  });

  it('refuses a version that is not the newest', async () => {
    const { put, ids } = await withCustomers([{ name: 'a' }]);
    await put(path(ids[0]), { city: 'Huế' }, { headers: { 'if-match': '"1"' } });

    const stale = await put(path(ids[0]), { city: 'x' }, { headers: { 'if-match': '"1"' } });

    expect(stale).toMatchObject({ status: 412, body: { code: 'VERSION_CONFLICT', current: 2 } });
  });

  it('demands If-Match where the entity does', async () => {
    const { put, ids } = await withCustomers([{ name: 'a' }], {
      options: { requireIfMatch: true },
    });

    expect(await put(path(ids[0]), { city: 'x' })).toMatchObject({
      status: 428,
      body: { code: 'PRECONDITION_REQUIRED' },
    });
  });

  it('loses none of twenty changes at the same time', async () => {
    const codes = Array.from({ length: 20 }, (_, at) => `f${at}`);
    const properties = Object.fromEntries(
      codes.map((code) => [code, { type: 'string', enum: ['x', 'y'] }]),
    );
    const { put, get, ids } = await withCustomers([{ f0: 'y' }], {
      uiSchemaJson: { type: 'object', properties },
    });

    const answers = await Promise.all(codes.map((code) => put(path(ids[0]), { [code]: 'x' })));
    const facets = await get(`${CUSTOMERS}/facets?fields=${codes.join()}`);

    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200));
    expect((await get(path(ids[0]))).body).toMatchObject({
      version: 21,
      ...Object.fromEntries(codes.map((code) => [code, 'x'])),
    });
    expect(Object.values(facets.body)).toEqual(codes.map(() => [{ value: 'x', count: 1 }]));
  });

  it('tries again when a transaction conflicts', async () => {
    const { put, context, ids } = await withCustomers([{ name: 'a' }]);
    context.db.failNext('conflict', { operation: 'TransactWriteItems', times: 3 });

    expect(await put(path(ids[0]), { city: 'x' })).toMatchObject({
      status: 200,
      body: { version: 2 },
    });
  });
});

describe('GET {prefix}/dynamic/{entity}/{id}', () => {
  it('sends nothing to whoever has the version already', async () => {
    const { get, ids } = await withCustomers([{ name: 'a' }]);

    const answer = await get(path(ids[0]), { headers: { 'if-none-match': '"1"' } });

    expect(answer).toMatchObject({ status: 304, text: '' });
  });

  it('shows the fields that are asked for', async () => {
    const { get, ids } = await withCustomers([{ name: 'a', city: 'Huế', amount: 1 }]);

    const answer = await get(`${path(ids[0])}?fields=city`);

    expect(answer.body).toMatchObject({ city: 'Huế' });
    expect(answer.body).not.toHaveProperty('name');
  });

  it.each([
    [`${CUSTOMERS}/nothing`, 'RECORD_NOT_FOUND'],
    [`${CUSTOMERS}/00000000-0000-7000-8000-ffffffffffff`, 'RECORD_NOT_FOUND'],
    [`${RECORDS}/nobody/00000000-0000-7000-8000-ffffffffffff`, 'ENTITY_NOT_FOUND'],
    [`${RECORDS}/nobody`, 'ENTITY_NOT_FOUND'],
  ])('knows no %s', async (unknown, code) => {
    const { get } = await withCustomers();

    expect(await get(unknown)).toMatchObject({ status: 404, body: { code } });
  });
});

describe('DELETE {prefix}/dynamic/{entity}/{id}', () => {
  it('moves a record to the trash, from where it comes back', async () => {
    const { get, remove, post, ids } = await withCustomers([
      { name: 'a', status: 'open' },
      { name: 'b' },
    ]);

    const removed = await remove(path(ids[0]));
    const rest = await get(CUSTOMERS);
    const trash = await get(`${CUSTOMERS}/trash`);
    const restored = await post(`${path(ids[0])}/restore`);
    const all = await get(`${CUSTOMERS}?status=open`);

    expect(removed.status).toBe(204);
    expect(rest.body).toMatchObject({ totalElements: 1 });
    expect(contentOf(trash)).toMatchObject([{ id: ids[0], deletedBy: expect.any(String) }]);
    expect(restored.body).toMatchObject({ name: 'a', version: 3 });
    expect(namesOf(all)).toEqual(['a']);
  });

  it('deletes for good when asked to, and leaves nothing behind', async () => {
    const { remove, post, context, ids } = await withCustomers([
      { name: 'a', email: 'a@b.cd', notes: 'x'.repeat(5_000) },
    ]);

    await remove(`${path(ids[0])}?purge=true`);
    const restored = await post(`${path(ids[0])}/restore`);

    const left = context.db.items().filter(({ pk, sk }) => `${pk} ${sk}`.includes(String(ids[0])));
    expect(left).toEqual([]);
    expect(restored.status).toBe(404);
  });

  it('counts what is there and what is in the trash', async () => {
    const { get, remove, ids } = await withCustomers([
      { name: 'a', status: 'open' },
      { name: 'b', status: 'open' },
    ]);

    await remove(path(ids[0]));

    expect((await get(`${CUSTOMERS}/count`)).body).toEqual({ count: 1, relation: 'eq' });
    expect((await get(`${CUSTOMERS}/facets?fields=status,active`)).body).toEqual({
      status: [{ value: 'open', count: 1 }],
      active: [{ value: null, count: 1 }],
    });
  });
});
