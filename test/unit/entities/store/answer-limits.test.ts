import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const THINGS = `${RECORDS}/things`;
const LAMBDA_LIMIT = 6 * 1_048_576;
const longText = { type: 'string', format: 'textarea' };

async function anApiOf(properties: Readonly<Record<string, object>>, more: object = {}) {
  const api = anEntitiesApi({
    svc: { web: { 'max-body': 6_000_000 } },
    host: { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() },
  });
  const uiSchemaJson = { type: 'object', properties, 'x-label': 'name' };
  const defined = await api.define({
    ...{ code: 'thing', name: 'Thing', apiPath: 'things', uiSchemaJson },
    ...more,
  });
  expect(defined.status, defined.text).toBe(201);
  return api;
}

const bytesOf = ({ text }: ApiAnswer): number => Buffer.byteLength(JSON.stringify(text));
const name = { type: 'string' };

describe('the results of a bulk call', () => {
  it('fit an answer whatever is wrong with 500 records', async () => {
    const values = Array.from({ length: 1_000 }, (_, at) => `value ${at}`);
    const choice = { type: 'string', enum: values, 'x-facet': false };
    const api = await anApiOf({ name, a: choice, b: choice });
    const operations = Array.from({ length: 500 }, () => ({
      op: 'create',
      data: { a: 'x', b: 'y' },
    }));

    const answer = await api.post(`${THINGS}/bulk`, { operations });

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(bytesOf(answer)).toBeLessThan(LAMBDA_LIMIT);
    const results = answer.body.results as { status: number; error: Record<string, unknown> }[];
    expect(results.map(({ status }) => status)).toEqual(operations.map(() => 400));
    expect(results[0]?.error.errors).toHaveLength(2);
    expect(results.at(-1)?.error).not.toHaveProperty('errors');
    expect(results.at(-1)?.error.detail).toMatch(/2 errors.*send fewer operations/);
  });
});

describe('the answer to a create', () => {
  it('that holds more than can be sent says that the record is there, and where', async () => {
    const api = await anApiOf({ name, text: longText });

    const made = await api.post(THINGS, { text: '"'.repeat(2_400_000) });
    const read = await api.get(`${String(made.headers.location)}?fields=name`);

    expect(made).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(made.body.detail).toMatch(/has been carried out\. Read the record .* fields/);
    expect(read.status).toBe(200);
  });
});

describe('what a bulk call quotes of what was sent', () => {
  it('is shortened, so that its answer fits', async () => {
    const api = await anApiOf({ name, to: { type: 'string', 'x-reference': { entity: 'thing' } } });
    const to = '"'.repeat(1_400_000);
    const operations = [1, 2].map(() => ({ op: 'create', data: { to } }));

    const answer = await api.post(`${THINGS}/bulk`, { operations });

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    const results = answer.body.results as { error: { code: string; detail: string } }[];
    expect(results.map(({ error }) => error.code)).toEqual(
      operations.map(() => 'REFERENCE_NOT_FOUND'),
    );
    expect(results.every(({ error }) => error.detail.length <= 600)).toBe(true);
  });
});

describe('the header that names encrypted fields', () => {
  it('has names of any language, and no more than an answer takes', async () => {
    const secret = { type: 'string', 'x-encrypted': true };
    const few = await anApiOf({ name, số: secret, code: secret });
    const many = await anApiOf({
      name,
      ...Object.fromEntries(
        Array.from({ length: 300 }, (_, at) => [`${'ă'.repeat(60)}${at}`, secret]),
      ),
    });

    const header = async (api: typeof few) =>
      String((await api.get(`${THINGS}/export`)).headers['x-left-out-fields']);

    expect(await header(few)).toBe('s%E1%BB%91,code');
    const cut = await header(many);
    expect(cut.length).toBeLessThanOrEqual(4_100);
    expect(cut).toMatch(/^(?:[%\w]+,)+\.\.\.$/);
  });
});

describe('counts by value', () => {
  it('of values too long for an answer are refused with what to do, and given for fewer', async () => {
    const api = await anApiOf({ name, text: { type: 'string' } });
    for (let at = 0; at < 10; at += 1) {
      const made = await api.post(THINGS, { name: `n${at}`, text: `${at}${'"'.repeat(350_000)}` });
      expect(made.status, made.text.slice(0, 200)).toBe(201);
    }

    const all = await api.get(`${THINGS}/facets?fields=name,text`);
    const fewer = await api.get(`${THINGS}/facets?fields=name,text&name=n1,n2`);
    const names = await api.get(`${THINGS}/facets?fields=name`);

    expect(all).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(all.body.detail).toMatch(/Name fewer fields .* or filter for fewer records/);
    expect([fewer.status, names.status]).toEqual([200, 200]);
    expect(fewer.body.text).toHaveLength(2);
  });
});

describe('a tree', () => {
  it('that is too large for an answer is refused with what to do, and shown in parts', async () => {
    const api = await anApiOf({ name, text: longText }, { hierarchical: true });
    const top = String((await api.post(THINGS, { name: 'top' })).body.id);
    for (let at = 0; at < 10; at += 1) {
      await api.post(THINGS, { name: `n${at}`, parentId: top, text: '"'.repeat(350_000) });
    }

    const whole = await api.get(`${THINGS}/tree?fields=text`);
    const part = await api.get(`${THINGS}/tree?fields=text&maxNodes=5`);
    const bare = await api.get(`${THINGS}/tree`);

    expect(whole).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(whole.body.detail).toMatch(/maxNodes, or by root and depth, or for fewer fields/);
    expect([part.status, bare.status]).toEqual([200, 200]);
  });
});

describe('the history of a record', () => {
  it('with entries of the largest size is cut and leads on to each of them', async () => {
    const texts = Array.from({ length: 90 }, (_, at) => `f${at}`);
    const fields = Object.fromEntries(texts.map((code) => [code, longText]));
    const api = await anApiOf({ name, ...fields }, { options: { history: true } });
    const valuesAt = (letter: string) =>
      Object.fromEntries(texts.map((code) => [code, letter.repeat(900)]));
    const path = `${THINGS}/${String((await api.post(THINGS, valuesAt('a'))).body.id)}`;
    for (let at = 1; at < 45; at += 1) await api.put(path, valuesAt(at % 2 ? '"' : '\\'));

    const versions: unknown[] = [];
    const sizes: number[] = [];
    for (let next = ''; ; ) {
      const page = await api.get(`${path}/history?size=200${next}`);
      expect(page.status, page.text.slice(0, 300)).toBe(200);
      sizes.push(bytesOf(page));
      versions.push(...contentOf(page).map(({ version }) => version));
      if (page.body.nextCursor === null) break;
      next = `&cursor=${String(page.body.nextCursor)}`;
    }

    expect(versions).toEqual(Array.from({ length: 45 }, (_, at) => 45 - at));
    expect(Math.max(...sizes)).toBeLessThan(LAMBDA_LIMIT);
    expect(sizes.length).toBeGreaterThan(1);
  }, 60_000);
});

describe('the result of a job', () => {
  it('names the first 100 mistakes of a file, however long the names in it are', async () => {
    const api = await anApiOf({ name });
    const row = (at: number) => JSON.stringify({ [`${at}${'漢'.repeat(2_000)}`]: 1 });
    const rows = Array.from({ length: 600 }, (_, at) => row(at)).join('\n');

    const started = await api.post(`${THINGS}/import`, rows, {
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await api.runJobs();
    const job = await api.get(String(started.headers.location));

    expect(started.status, started.text.slice(0, 300)).toBe(202);
    expect(job.body, job.text.slice(0, 300)).toMatchObject({ state: 'DONE', processed: 600 });
    const { failed, errors } = job.body.result as { failed: number; errors: unknown[] };
    expect([failed, errors.length]).toEqual([600, 100]);
    expect(bytesOf(job)).toBeLessThan(LAMBDA_LIMIT);
  });
});

describe('a transaction of the caller', () => {
  it('takes 100 writes, and refuses one more with their number', async () => {
    const plain = { type: 'string', 'x-searchable': false };
    const api = await anApiOf({ name: plain });
    // A record, its row in the list; the counters are shared: 1 + 2 x 49 = 99, and 101 with one more.
    const together = (count: number) => {
      const operations = Array.from({ length: count }, () => ({ op: 'create', data: {} }));
      return api.post(`${THINGS}/bulk`, { atomic: true, operations });
    };

    const fits = await together(49);
    const refused = await together(50);

    expect(fits.status, fits.text.slice(0, 300)).toBe(200);
    expect(refused).toMatchObject({ status: 422, body: { code: 'UNIT_TOO_LARGE' } });
    expect(refused.body.detail).toMatch(/101 items .* limit is 100. Split/);
    expect(refused.body).toMatchObject({ records: 50, writes: 101, maxWrites: 100, fits: 49 });
    expect(refused.body.detail).toContain('Its 50 records make 101 writes');
  });

  it('takes 4 MB, and refuses more with their number, writes and bytes', async () => {
    const plain = { type: 'string', format: 'textarea' };
    const api = await anApiOf({ name: plain });
    const together = (count: number) => {
      const data = { name: 'x'.repeat(200_000) };
      const operations = Array.from({ length: count }, () => ({ op: 'create', data }));
      return api.post(`${THINGS}/bulk`, { atomic: true, operations });
    };

    const fits = await together(20);
    const refused = await together(22);

    expect(fits.status, fits.text.slice(0, 300)).toBe(200);
    expect(refused.body).toMatchObject({
      ...{ status: 422, code: 'UNIT_TOO_LARGE', records: 22, maxBytes: 4_194_304, fits: 20 },
      writes: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(refused.body.detail).toContain('Its 22 records make');
  });
});
