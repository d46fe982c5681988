import { describe, expect, it } from 'vitest';
import type { PermissionEvaluator } from '../../../../shared/ports/security.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { anEntitiesApi, RECORDS } from '../../entities/entities-api.ts';
import { dyingAt } from '../dying-at.ts';
import { isLong } from '../long-form.ts';
import { ofTenant } from '../templates-api.ts';
import { aBatchesApi, REQUIRED, records } from './batches-api.ts';

const JOB_LEASE_MS = 150_000;
/** How many writes of a small batch come between two deaths. */
const STRIDE = isLong ? 1 : 7;
/** Records of a large batch, and its writes between two deaths. */
const MANY = isLong ? 500 : 25;
const MAX_LIFE = isLong ? 400 : 60;

describe('POST /api/v1/templates/{id}/batches', () => {
  it('generates a document for each record, and puts them into one archive', async () => {
    const world = await aBatchesApi({ fields: REQUIRED });

    const { status, headers, body } = await world.startBatch({
      records: records('An', undefined, 'Chi'),
    });
    await world.runJobs();
    const done = await world.batch(body.batchId);

    expect(status).toBe(202);
    expect(headers.location).toBe(`${world.path}/batches/${body.batchId}`);
    expect(body).toMatchObject({ state: 'WAITING', processed: 0, total: 3, fileUrl: null });
    expect(done.body).toMatchObject({ state: 'DONE', processed: 3, failed: 1, failure: null });
    expect(done.body.fileUrl).toEqual(expect.any(String));
    const [file = '', ...others] = world.batchFiles();
    expect(others).toEqual([]);
    expect(await world.archived(file)).toEqual([
      [expect.stringMatching(/^0001_HDLD_\d+-\d+\.docx$/), '0001/2026/HDLD An'],
      [expect.stringMatching(/^0003_HDLD_\d+-\d+\.docx$/), '0002/2026/HDLD Chi'],
    ]);
    expect([...world.storage.files.keys()].join()).not.toContain('templates/requests/');
  });

  it('tells what became of each record, page by page', async () => {
    const world = await aBatchesApi({ fields: REQUIRED });
    const { body } = await world.startBatch({ records: records('An', undefined) });
    await world.runJobs();

    const all = await world.results(body.batchId);
    const second = await world.results(body.batchId, '?page=1&size=1');

    expect(all).toMatchObject([
      { index: 0, entityId: null, status: 'GENERATED', failure: null },
      {
        index: 1,
        status: 'FAILED',
        generationId: null,
        failure: { code: 'REQUIRED_FIELD_MISSING' },
      },
    ]);
    expect(second).toEqual(all.slice(1));
    expect((await world.get(all[0]?.generationId)).body.status).toBe('GENERATED');
  });

  it('makes all documents of the version that was the newest at its start', async () => {
    const world = await aBatchesApi();
    const { body } = await world.startBatch({ records: records('An') });
    await world.api.post(`${world.path}/file-versions/1:restore`);

    await world.runJobs();

    expect(body.fileVersion).toBe(1);
    expect((await world.list()).body.content).toMatchObject([{ fileVersion: 1 }]);
  });

  it('starts one batch for each Idempotency-Key', async () => {
    const world = await aBatchesApi();
    const headers = { 'idempotency-key': 'k' };

    const first = await world.startBatch({ records: records('An') }, { headers });
    const again = await world.startBatch({ records: records('An') }, { headers });
    await world.runJobs();

    expect(again.body.batchId).toBe(first.body.batchId);
    expect(world.outputs()).toHaveLength(1);
  });

  it('refuses what cannot be a batch', async () => {
    const world = await aBatchesApi();
    const many = Array.from({ length: 501 }, () => ({}));

    const answers = [
      await world.startBatch({ records: [] }),
      await world.startBatch({ records: many }),
      await world.startBatch({ records: [{}], file: 'PDF' }),
      await world.startBatch({ records: [{ entityId: 'x' }] }),
    ];
    const version = await world.startBatch({ records: [{}], fileVersion: 9 });

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    const pointers = answers.map(({ body }) => (body.errors as { pointer: string }[])[0]?.pointer);
    expect(pointers).toEqual(['/records', '/records', '/file', '/records/0/entityId']);
    expect([version.status, version.body.code]).toEqual([404, 'FILE_VERSION_NOT_FOUND']);
  });

  it('prints all documents as it was asked to, and refuses at once what no engine does', async () => {
    const records = [{}];
    const none = { svc: { template: { enabled: true, 'pdf-converter': 'none' } } };
    const chromium = {
      svc: { template: { enabled: true, 'pdf-converter': 'chromium' } },
      functions: { 'pdf-chromium': 'the-function' },
    };
    const [plain, limited] = [await aBatchesApi(none), await aBatchesApi(chromium)];
    const pdf = { outputFormat: 'PDF', records };

    const answers = [
      await plain.startBatch(pdf),
      await limited.startBatch({ ...pdf, pdfA: true }),
      await limited.startBatch({ ...pdf, tagged: true }),
      await limited.startBatch({ records, tagged: true }),
      await limited.startBatch({ ...pdf, file: 'PDF', tagged: true }),
    ];

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'PDF_NOT_AVAILABLE'],
      [422, 'PDF_OPTION_NOT_SUPPORTED'],
      [202, undefined],
      [400, 'VALIDATION_FAILED'],
      [400, 'VALIDATION_FAILED'],
    ]);
    const [path = ''] = [...limited.storage.files.keys()].filter((name) =>
      name.startsWith('templates/requests/'),
    );
    const stored = JSON.parse(Buffer.from(limited.storage.files.get(path) ?? '').toString());
    expect(stored.pdf).toEqual({ tagged: true });
  });

  it('ends without a file when no document comes of it', async () => {
    const world = await aBatchesApi({ fields: REQUIRED });
    const { body } = await world.startBatch({ records: records(undefined) });

    await world.runJobs();

    expect((await world.batch(body.batchId)).body).toMatchObject({
      ...{ state: 'DONE', processed: 1, failed: 1, fileUrl: null },
    });
    expect(world.batchFiles()).toEqual([]);
  });

  it('leaves documents out that somebody has cancelled', async () => {
    const world = await aBatchesApi();
    const { body } = await world.startBatch({ records: records('An', 'Chi') });
    const { put } = world.storage;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/batches/')) return put(path, ...more);
      const answer = await put(path, ...more);
      const [first] = (await world.results(body.batchId)).filter(({ index }) => index === 0);
      if (first && path.startsWith('documents/generations/'))
        await world.cancel(first.generationId);
      return answer;
    };

    await world.runJobs();

    const [file = ''] = world.batchFiles();
    const entries = await world.archived(file);
    expect(entries.map(([, text]) => text)).toEqual(['0002/2026/HDLD Chi']);
  });

  it('tries again what may pass, and counts no failure', async () => {
    const world = await aBatchesApi();
    const { put } = world.storage;
    let failures = 2;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/') && failures > 0) {
        failures -= 1;
        throw new Error('The store does not answer');
      }
      return put(path, ...more);
    };

    const { body } = await world.startBatch({ records: records('An', 'Chi') });
    await world.runJobs();

    expect((await world.batch(body.batchId)).body).toMatchObject({ state: 'DONE', failed: 0 });
    expect(world.outputs()).toHaveLength(2);
    expect(world.events().map(([topic]) => topic)).not.toContain('template.generation.failed');
  });

  it('waits for a store that is asked too much for a while', async () => {
    const world = await aBatchesApi();
    const { body } = await world.startBatch({ records: records('An', 'Chi') });
    const { put } = world.storage;
    let refusals = 12;
    world.storage.put = async (path, ...more) => {
      if (!path.startsWith('documents/generations/') || refusals === 0) return put(path, ...more);
      refusals -= 1;
      throw Object.assign(new Error('Reduce your request rate'), { name: 'SlowDown' });
    };

    await world.runJobs();

    expect((await world.batch(body.batchId)).body).toMatchObject({ state: 'DONE', failed: 0 });
  });

  it('goes on after a record that fails for good', async () => {
    const world = await aBatchesApi();
    const { put } = world.storage;
    let broken = '';
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/')) {
        broken ||= path.split('/')[3] ?? '';
        if (path.includes(broken)) throw new Error('The store refuses this one');
      }
      return put(path, ...more);
    };

    const { body } = await world.startBatch({ records: records('An', 'Chi') });
    await world.runJobs();

    expect(await world.results(body.batchId)).toMatchObject([
      { status: 'FAILED', generationId: broken, failure: { code: 'INTERNAL_ERROR' } },
      { status: 'GENERATED' },
    ]);
    expect((await world.get(broken)).body.status).toBe('FAILED');
  });

  it('asks for the rights of its starter when each document is made', async () => {
    const rights = new Set(['employee:view']);
    const permissionEvaluator: PermissionEvaluator = {
      hasPermission: ({ id }, target, action) =>
        id !== 'lan' || target.startsWith('template') || rights.has(`${target}:${action}`),
    };
    const host = { permissionEvaluator, storage: memoryStorage() };
    const entities = anEntitiesApi({ host });
    const properties = { fullName: { type: 'string' } };
    const uiSchemaJson = { type: 'object', properties };
    await entities.define({ code: 'employee', name: 'x', requirePermission: true, uiSchemaJson });
    const made = await Promise.all(
      ['An', 'Binh', 'Chi'].map((fullName) => entities.post(`${RECORDS}/employee`, { fullName })),
    );
    const ids = made.map(({ body }) => String(body.id));
    const world = await aBatchesApi({
      ...{ besides: entities.context, host, storage: host.storage, text: '({{fullName}})' },
      template: { entityType: 'employee' },
    });
    const caller = { sub: 'lan', permissions: [] };
    const records = ids.map((entityId) => ({ entityId }));
    const { body } = await world.startBatch({ records }, { caller });
    const { put } = world.storage;
    let written = 0;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/')) written += 1;
      if (written === 1) await entities.remove(`${RECORDS}/employee/${ids[1]}`);
      if (written === 2) rights.clear();
      return put(path, ...more);
    };

    await world.runJobs();

    const texts = (await world.archived(world.batchFiles()[0] ?? '')).map(([, text]) => text);
    expect(texts).toEqual(['(An)', '()', '()']);
    const kept = world.context.db.items().filter(({ pk }) => String(pk).startsWith('TPL'));
    expect(JSON.stringify([kept, await world.results(body.batchId)])).not.toMatch(/Binh|Chi/);
  });

  it('is of its tenant, and knows the batches of its template only', async () => {
    const world = await aBatchesApi();
    const { body } = await world.startBatch({ records: records('An') });
    await world.runJobs();
    const caller = ofTenant('other');

    const other = await world.batch(body.batchId, { caller });
    const unknown = await world.batch('0197b4c0-0000-7000-8000-000000000009');

    expect([other.status, other.body.code]).toEqual([404, 'TEMPLATE_NOT_FOUND']);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'BATCH_NOT_FOUND']);
  });
});

describe('PUT /api/v1/templates/{id}/batches/{batchId}/cancel', () => {
  it('generates no further document; those that there are stay', async () => {
    const world = await aBatchesApi();
    const names = Array.from({ length: 25 }, (_, index) => `Person ${index}`);
    const { body } = await world.startBatch({ records: records(...names) });
    const { put } = world.storage;
    let cancelled = 0;
    world.storage.put = async (path, ...more) => {
      if (path.startsWith('documents/generations/') && cancelled === 0) {
        cancelled = (await world.cancelBatch(body.batchId)).status;
      }
      return put(path, ...more);
    };

    await world.runJobs();
    const ended = await world.cancelBatch(body.batchId);

    expect(cancelled).toBe(200);
    expect((await world.batch(body.batchId)).body).toMatchObject({
      ...{ state: 'CANCELLED', fileUrl: null },
    });
    expect(world.outputs()).toHaveLength(20);
    expect(world.batchFiles()).toEqual([]);
    expect([ended.status, ended.body.code]).toEqual([409, 'BATCH_ENDED']);
    expect([...world.storage.files.keys()].join()).not.toContain('templates/requests/');
  });
});

describe('a function that dies while it works on a batch', () => {
  it('at any write loses and doubles nothing', async () => {
    let deaths = 0;
    for (let writes = 0; ; writes += STRIDE) {
      const world = await aBatchesApi({ fields: REQUIRED });
      const { body } = await world.startBatch({ records: records('An', undefined, 'Chi') });

      const hasEnded = await dyingAt(writes, world, () => world.runJobs());
      for (let rounds = 0; rounds < 3; rounds += 1) {
        world.context.clock.advance(JOB_LEASE_MS + 1);
        await world.runTask('templates.sweep');
        await world.runJobs();
      }

      const place = `dead at write ${writes}`;
      const done = await world.batch(body.batchId);
      expect(done.body, place).toMatchObject({ state: 'DONE', processed: 3, failed: 1 });
      expect(
        (await world.results(body.batchId)).map(({ status }) => status),
        place,
      ).toEqual([...['GENERATED', 'FAILED', 'GENERATED']]);
      expect(world.outputs(), place).toHaveLength(2);
      expect(world.batchFiles(), place).toHaveLength(1);
      const entries = await world.archived(world.batchFiles()[0] ?? '');
      expect(
        entries.map(([, text]) => text),
        place,
      ).toEqual([...['0001/2026/HDLD An', '0002/2026/HDLD Chi']]);
      const failed = world.events().filter(([topic]) => topic === 'template.generation.failed');
      expect(failed, place).toEqual([]);
      if (hasEnded) break;
      deaths += 1;
    }
    expect(deaths * STRIDE).toBeGreaterThan(15);
  });

  it('again and again makes one document for each of many records, numbered in their order', async () => {
    const world = await aBatchesApi({ fields: REQUIRED });
    const { context } = world;
    const names = Array.from({ length: MANY }, (_, index) => `Person ${index}`);
    // Equal records have documents of their own.
    names[3] = names[2] ?? '';
    const { body } = await world.startBatch({ records: records(...names) });
    const random = seededRandom(16);
    let deaths = 0;
    for (let state: unknown = 'RUNNING'; state !== 'DONE'; ) {
      const life = Math.ceil(random() * MAX_LIFE);
      if (!(await dyingAt(life, world, () => world.runJobs()))) deaths += 1;
      context.clock.advance(JOB_LEASE_MS * 64);
      await world.runTask('templates.sweep');
      ({ state } = (await world.batch(body.batchId)).body);
      expect(state).not.toBe('FAILED');
    }

    const done = (await world.batch(body.batchId)).body;
    expect(done).toMatchObject({ processed: MANY, failed: 0 });
    const entries = await world.archived(world.batchFiles()[0] ?? '');
    const year = new Date(context.clock.now()).getFullYear();
    expect(entries.map(([, text]) => text)).toEqual(
      names.map((name, at) => `${String(at + 1).padStart(4, '0')}/${year}/HDLD ${name}`),
    );
    expect(world.outputs()).toHaveLength(MANY);
    expect(world.events().map(([topic]) => topic)).not.toContain('template.generation.failed');
    expect(deaths).toBeGreaterThan(4);
  });
});
