import { describe, expect, it } from 'vitest';
import { contentOf, DEFINITIONS } from '../entities-api.ts';
import { DEALS, deal, deals, file, sweep, type World } from './deals.ts';

const { properties } = deal.uiSchemaJson;
const withProperties = (more: object) => ({
  ...deal,
  uiSchemaJson: { type: 'object', properties: { ...properties, ...more } },
});

/** Gives files to fields that had texts. */
async function withFilesFor(api: World, codes: readonly string[]): Promise<void> {
  const more = Object.fromEntries(codes.map((code) => [code, file()]));
  const { uiSchemaJson } = withProperties(more);
  const changed = await api.put(`${DEFINITIONS}/code/deal/schema`, { uiSchemaJson });
  expect(changed.status, changed.text).toBe(200);
  await sweep(api);
}

describe('a field that had texts before it had files', () => {
  it('erases no file of another record', async () => {
    const api = await deals();
    const owner = await api.post(DEALS, { contract: await api.uploaded('one') });
    const other = await api.post(DEALS, { free: owner.body.contract });
    await withFilesFor(api, ['free']);
    expect((await api.get(`${other.headers.location}/files/free`)).status).toBe(404);
    expect((await api.put(String(other.headers.location), { free: null })).status).toBe(200);
    for (let round = 0; round < 3; round += 1) await sweep(api);
    expect(api.stored()).toEqual(['one']);
    expect((await api.get(`${owner.headers.location}/files/contract`)).status).toBe(200);
  });

  it('may have the text of another one until it is changed', async () => {
    const api = await deals(() => true, withProperties({ other: properties.free }));
    const made = await api.post(DEALS, { free: 'x', other: 'x' });
    await withFilesFor(api, ['free', 'other']);
    const path = String(made.headers.location);
    expect((await api.put(path, { name: 'B' })).status).toBe(200);
    expect((await api.remove(path)).status).toBe(204);
    expect((await api.post(`${path}/restore`)).status).toBe(200);
    const moved = await api.put(path, { photo: 'x', free: null, other: null });
    expect(moved.body).toMatchObject({
      errors: [{ pointer: '/photo', code: 'FILE_NOT_FOUND' }],
    });
    expect((await api.put(path, { free: null, other: null })).status).toBe(200);
  });
});

describe('a file that comes to another field of its record', () => {
  it('obeys the rules of that field', async () => {
    const photo = file({ 'x-file': { types: ['image/*'], maxBytes: 2 } });
    const api = await deals(() => true, withProperties({ photo }));
    const id = await api.uploaded('one');
    const made = await api.post(DEALS, { contract: id });
    const moved = await api.put(String(made.headers.location), { contract: null, photo: id });
    expect(moved.body).toMatchObject({
      status: 400,
      errors: [
        { pointer: '/photo', code: 'FILE_TYPE' },
        { pointer: '/photo', code: 'TOO_BIG' },
      ],
    });
    const both = await api.put(String(made.headers.location), { photo: id });
    expect(both.body).toMatchObject({ errors: [{ pointer: '/photo', code: 'DUPLICATE' }] });
  });
});

describe('a file that one call names twice', () => {
  const operationsOf = (id: string) =>
    ['A', 'B'].map((name) => ({ op: 'create', data: { name, contract: id } }));

  it('is refused for one of the records', async () => {
    const api = await deals();
    const operations = operationsOf(await api.uploaded('one'));
    const answer = await api.post(`${DEALS}/bulk`, { operations });
    const results = answer.body.results as { status: number; error?: object }[];
    expect(results.map(({ status }) => status)).toEqual([201, 400]);
    expect(results[1]?.error).toMatchObject({ errors: [{ code: 'FILE_NOT_FOUND' }] });
    expect(contentOf(await api.get(DEALS))).toHaveLength(1);
  });

  it('is refused for all of an atomic call', async () => {
    const api = await deals();
    const operations = operationsOf(await api.uploaded('one'));
    const answer = await api.post(`${DEALS}/bulk`, { atomic: true, operations });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toContain('FILE_NOT_FOUND');
    expect(contentOf(await api.get(DEALS))).toEqual([]);
  });
});

describe('a dry run', () => {
  const headers = { 'content-type': 'application/x-ndjson' };

  it('says of files what the import does', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    const unknown = '00000000-0000-7000-8000-000000000009';
    const waiting = (await api.announce('two')).body.id;
    const rows = [unknown, id, id, waiting, 'x'].map((contract) => JSON.stringify({ contract }));
    const path = `${DEALS}/import?format=ndjson`;
    const foretold = await api.post(`${path}&dryRun=true`, rows.join('\n'), { headers });
    const done = await api.post(path, rows.join('\n'), { headers });
    expect(done.body).toMatchObject({ created: 1, failed: 4 });
    expect(foretold.body).toEqual(done.body);
  });

  it('says of files what the change by filter does', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    for (const name of ['A', 'B', 'C']) await api.post(DEALS, { name });
    const resultOf = async (dryRun: boolean) => {
      const started = await api.post(`${DEALS}/bulk:update`, {
        ...{ filter: {}, data: { contract: id }, dryRun },
      });
      await api.runJobs();
      return (await api.get(String(started.headers.location))).body.result as object;
    };
    const foretold = await resultOf(true);
    const done = await resultOf(false);
    expect(done).toMatchObject({ updated: 1, failed: 2 });
    expect({ ...foretold, dryRun: false, failures: [] }).toEqual({ ...done, failures: [] });
  });
});

describe('a file that was announced for what has changed since', () => {
  it('is refused by the rules that the field has by then', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    const contract = file({ 'x-file': { types: ['image/*'], maxBytes: 2 } });
    const { uiSchemaJson } = withProperties({ contract });
    expect((await api.put(`${DEFINITIONS}/code/deal/schema`, { uiSchemaJson })).status).toBe(200);
    await sweep(api);
    expect((await api.post(DEALS, { contract: id })).body).toMatchObject({
      status: 400,
      errors: [
        { pointer: '/contract', code: 'FILE_TYPE' },
        { pointer: '/contract', code: 'TOO_BIG' },
      ],
    });
  });

  it('is none of the next entity of the code', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    await api.remove(`${DEFINITIONS}/code/deal?force=true&purge=true`);
    for (let round = 0; round < 3; round += 1) await sweep(api);
    expect((await api.define(deal)).status).toBe(201);
    expect((await api.post(DEALS, { contract: id })).body).toMatchObject({
      errors: [{ pointer: '/contract', code: 'FILE_NOT_FOUND' }],
    });
  });
});

describe('many new records with files', () => {
  it('are created in groups that a transaction holds', async () => {
    const api = await deals();
    const operations: object[] = [];
    for (let at = 0; at < 25; at += 1) {
      operations.push({ op: 'create', data: { contract: await api.uploaded(`file ${at}`) } });
    }
    let commits = 0;
    api.context.db.before('TransactWriteItems', () => {
      commits += 1;
    });
    const answer = await api.post(`${DEALS}/bulk`, { operations });
    expect(answer.text).not.toContain('error');
    expect(commits).toBeLessThan(10);
  });
});

describe('a record with more files than a transaction has writes', () => {
  it('is purged with all of them', async () => {
    const api = await deals();
    const path = String((await api.post(DEALS, { name: 'A' })).headers.location);
    for (let round = 0; round < 10; round += 1) {
      const codes = Array.from({ length: 10 }, (_, at) => `file${round}x${at}`);
      const { status } = await api.put(`${DEFINITIONS}/code/deal/schema`, {
        uiSchemaJson: {
          type: 'object',
          properties: Object.fromEntries(codes.map((code) => [code, file()])),
        },
      });
      expect(status).toBe(200);
      await sweep(api);
      const values: Record<string, string> = {};
      for (const field of codes) values[field] = await api.uploaded(field, { field });
      expect((await api.put(path, values)).status).toBe(200);
    }
    expect(api.stored()).toHaveLength(100);
    expect((await api.remove(`${path}?purge=true`)).status).toBe(204);
    await sweep(api);
    expect(api.stored()).toEqual([]);
    const left = api.context.db.items().filter(({ sk }) => String(sk).startsWith('DYN_FILE#'));
    expect(left).toEqual([]);
  });
});

describe('a link', () => {
  it('that outlives the announcement leaves no file', async () => {
    const api = await deals();
    const announced = await api.announce('late');
    api.context.clock.advance(24 * 3_600_000 - 1_000);
    const again = await api.get(String(announced.headers.location));
    await sweep(api, 10 * 60_000);
    expect((await api.send(again, 'late')).status).toBeLessThan(300);
    expect(api.stored()).toEqual(['late']);
    await sweep(api, 3_600_000);
    expect(api.stored()).toEqual([]);
  });

  it.each<[string, (api: World, path: string) => Promise<unknown>]>([
    ['was taken away', (api, path) => api.put(path, { contract: null })],
    ['went with its record', (api, path) => api.remove(`${path}?purge=true`)],
  ])('that is used again after the file %s leaves none', async (_how, act) => {
    const api = await deals();
    const announced = await api.announce('one');
    await api.send(announced, 'one');
    const made = await api.post(DEALS, { contract: announced.body.id });
    await act(api, String(made.headers.location));
    await sweep(api);
    expect(api.stored()).toEqual([]);
    expect((await api.send(announced, 'one')).status).toBeLessThan(300);
    expect(api.stored()).toEqual(['one']);
    await sweep(api, 3_600_000);
    expect(api.stored()).toEqual([]);
  });
});
