import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { functionLog } from '../../helpers/cloud/function-log.ts';
import { saveAesKey } from '../../helpers/cloud/save-aes-key.ts';

const DEFINITIONS = '/api/v1/entity-definitions';
const unique = (name: string): string => `${name}-${randomUUID().slice(0, 8)}`;

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Họ tên', maxLength: 200 },
    email: { type: 'string', format: 'email', 'x-unique': true },
    status: { type: 'string', enum: ['open', 'closed'] },
    amount: { type: 'number' },
    notes: { type: 'string', format: 'textarea' },
  },
};

let api: ApiClient;

beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'mai', roles: ['admin'] }),
  });
});

async function declare(more: object = {}): Promise<{ code: string; records: string }> {
  const code = unique('person');
  const { status, text } = await api.post(DEFINITIONS, {
    body: {
      code,
      name: 'Người',
      apiPath: unique('people'),
      uiSchemaJson: JSON.stringify(schema),
      ...more,
    },
  });
  expect(status, text).toBe(201);
  return { code, records: `/api/v1/dynamic/${code}` };
}

/** Asks until the answer is as hoped. */
async function until<T>(ask: () => Promise<T>, isReached: (answer: T) => boolean): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    const answer = await ask();
    if (isReached(answer) || turn === 240) return answer;
    await sleep(500);
  }
}

/** The job at a place, once it has ended. */
function jobAt(location = '') {
  return until(
    () => api.get(location),
    ({ body }) => body.state === 'DONE' || body.state === 'FAILED',
  );
}

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

  it('is exported and imported into another one', async () => {
    const [from, to] = [await declare(), await declare()];
    await api.post(from.records, { body: { name: '=1+1', notes: 'it\'s "so"\nsaid' } });
    await api.post(from.records, { body: { name: '', amount: -0.5 } });

    const file = await api.get(`${from.records}/export`, { query: { format: 'csv' } });
    const done = await api.post(`${to.records}/import`, {
      body: file.text,
      headers: { 'content-type': 'text/csv' },
    });
    const one = await api.get(`${from.records}/export`, { query: { format: 'json' } });
    const other = await api.get(`${to.records}/export`, { query: { format: 'json' } });

    expect(done.body, done.text).toMatchObject({ created: 2, failed: 0 });
    expect(other.body).toEqual(one.body);
  });

  it('is exported by a job to a file behind a link, and imported from that file', async () => {
    const [from, to] = [await declare(), await declare()];
    const filler = 'Đường Lê Lợi, "Huế"\n'.repeat(2_250);
    const records = Array.from({ length: 60 }, (_, at) => ({
      name: at % 3 ? `=n${at}` : `Nguyễn ${at}`,
      email: `e${at}@example.com`,
      amount: at / 8,
      notes: filler + at,
    }));
    for (let at = 0; at < records.length; at += 10) {
      const operations = records.slice(at, at + 10).map((data) => ({ op: 'create', data }));
      const { status, text } = await api.post(`${from.records}/bulk`, { body: { operations } });
      expect(status, text.slice(0, 300)).toBe(200);
    }

    const started = await api.get(`${from.records}/export`, { query: { format: 'ndjson' } });
    const exported = await jobAt(started.headers.location);
    const file = await fetch(exported.body.link);
    const stranger = await api
      .as(await cloud.token({ sub: 'other', roles: ['admin'] }))
      .get(String(started.headers.location));
    const text = await file.text();
    const imported = await api.post(`${to.records}/import`, {
      body: text,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(imported.body, imported.text).toEqual({
      created: records.length,
      updated: 0,
      failed: 0,
      errors: [],
    });
    const copy = await api.get(`${to.records}/export`, { query: { format: 'ndjson' } });
    const copied = await fetch((await jobAt(copy.headers.location)).body.link);

    expect(started.status, started.text.slice(0, 300)).toBe(202);
    expect(exported.body).toMatchObject({
      state: 'DONE',
      result: { bytes: Buffer.byteLength(text) },
    });
    expect([file.status, stranger.status]).toEqual([200, 404]);
    expect(file.headers.get('content-type')).toBe('application/x-ndjson');
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="?[\w-]+_\d{14}\.ndjson"?$/,
    );
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject(records);
    expect((await copied.text()) === text).toBe(true);
    const changed = new URL(exported.body.link);
    changed.pathname = changed.pathname.replace(/[^/]+$/, 'another');
    expect((await fetch(changed)).status).toBe(403);
  });

  it('is imported from a file that was uploaded by a link, which takes the announced content only', async () => {
    const { records } = await declare();
    const text = Array.from({ length: 300 }, (_, at) => `{"name":"Ế ${at}","amount":${at}}`).join(
      '\n',
    );
    const bytes = Buffer.from(text);
    const announcement = {
      format: 'ndjson',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    const announced = await api.post(`${records}/import/uploads`, { body: announcement });
    const { method, url, headers } = announced.body.upload;
    const at = String(announced.headers.location);

    const other = Buffer.from(bytes).fill(0x20, 0, 1);
    const refused = [
      await fetch(url, { method, headers, body: other }),
      await fetch(url, { method, headers, body: bytes.subarray(1) }),
    ];
    const early = await api.post(`${at}:import`);
    const stored = await fetch(url, { method, headers, body: bytes });
    const ready = await api.get(at);
    const job = await jobAt((await api.post(`${at}:import`)).headers.location);

    expect(refused.map(({ status }) => status)).toEqual([400, 403]);
    expect(early.body).toMatchObject({ status: 409, code: 'UPLOAD_INCOMPLETE' });
    expect([stored.status, ready.body.state]).toEqual([200, 'UPLOADED']);
    expect(job.body, job.text).toMatchObject({
      state: 'DONE',
      processed: 300,
      result: { created: 300, failed: 0 },
    });
    const s3 = new S3Client({ ...cloud.awsClientConfig(), forcePathStyle: true });
    const left = await s3.send(
      new ListObjectVersionsCommand({
        Bucket: cloud.outputs.bucketName,
        Prefix: `entities/imports/${announced.body.id}`,
      }),
    );
    expect([...(left.Versions ?? []), ...(left.DeleteMarkers ?? [])]).toEqual([]);
  });

  it('is imported from a form', async () => {
    const { records } = await declare();
    const form = new FormData();
    form.append('file', new File(['name\r\nĐỗ\r\n'], 'khách hàng.csv', { type: 'text/csv' }));
    const request = new Request(cloud.baseUrl, { method: 'POST', body: form });

    const done = await api.post(`${records}/import`, {
      body: Buffer.from(await request.arrayBuffer()),
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    });

    expect(done.body, done.text).toMatchObject({ created: 1, failed: 0 });
    expect((await api.get(records)).body.content).toMatchObject([{ name: 'Đỗ' }]);
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

describe('warm environments', () => {
  const PARALLEL = 6;
  const IN_FORCE_MS = 10_000;

  /** Sends one call to each of several environments. */
  const everywhere = <T>(call: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: PARALLEL }, call));
  const statuses = (answers: readonly { status: number }[]): number[] =>
    answers.map(({ status }) => status);
  const all = (status: number): number[] => Array.from({ length: PARALLEL }, () => status);

  afterAll(async () => {
    const starts = (await functionLog('entities')).filter((line) =>
      line.includes('"message":"start"'),
    );
    expect(starts.length).toBeGreaterThanOrEqual(3);
  });

  it('take an entity and a field that another one has declared, at once', async () => {
    const code = unique('late');
    const records = `/api/v1/dynamic/${code}`;
    const read = (query: Record<string, string> = {}) =>
      everywhere(() => api.get(records, { query }));
    const wider = { ...schema, properties: { ...schema.properties, city: { type: 'string' } } };

    const early = await read();
    const { status } = await api.post(DEFINITIONS, {
      body: { code, name: 'Late', uiSchemaJson: schema },
    });
    const declared = await read();
    const unknown = await read({ city: 'Huế' });
    const changed = await api.put(`${DEFINITIONS}/code/${code}/schema`, { body: wider });
    const made = await everywhere(() => api.post(records, { body: { name: 'x', city: 'Huế' } }));
    const found = await read({ city: 'Huế' });

    expect([status, changed.status]).toEqual([201, 200]);
    expect(statuses(early)).toEqual(all(404));
    expect(statuses(declared)).toEqual(all(200));
    expect(statuses(unknown)).toEqual(all(400));
    expect(statuses(made)).toEqual(all(201));
    expect(found.map(({ body }) => body.totalElements)).toEqual(all(PARALLEL));
  });

  it('all ask for a token within ten seconds after an entity ceased to be public', async () => {
    const { code, records } = await declare({ requireAuth: false });
    const stranger = api.as(null);
    const before = await everywhere(() => stranger.get(records));

    const changed = await api.put(`${DEFINITIONS}/code/${code}`, { body: { requireAuth: true } });
    const inForceAt = Date.now() + IN_FORCE_MS;
    // Use does not prolong the life of what is cached. A call counts by the time it was sent.
    while (Date.now() < inForceAt - 500) {
      await everywhere(() => stranger.get(records));
      await sleep(500);
    }
    await sleep(Math.max(0, inForceAt - Date.now()));
    const after = [
      await everywhere(() => stranger.get(records)),
      await everywhere(() => stranger.get(records)),
    ];

    expect(changed.status).toBe(200);
    expect(statuses(before)).toEqual(all(200));
    expect(after.map(statuses)).toEqual([all(401), all(401)]);
  });
});

describe('writers at the same time', () => {
  it('leave one of twenty with a unique value', async () => {
    const { records } = await declare();
    const body = { name: 'race', email: 'race@example.com' };

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.post(records, { body })),
    );

    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toMatchObject(Array.from({ length: 19 }, () => ({ status: 409 })));
  });

  it('lose none of twenty changes of one record', async () => {
    const codes = Array.from({ length: 20 }, (_, at) => `f${at}`);
    const properties = Object.fromEntries(codes.map((code) => [code, { type: 'string' }]));
    const { records } = await declare({ uiSchemaJson: { type: 'object', properties } });
    const { id } = (await api.post(records, { body: {} })).body;

    const answers = await Promise.all(
      codes.map((code) => api.put(`${records}/${id}`, { body: { [code]: 'x' } })),
    );
    const read = await api.get(`${records}/${id}`);

    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200));
    expect(read.body).toMatchObject(Object.fromEntries(codes.map((code) => [code, 'x'])));
  });

  it.each(['before', 'after'])(
    'never leave a reference to a record that is deleted right %s',
    async (order) => {
      const teams = await declare();
      const properties = { team: { type: 'string', 'x-reference': { entity: teams.code } } };
      const people = await declare({ uiSchemaJson: { type: 'object', properties } });

      for (let round = 0; round < 4; round += 1) {
        const team = (await api.post(teams.records, { body: { name: 'T' } })).body.id;
        const early = order === 'before' ? api.delete(`${teams.records}/${team}`) : undefined;
        const reference = api.post(people.records, { body: { team } });
        const deletion = await (early ?? api.delete(`${teams.records}/${team}`));
        const { status, body } = await reference;
        const target = await api.get(`${teams.records}/${team}`);
        const pointing = await api.get(people.records, { query: { team, consistent: 'true' } });

        // Both may be refused: the mark of the deletion stops the reference that stops the deletion.
        const outcomes = [
          '201 undefined 409',
          '400 REFERENCE_NOT_FOUND 204',
          '409 DELETION_IN_PROGRESS 204',
          '409 DELETION_IN_PROGRESS 409',
        ];
        expect(outcomes).toContain(`${status} ${body.code} ${deletion.status}`);
        expect(target.status).toBe(deletion.status === 204 ? 404 : 200);
        expect(pointing.body.totalElements).toBe(status === 201 ? 1 : 0);
      }
    },
  );

  it('never make a cycle of two moves', async () => {
    const { records } = await declare({ hierarchical: true });
    const make = async (name: string, parentId?: string): Promise<string> =>
      (await api.post(records, { body: { name, ...(parentId && { parentId }) } })).body.id;
    const [a, b] = [await make('A'), await make('B')];
    const [a1, b1] = [await make('A1', a), await make('B1', b)];

    const moves = await Promise.all([
      api.put(`${records}/${a}`, { body: { parentId: b1 } }),
      api.put(`${records}/${b}`, { body: { parentId: a1 } }),
    ]);
    const tree = await api.get(`${records}/tree`);

    expect(moves.map(({ status }) => status).sort()).toEqual([200, 409]);
    const size = (nodes: { children: [] }[]): number =>
      nodes.reduce((sum, { children }) => sum + 1 + size(children), 0);
    expect(size(tree.body)).toBe(4);
  });
});
