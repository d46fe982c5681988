import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { admin, OTHER_ISSUER } from '../../../helpers/api/test-tokens.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const UPLOADS = `${RECORDS}/customer/import/uploads`;

async function withUploads(more = {}) {
  const storage = memoryStorage();
  const api = anEntitiesApi({ host: { permissionEvaluator: claimsPermissionEvaluator, storage } });
  await api.define(aCustomerEntity(more));
  const announce = async (format: string, text: string) => {
    const answer = await api.post(UPLOADS, { format, ...factsOf(text) });
    return { ...answer, at: String(answer.headers.location) };
  };
  const send = async (at: string, text: string) => {
    const { upload } = (await api.get(at)).body as { upload: Upload };
    const { method, url, headers } = upload;
    const path = url.replace('http://api.example.com', '');
    return api.call({ method, path, headers, caller: null, body: Buffer.from(text) });
  };
  return { ...api, storage, announce, send };
}

interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const factsOf = (text: string) => ({
  sizeBytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

const csv = `name,amount\r\n${Array.from({ length: 600 }, (_, at) => `"n, ${at}",${at}`).join('\r\n')}\r\n`;
const ndjson = `${Array.from({ length: 600 }, (_, at) => JSON.stringify({ name: `ế ${at}`, amount: at })).join('\n')}\n`;

describe('the link of an announced file', () => {
  it.each([
    [{}, 'http://api.example.com'],
    [{ 'web.public-url': 'https://shop.example' }, 'https://shop.example'],
  ])('is absolute, and never leads to where a caller says (%j)', async (svc, address) => {
    const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
    const api = anEntitiesApi({ host, svc });
    await api.define(aCustomerEntity());
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };

    const { body } = await api.post(UPLOADS, { format: 'csv', ...factsOf(csv) }, { headers });

    const { url } = body.upload as Upload;
    expect(url).toMatch(/^https?:[^?]*\/api\/v1\/entity-definitions\/files\?token=/);
    expect(new URL(url).origin).toBe(address);
  });
});

describe('an import of an uploaded file', () => {
  it.each([
    ['csv', csv],
    ['csv', `\ufeff${csv.trimEnd()}`],
    ['ndjson', ndjson],
    ['json', `[${ndjson.trim().split('\n').join(',')}]`],
  ])(
    'stores every row of %s once and leaves no file',
    async (format, text) => {
      const { announce, send, post, get, runJobs, storage, context } = await withUploads();
      const announced = await announce(format, text);
      const stored = await send(announced.at, text);
      const ready = await get(announced.at);
      context.db.failNext('network', { operation: 'TransactWriteItems', after: 14 });

      const started = await post(`${announced.at}:import`);
      await runJobs();
      context.clock.advance(600_000);
      await get(String(started.headers.location));
      await runJobs();
      const job = await get(String(started.headers.location));

      expect([announced.status, stored.status, started.status]).toEqual([201, 204, 202]);
      expect(ready.body).toMatchObject({ state: 'UPLOADED', ...factsOf(text) });
      expect(job.body, job.text).toMatchObject({
        state: 'DONE',
        processed: 600,
        total: 600,
        result: { created: 600, failed: 0 },
      });
      expect((await get(`${RECORDS}/customer?sort=-amount&size=1`)).body).toMatchObject({
        totalElements: 600,
        content: [{ amount: 599 }],
      });
      expect([...storage.files]).toEqual([]);
    },
    60_000,
  );

  it.each([
    ['insert', '', [60, 0, 60]],
    ['upsert', '?mode=upsert&key=email', [60, 60, 0]],
  ])(
    'ends each step in time though every write is slow: %s',
    async (_mode, how, counts) => {
      // Records of a tree are created one by one.
      const { announce, send, post, get, runJobs, context } = await withUploads({
        hierarchical: true,
      });
      const row = (at: number) =>
        JSON.stringify({ name: `n${at}`, email: `e${at % 60}@x.example` });
      const rows = Array.from({ length: 120 }, (_, at) => row(at)).join('\n');
      const { at } = await announce('ndjson', rows);
      await send(at, rows);
      const location = String((await post(`${at}:import${how}`)).headers.location);
      const slow = (): void => context.clock.advance(4_000);

      let job = await get(location);
      for (let turn = 0; turn < 30 && job.body.state !== 'DONE'; turn += 1) {
        const stop = context.db.before('TransactWriteItems', slow);
        await runJobs();
        stop();
        context.clock.advance(200_000);
        job = await get(location);
      }

      expect(job.body, job.text).toMatchObject({ state: 'DONE', processed: 120 });
      const { created, updated, failed } = job.body.result as Record<string, number>;
      expect([created, updated, failed]).toEqual(counts);
      const steps = context.log.named('job').map(({ processed }) => Number(processed));
      const sizes = steps.map((processed, step) => processed - (steps[step - 1] ?? 0));
      expect(Math.max(...sizes), sizes.join()).toBeLessThan(20);
    },
    60_000,
  );

  it('ends a step in time and goes on with the row after its last', async () => {
    const { announce, send, post, get, context } = await withUploads({ requirePermission: true });
    const { at } = await announce('ndjson', ndjson);
    await send(at, ndjson);
    const started = await post(`${at}:import`);
    const slow = anEntitiesApi({
      besides: context,
      host: {
        storage: context.host.storage,
        permissionEvaluator: {
          hasPermission: (_who, _target, action) => {
            if (action === 'add') context.clock.advance(2_500);
            return true;
          },
        },
      },
    });

    await slow.runJobs();

    const job = await get(String(started.headers.location));
    expect(job.body, job.text).toMatchObject({
      state: 'DONE',
      processed: 600,
      result: { created: 600, failed: 0 },
    });
    const steps = slow.context.log.named('job');
    expect(steps.map(({ processed }) => processed)).toEqual([300, 500, 600, 600]);
  });

  it('is one job, however often it is asked for', async () => {
    const { announce, send, post, get } = await withUploads();
    const { at } = await announce('ndjson', '{"name":"An"}');
    await send(at, '{"name":"An"}');

    const first = await post(`${at}:import`);
    const second = await post(`${at}:import`);

    expect(second.body.id).toBe(first.body.id);
    expect((await get(at)).body).toMatchObject({ state: 'IMPORTED', jobId: first.body.id });
  });

  it('belongs to the subject of one issuer', async () => {
    const { announce, send, post, get } = await withUploads();
    const { at } = await announce('ndjson', '{"name":"An"}');
    await send(at, '{"name":"An"}');
    const elsewhere = { ...admin, iss: OTHER_ISSUER };

    const seen = await get(at, { caller: elsewhere });
    const imported = await post(`${at}:import`, undefined, { caller: elsewhere });

    for (const answer of [seen, imported]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'UPLOAD_NOT_FOUND' } });
    }
  });

  it('is refused before the file is there, and when it is not the announced one', async () => {
    const { announce, post, storage } = await withUploads();
    const { at, body } = await announce('csv', 'name\r\nAn\r\n');

    const early = await post(`${at}:import`);
    storage.files.set(`entities/imports/${body.id}.csv`, Buffer.from('name\r\nBn\r\n'));
    const other = await post(`${at}:import`);

    expect(early).toMatchObject({ status: 409, body: { code: 'UPLOAD_INCOMPLETE' } });
    expect(other).toMatchObject({ status: 422, body: { code: 'UPLOAD_MISMATCH' } });
  });

  it.each([
    ['csv', 'name\r\n"An', 'Quote Not Closed'],
    ['csv', 'name,name\r\n', 'names name twice'],
    ['csv', 'name\r\nAn,1\r\n', 'more cells'],
    ['ndjson', '{"name":"An"}\n{"name"', 'is not valid JSON'],
    ['ndjson', '[]', 'is not an object'],
  ])('fails with what is wrong with the file: %s %j', async (format, text, detail) => {
    const { announce, send, post, get, runJobs } = await withUploads();
    const { at } = await announce(format, text);
    await send(at, text);

    const started = await post(`${at}:import`);
    await runJobs();
    const { body } = await get(String(started.headers.location));

    expect(body).toMatchObject({
      state: 'FAILED',
      result: { code: 'IMPORT_INVALID', detail: expect.stringContaining(detail) },
    });
  });

  it('belongs to who has announced it, and to its entity', async () => {
    const { announce, get, post, define } = await withUploads();
    await define(aCustomerEntity({ code: 'copy', apiPath: 'copies' }));
    const { at } = await announce('csv', 'name\r\nAn\r\n');
    const stranger = { caller: { sub: 'other', roles: ['admin'] } };

    const answers = [
      await get(at, stranger),
      await post(`${at}:import`, undefined, stranger),
      await get(at.replace('/customer/', '/copy/')),
      await get(at.replace(/[0-9a-f-]{36}$/, '0a000000-0000-7000-8000-000000000001')),
    ];

    expect(answers.map(({ body }) => body.code)).toEqual(Array(4).fill('UPLOAD_NOT_FOUND'));
  });

  it('expires with its file', async () => {
    const { announce, get, context } = await withUploads();
    const { at } = await announce('csv', 'name\r\nAn\r\n');
    context.clock.advance(7 * 24 * 3_600_000);

    expect(await get(at)).toMatchObject({ status: 404, body: { code: 'UPLOAD_NOT_FOUND' } });
  });

  it.each([
    [{ sizeBytes: 4_500_001 }, '/sizeBytes', 'TOO_BIG'],
    [{ sizeBytes: 268_435_457 }, '/sizeBytes', 'TOO_BIG'],
    [{ sizeBytes: 0 }, '/sizeBytes', 'TOO_SMALL'],
    [{ sha256: 'abc' }, '/sha256', 'INVALID_FORMAT'],
    [{ format: 'xml' }, '/format', 'INVALID_VALUE'],
  ])('is not announced with %j', async (wrong, pointer, code) => {
    const { post } = await withUploads();

    const { body } = await post(UPLOADS, { format: 'csv', ...factsOf('x'), ...wrong });

    expect(body).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ pointer, code }],
    });
  });

  it('tells a row that has the id of an earlier one, beyond the step of that one', async () => {
    const { announce, send, post, get, runJobs } = await withUploads();
    const idOf = (at: number) => `0a000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    const rows = Array.from({ length: 300 }, (_, at) => ({ id: idOf(at), name: `n${at}` }));
    const text = [...rows, { id: idOf(3), name: 'again' }]
      .map((row) => JSON.stringify(row))
      .join('\n');
    const { at } = await announce('ndjson', text);
    await send(at, text);

    const started = await post(`${at}:import`);
    await runJobs();
    const { body } = await get(String(started.headers.location));

    expect(body.result).toMatchObject({ created: 300, failed: 1, errors: [{ row: 301 }] });
    expect(contentOf(await get(`${RECORDS}/customer?name=again`))).toEqual([]);
  });
});
