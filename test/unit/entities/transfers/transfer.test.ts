import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guard, unguard } from '../../../../shared/csv/csv.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { aRecord } from '../../../helpers/entity-queries/random-queries.ts';
import { anEntitiesApi, RECORDS, storeAesKey } from '../entities-api.ts';
import { create, elsewhere, FROM, TO, withEntities } from './two-entities.ts';

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
