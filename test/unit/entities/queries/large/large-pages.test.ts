import { beforeAll, describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../../helpers/captured/memory-storage.ts';
import {
  aCustomerEntity,
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  RECORDS,
} from '../../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customers`;
const COUNT = 40;
const LAMBDA_LIMIT = 6 * 1_048_576;
const numbers = Array.from({ length: COUNT }, (_, index) => index);

/** Customers whose notes together are larger than an answer. */
async function aLargeList() {
  const api = anEntitiesApi();
  await api.define(aCustomerEntity());
  const ids: string[] = [];
  for (const priority of numbers) {
    const body = { name: `c${priority}`, priority, notes: '"\n'.repeat(50_000) };
    ids.push(String((await api.post(CUSTOMERS, body)).body.id));
  }
  return { api, ids };
}

type LargeList = Awaited<ReturnType<typeof aLargeList>>;

/** Follows a list by one of its cursors to the end. */
async function follow({ api }: LargeList, path: string, link: 'nextCursor' | 'prevCursor') {
  const pages: { content: readonly Readonly<Record<string, unknown>>[]; bytes: number }[] = [];
  let last = '';
  for (let next = path; next !== ''; ) {
    const answer = await api.get(next);
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    pages.push({
      content: contentOf(answer),
      bytes: Buffer.byteLength(JSON.stringify(answer.text)),
    });
    last = next;
    const cursor = answer.body[link];
    next = cursor === null ? '' : `${path}&cursor=${String(cursor)}`;
  }
  return { pages, last };
}

describe('a list of records that is larger than an answer', () => {
  let list: LargeList;
  beforeAll(async () => {
    list = await aLargeList();
  });

  it.each(['priority', '-priority', 'name', '-createdAt'])(
    'is cut and leads on to every record once, by %s',
    async (sort) => {
      const { pages } = await follow(list, `${CUSTOMERS}?size=200&sort=${sort}`, 'nextCursor');

      const seen = pages.flatMap(({ content }) => content.map(({ priority }) => priority));
      expect(new Set(seen)).toEqual(new Set(numbers));
      expect(seen).toHaveLength(COUNT);
      if (sort === 'priority') expect(seen).toEqual(numbers);
      if (sort === '-priority') expect(seen).toEqual(numbers.toReversed());
      expect(pages.length).toBeGreaterThan(1);
      expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(LAMBDA_LIMIT);
    },
  );

  it('is cut where a page was asked for by its number', async () => {
    const first = await list.api.get(`${CUSTOMERS}?size=39&page=1&sort=priority`);
    const whole = await list.api.get(`${CUSTOMERS}?size=39&page=0&sort=priority`);
    const cursor = String(whole.body.nextCursor);
    const next = await list.api.get(`${CUSTOMERS}?size=39&sort=priority&cursor=${cursor}`);

    expect(contentOf(first).map(({ priority }) => priority)).toEqual([39]);
    expect(whole.body).toMatchObject({ number: 0, last: false, totalElements: COUNT });
    expect(contentOf(next)[0]).toMatchObject({ priority: contentOf(whole).length });
  });

  it('leads back from its end', async () => {
    const path = `${CUSTOMERS}?size=10&sort=priority`;
    const { last } = await follow(list, path, 'nextCursor');
    const end = await list.api.get(last);
    const back = await list.api.get(`${path}&cursor=${String(end.body.prevCursor)}`);

    const [first] = contentOf(end);
    const before = contentOf(back).map(({ priority }) => Number(priority));
    expect(before.at(-1)).toBe(Number(first?.priority) - 1);
  });

  it('is whole where fewer fields are asked for', async () => {
    const answer = await list.api.get(`${CUSTOMERS}?size=200&fields=priority`);

    expect(contentOf(answer)).toHaveLength(COUNT);
    expect(answer.body).toMatchObject({ last: true, nextCursor: null });
  });

  it('is cut in the trash as well', async () => {
    for (const id of list.ids) await list.api.remove(`${CUSTOMERS}/${id}`);

    const { pages } = await follow(list, `${CUSTOMERS}?size=200&deleted=only`, 'nextCursor');

    const seen = pages.flatMap(({ content }) => content.map(({ id }) => id));
    expect(new Set(seen)).toEqual(new Set(list.ids));
    expect(seen).toHaveLength(COUNT);
    expect(pages.length).toBeGreaterThan(1);
  });
});

describe('a record that is larger than an answer', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const large = '"'.repeat(350_000);

  async function aLargeRecord() {
    const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
    const api = anEntitiesApi({ host });
    const fields = names.map((name) => [name, { type: 'string', format: 'textarea' }]);
    const uiSchemaJson = { type: 'object', properties: Object.fromEntries(fields) };
    await api.define({ code: 'paper', name: 'Paper', apiPath: 'papers', uiSchemaJson });
    const path = `${RECORDS}/papers/${String((await api.post(`${RECORDS}/papers`, {})).body.id)}`;
    const answers = [];
    for (const name of names) {
      answers.push(await api.call({ method: 'PATCH', path, body: { [name]: large } }));
    }
    return { api, path, answers };
  }

  it('says so, and is read by its fields', async () => {
    const { api, path, answers } = await aLargeRecord();

    const whole = await api.get(path);
    const part = await api.get(`${path}?fields=a,e`);

    expect(whole).toMatchObject({
      status: 422,
      body: { code: 'ANSWER_TOO_LARGE', detail: expect.stringContaining('fields') },
    });
    expect(part).toMatchObject({ status: 200, body: { a: large, e: large } });
    expect(answers.at(-1)).toMatchObject({
      status: 422,
      headers: { etag: '"6"' },
      body: { detail: expect.stringMatching(/carried out\. Read the record with .* fields/) },
    });
  });

  it('links to a file that holds it as a whole, alone and in a list', async () => {
    const storage = memoryStorage();
    const api = anEntitiesApi({
      host: { permissionEvaluator: claimsPermissionEvaluator, storage },
    });
    const fields = Array.from({ length: 8 }, (_, at) => `text${at}`);
    const text = { type: 'string', format: 'textarea' };
    const properties = Object.fromEntries(fields.map((field) => [field, text]));
    const uiSchemaJson = { type: 'object', properties };
    await api.define({ code: 'book', name: 'Book', apiPath: 'books', uiSchemaJson });
    const books = `${RECORDS}/books`;
    const { id } = (await api.post(books, {})).body;
    for (const field of fields) await api.put(`${books}/${id}`, { [field]: field.repeat(200_000) });

    const read = await api.get(`${books}/${id}`);
    const listed = await api.get(books);
    const started = await api.get(String(read.body.link));
    await api.runJobs();
    const job = await api.get(String(started.headers.location));

    expect(read).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(read.body.detail).toMatch(/fields.*link/);
    expect(listed).toMatchObject({ status: 422, body: { link: read.body.link } });
    expect(job.body).toMatchObject({ state: 'DONE', processed: 1, link: expect.any(String) });
    const stored = storage.files.get(String((job.body.result as { object: string }).object));
    const whole = Object.fromEntries(fields.map((field) => [field, field.repeat(200_000)]));
    expect(JSON.parse(Buffer.from(stored ?? []).toString())).toEqual([{ id, ...whole }]);
    await api.remove(`${books}/${id}`);
    const trashed = await api.get(`${books}/${id}?deleted=true`);
    expect(trashed.status).toBe(422);
    expect(trashed.body).not.toHaveProperty('link');
  }, 60_000);
});

describe('the form schemas of an entity that are larger than an answer', () => {
  it('are refused with the way to read each of them', async () => {
    const api = anEntitiesApi();
    const schemaOf = (note: number) => ({
      ...{ type: 'object', properties: { name: { type: 'string' } } },
      'x-note': `${note}${'x'.repeat(255_000)}`,
    });
    const paper = { code: 'paper', name: 'Paper', apiPath: 'papers' };
    await api.define({ ...paper, uiSchemaJson: schemaOf(0) });
    const at = `${DEFINITIONS}/code/paper`;
    for (let note = 1; note <= 25; note += 1) await api.put(`${at}/schema`, schemaOf(note));

    const all = await api.get(`${at}/versions`);
    const one = await api.get(`${at}/versions/3`);

    expect(all).toMatchObject({
      status: 422,
      body: { code: 'ANSWER_TOO_LARGE', detail: expect.stringContaining('/versions/{version}') },
    });
    expect(one.status).toBe(200);
  });
});
