import { beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../../../shared/security/principal.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer, ApiRequest } from '../../../helpers/world/a-context.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';
import { factsOf, file, sweep } from './deals.ts';

const DEALS = `${RECORDS}/deal`;
/** Too long for an item. */
const LONG = Array.from({ length: 60_000 }, (_, at) => `${at} `).join('');
/** The same person in two tenants, and another one. */
const here = { caller: { sub: 'ann', tenant: 'acme' } };
const there = { caller: { sub: 'ann', tenant: 'beta' } };
const other = { caller: { sub: 'bob', tenant: 'beta' } };

type By = Partial<ApiRequest>;

const definitionOf = (code: string) => ({
  ...{ code, name: code, apiPath: code, requirePermission: true },
  options: { trashRetentionDays: 30, history: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      tenant: { type: 'string' },
      text: { type: 'string', format: 'textarea' },
      contract: file(),
    },
  },
});

/** Entities whose records belong to tenants: each sees and makes its own. */
async function aWorld() {
  const storage = memoryStorage();
  const hasPermission = ({ tenant }: Principal, target: string) =>
    target.startsWith('deal')
      ? { allowed: true, rowFilter: { tenant }, presets: { tenant } }
      : true;
  const api = anEntitiesApi({ host: { permissionEvaluator: { hasPermission }, storage } });
  for (const code of ['deal', 'deal2']) {
    const defined = await api.define(definitionOf(code));
    expect(defined.status, defined.text).toBe(201);
  }
  const announce = (text: string, by: By, code = 'deal') => {
    const facts = { field: 'contract', fileName: 'a.pdf', contentType: 'application/pdf' };
    return api.post(`${RECORDS}/${code}/files/uploads`, { ...facts, ...factsOf(text) }, by);
  };
  const send = (announced: ApiAnswer, text: string) => {
    const { method, url, headers } = announced.body.upload as Upload;
    const path = url.replace('http://api.example.com', '');
    return api.call({ method, path, headers, caller: null, body: Buffer.from(text) });
  };
  const uploaded = async (text: string, by: By, code = 'deal'): Promise<string> => {
    const announced = await announce(text, by, code);
    expect((await send(announced, text)).status).toBeLessThan(300);
    return String(announced.body.id);
  };
  /** A record with a file and a long text. @returns its path */
  const made = async (text: string, by: By, code = 'deal'): Promise<string> => {
    const contract = await uploaded(text, by, code);
    const answer = await api.post(`${RECORDS}/${code}`, { name: 'same', text: LONG, contract }, by);
    expect(answer.status, answer.text).toBe(201);
    return String(answer.headers.location);
  };
  return { ...api, storage, announce, send, uploaded, made };
}

interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything of a record as its tenant sees it: values, file and history. */
async function wholeOf(api: EntitiesApi, path: string, by: By): Promise<unknown> {
  const record = await api.get(path, by);
  expect(record.status, record.text).toBe(200);
  expect(record.body.text).toBe(LONG);
  const link = await api.get(`${path}/files/contract`, by);
  expect(link.status, link.text).toBe(200);
  const at = String(link.body.url).replace('http://api.example.com', '');
  const content = await api.call({ method: 'GET', path: at, caller: null });
  expect(content.status, content.text).toBe(200);
  const history = await api.get(`${path}/history`, by);
  return [record.body, content.text, history.body.content];
}

describe('files and large texts of two tenants', () => {
  let api: Awaited<ReturnType<typeof aWorld>>;

  beforeEach(async () => {
    api = await aWorld();
  });

  it('stay with their own: of the other one nothing is seen or changed', async () => {
    const mine = await api.made('pdf', here);
    const before = await wholeOf(api, mine, here);

    for (const by of [there, other]) {
      for (const path of [mine, `${mine}/files/contract`, `${mine}/history`])
        expect((await api.get(path, by)).status, path).toBe(404);
      const contract = await api.uploaded('theirs', by);
      expect((await api.put(mine, { contract }, by)).status).toBe(404);
      expect((await api.remove(`${mine}?purge=true`, by)).status).toBe(404);
      for (const query of ['', '?name=same', '?q=long'])
        expect(contentOf(await api.get(`${DEALS}${query}`, by)), query).toEqual([]);
    }
    await sweep(api, 60 * 3_600_000);
    await sweep(api);

    expect(await wholeOf(api, mine, here)).toEqual(before);
  });

  it.each([
    ['a record is deleted for good', (path: string) => api.remove(`${path}?purge=true`, there)],
    [
      'a record goes to the trash and out of it',
      async (path: string) => {
        const gone = await api.remove(path, there);
        api.context.clock.advance(31 * 86_400_000);
        await sweep(api);
        return gone;
      },
    ],
    [
      'the file and the text of a record are taken away',
      (path: string) => api.put(path, { contract: null, text: null }, there),
    ],
    [
      'all records are deleted by filter',
      async () => {
        const gone = await api.post(`${DEALS}/bulk:delete`, { filter: { name: 'same' } }, there);
        await api.runJobs();
        api.context.clock.advance(31 * 86_400_000);
        return gone;
      },
    ],
    [
      'all records lose file and text by filter',
      () =>
        api.post(
          `${DEALS}/bulk:update`,
          { filter: { name: 'same' }, data: { contract: null, text: null } },
          there,
        ),
    ],
  ])('stay when %s', async (_when, change) => {
    const mine = await api.made('pdf', here);
    const theirs = await api.made('pdf', there);
    const before = await wholeOf(api, mine, here);

    const changed = await change(theirs);
    for (let round = 0; round < 4; round += 1) await sweep(api, 30 * 3_600_000);

    expect(changed.status, changed.text).toBeLessThan(300);
    expect(await wholeOf(api, mine, here)).toEqual(before);
    const objects = [...api.storage.files.keys()];
    expect(objects.filter((each) => each.includes('attachments'))).toHaveLength(1);
  });

  it('stay when an entity with a longer code and the same files goes', async () => {
    const mine = await api.made('pdf', here);
    const theirs = await api.made('pdf', there, 'deal2');
    const [before, others] = [await wholeOf(api, mine, here), await wholeOf(api, theirs, there)];

    const gone = await api.remove(`${DEFINITIONS}/code/deal2?force=true&purge=true`);
    for (let round = 0; round < 4; round += 1) await sweep(api);
    expect(gone.status, gone.text).toBeLessThan(300);
    expect(await wholeOf(api, mine, here)).toEqual(before);
    await api.define(definitionOf('deal2'));
    const again = await api.made('pdf', there, 'deal2');
    await api.remove(`${DEFINITIONS}/code/deal?force=true&purge=true`);
    for (let round = 0; round < 4; round += 1) await sweep(api);

    expect(await wholeOf(api, again, there)).toMatchObject([{ name: 'same' }, 'pdf', {}]);
    expect(others).toMatchObject([{ name: 'same' }, 'pdf', {}]);
    expect(api.storage.files.size).toBe(2);
  });

  it('are announced by their own, also by somebody who acts for both', async () => {
    const announced = await api.announce('pdf', here);
    const path = `${DEALS}/files/uploads/${announced.body.id}`;
    await api.send(announced, 'pdf');

    expect((await api.get(path, here)).body.state).toBe('UPLOADED');
    for (const by of [there, other]) {
      expect((await api.get(path, by)).status).toBe(404);
      const named = await api.post(DEALS, { contract: announced.body.id }, by);
      expect(named).toMatchObject({ status: 400 });
      expect(named.body.errors).toMatchObject([{ pointer: '/contract', code: 'FILE_NOT_FOUND' }]);
    }
    expect((await api.post(DEALS, { contract: announced.body.id }, here)).status).toBe(201);
  });

  it('are exported and imported for their own, also by somebody who acts for both', async () => {
    // More than an answer holds, so that a job writes the file.
    for (let at = 0; at < 13; at += 1) await api.post(DEALS, { name: `${at}`, text: LONG }, here);
    await api.made('pdf', there);
    const started = await api.get(`${DEALS}/export?format=ndjson`, here);
    expect(started.status, started.text.slice(0, 300)).toBe(202);
    await api.runJobs();
    const path = String(started.headers.location);

    const own = await api.get(path, here);
    expect(own.body.state, own.text).toBe('DONE');
    expect(own.body.processed).toBe(13);
    for (const by of [there, other]) {
      expect((await api.get(path, by)).status).toBe(404);
      expect((await api.post(`${path}:cancel`, undefined, by)).status).toBe(404);
    }
    const body = { format: 'ndjson', ...factsOf('{"name":"x"}\n') };
    const upload = await api.post(`${DEALS}/import/uploads`, body, here);
    expect(upload.status, upload.text).toBe(201);
    for (const by of [there, other])
      expect((await api.get(`${DEALS}/import/uploads/${upload.body.id}`, by)).status).toBe(404);
  });

  it('have links that lead to their own object only', async () => {
    const [mine, theirs] = [await api.announce('mine', here), await api.announce('them', there)];
    const [a, b] = [mine.body.upload, theirs.body.upload] as [Upload, Upload];
    const pathOf = ({ url }: Upload) => new URL(url).pathname;
    const queryOf = ({ url }: Upload) => new URL(url).search;

    const put = (path: string, { headers }: Upload, text: string) =>
      api.call({ method: 'PUT', path, headers, caller: null, body: Buffer.from(text) });
    const objects = () => [...api.storage.files.keys()].map((path) => path.split('/').at(-1));
    expect((await put(pathOf(a), b, 'them')).status).toBeGreaterThanOrEqual(400);
    expect((await put(pathOf(a) + queryOf(a), b, 'them')).status).toBeGreaterThanOrEqual(400);
    expect((await put(pathOf(a) + queryOf(a), a, 'them')).status).toBeGreaterThanOrEqual(400);
    expect(objects()).toEqual([]);
    await put(pathOf(a) + queryOf(b), b, 'them');
    expect(objects()).toEqual([theirs.body.id]);
    expect((await api.get(`${DEALS}/files/uploads/${mine.body.id}`, here)).body.state).toBe(
      'WAITING',
    );
  });
});
