import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { saveAesKey } from '../../helpers/cloud/save-aes-key.ts';
import { api, DEFINITIONS, declare, schema, unique, until } from './people.ts';

describe('an entity', () => {
  it('is declared, filled, searched, changed, emptied and restored', async () => {
    const { records } = await declare();

    const first = {
      body: { name: 'Nguyễn Văn An', email: 'an@example.com', status: 'open', amount: 12.5 },
      headers: { 'idempotency-key': randomUUID() },
    };
    const made = await api.post(records, first);
    const repeated = await api.post(records, first);
    await api.post(records, { body: { name: 'Đỗ Bình', status: 'closed', amount: 3 } });
    const { id } = made.body;

    const byName = await api.get(records, { query: { 'name[startsWith]': 'NGUYEN' } });
    const byWord = await api.get(records, { query: { q: 'binh do' } });
    const byAmount = await api.get(records, { query: { 'amount[gte]': 5, sort: 'amount' } });
    const counted = await api.get(`${records}/facets`, { query: { fields: 'status' } });
    const changed = await api.put(`${records}/${id}`, {
      body: { amount: 13 },
      headers: { 'if-match': '"1"' },
    });
    const stale = await api.put(`${records}/${id}`, {
      body: { amount: 14 },
      headers: { 'if-match': '"1"' },
    });
    const taken = await api.post(records, { body: { name: 'x', email: 'AN@example.com' } });
    const removed = await api.delete(`${records}/${id}`);
    const gone = await api.get(`${records}/${id}`);
    const trash = await api.get(`${records}/trash`);
    const restored = await api.post(`${records}/${id}/restore`);

    expect(made.status, made.text).toBe(201);
    expect(repeated).toMatchObject({ status: 201, body: { id } });
    expect(byName.body.content).toMatchObject([{ id }]);
    expect(byWord.body.content).toMatchObject([{ name: 'Đỗ Bình' }]);
    expect(byAmount.body).toMatchObject({ content: [{ id }], totalElements: 1 });
    expect(counted.body.status).toHaveLength(2);
    expect(changed.body).toMatchObject({ amount: 13, name: 'Nguyễn Văn An', version: 2 });
    expect(stale.status).toBe(412);
    expect(taken).toMatchObject({ status: 409, body: { code: 'UNIQUE_VIOLATION' } });
    expect([removed.status, gone.status]).toEqual([204, 404]);
    expect(trash.body.content).toMatchObject([{ id, deletedBy: 'mai' }]);
    expect(restored.status, restored.text).toBe(200);
  });

  it('is paged forward and back, live and in the trash', async () => {
    const { records } = await declare();
    const operations = [3, 1, 4, 1, 5].map((amount) => ({
      op: 'create',
      data: { name: 'x', amount },
    }));
    const made = await api.post(`${records}/bulk`, { body: { operations } });
    const there = async (query: Record<string, string>): Promise<void> => {
      const at = (cursor?: string) =>
        api.get(records, { query: { size: '2', ...query, ...(cursor && { cursor }) } });
      const pages = [await at()];
      while (pages.at(-1)?.body.nextCursor) pages.push(await at(pages.at(-1)?.body.nextCursor));
      const back = [];
      for (let page = pages.at(-1); page?.body.prevCursor; page = back.at(-1)) {
        back.push(await at(page.body.prevCursor));
      }
      expect(pages.map(({ body }) => body.content.length)).toEqual([2, 2, 1]);
      expect(back.map(({ body }) => body.content)).toEqual(
        [pages[1], pages[0]].map((page) => page?.body.content),
      );
    };

    await there({ sort: '-amount' });
    await there({});
    for (const { id } of made.body.results) await api.delete(`${records}/${id}`);
    await there({ deleted: 'only' });
  });

  it('answers by its path beside /dynamic', async () => {
    const apiPath = unique('orders');
    await declare({ apiPath });

    const made = await fetch(`${cloud.baseUrl}/api/v1/${apiPath}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await cloud.token({ sub: 'mai' })}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'by path' }),
    });

    expect(made.status).toBe(201);
  });

  it('keeps values that are too large for an item', async () => {
    const { records } = await declare();
    const notes = 'ă'.repeat(400_000);

    const made = await api.post(records, { body: { name: 'large', notes } });
    const read = await api.get(`${records}/${made.body.id}`);

    expect(made.status, made.text.slice(0, 300)).toBe(201);
    expect(read.body.notes === notes).toBe(true);

    const purged = await api.delete(`${records}/${made.body.id}`, { query: { purge: 'true' } });
    const [gone, back] = [
      await api.get(`${records}/${made.body.id}`, { query: { deleted: 'true' } }),
      await api.post(`${records}/${made.body.id}/restore`),
    ];
    expect([purged.status, gone.status, back.status]).toEqual([204, 404, 404]);
  });

  it('keeps secret fields encrypted', async () => {
    await saveAesKey(api);
    const properties = { name: { type: 'string' }, tax: { type: 'string', 'x-encrypted': true } };
    const { records } = await declare({ uiSchemaJson: { type: 'object', properties } });

    const made = await api.post(records, { body: { name: 'a', tax: 'T-4711' } });
    const listed = await api.get(records);

    expect(made.status, made.text).toBe(201);
    expect(listed.body.content).toMatchObject([{ name: 'a', tax: 'T-4711' }]);
  });

  it('builds an index online and uses it', async () => {
    const { code, records } = await declare();
    await api.post(records, { body: { name: 'before', amount: 1 } });
    const wider = { ...schema, properties: { ...schema.properties, city: { type: 'string' } } };

    const changed = await api.put(`${DEFINITIONS}/code/${code}/schema`, { body: wider });
    await api.post(records, { body: { name: 'after', city: 'Huế' } });
    const early = await api.get(records, { query: { city: 'Huế' } });
    const [job] = changed.body.jobs;
    const done = await until(
      () => api.get(`${DEFINITIONS}/code/${code}/jobs/${job.id}`),
      ({ body }) => body.state === 'DONE' || body.state === 'FAILED',
    );
    const late = await api.get(records, { query: { sort: 'city', explain: 'true' } });

    expect(early.body.content).toMatchObject([{ name: 'after' }]);
    expect(done.body, done.text).toMatchObject({ state: 'DONE' });
    expect(late.body.content.map(({ name }: { name: string }) => name)).toEqual([
      'before',
      'after',
    ]);
  });

  it('names operators, order and what the caller may do', async () => {
    const { code, records } = await declare({ requirePermission: true });
    const { apiPath } = (await api.get(`${DEFINITIONS}/code/${code}`)).body;
    const permissions = [`${apiPath}:view`, `${apiPath}:edit`];

    const all = await api.get(`${records}/schema`);
    const some = await api
      .as(await cloud.token({ sub: 'lan', permissions }))
      .get(`${records}/schema`);
    const none = await api.as(await cloud.token({ sub: 'tam' })).get(`${records}/schema`);

    expect(all.body.permissions).toEqual({ view: true, add: true, edit: true, delete: true });
    expect(some.body.permissions).toEqual({ view: true, add: false, edit: true, delete: false });
    expect(none.status).toBe(403);
    const byCode = new Map<string, { operators: string[]; sortable: boolean }>(
      some.body.fields.map((field: { code: string }) => [field.code, field]),
    );
    expect([...byCode.keys()]).toEqual(Object.keys(schema.properties));
    expect(byCode.get('name')).toMatchObject({ sortable: true });
    expect(byCode.get('name')?.operators).toEqual(expect.arrayContaining(['eqi', 'startsWith']));
    expect(byCode.get('amount')?.operators).toEqual(expect.arrayContaining(['gte', 'between']));
    expect(byCode.get('amount')?.operators).not.toContain('contains');
    expect(byCode.get('notes')).toMatchObject({ sortable: false, operators: [] });
  });
});
