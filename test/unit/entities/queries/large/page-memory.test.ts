import { beforeAll, describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

const COUNT = 20;
const LARGE = 2_000_000;
/** What an answer holds, and the records that are read together with the last of them. */
const MOST_READ = 6 * 1_048_576 + 4 * LARGE;
const properties = {
  name: { type: 'string' },
  text: { type: 'string', format: 'textarea' },
  other: { type: 'string', 'x-reference': { entity: 'paper' } },
};

/** A tree of papers whose texts are in the bucket, each but the first with a reference to the one before. */
async function papers() {
  const storage = memoryStorage();
  let bytes = 0;
  const paths: string[] = [];
  const host = {
    permissionEvaluator: claimsPermissionEvaluator,
    storage: {
      ...storage,
      get: async (path: string) => {
        paths.push(path);
        const file = await storage.get(path);
        bytes += file?.body.length ?? 0;
        return file;
      },
    },
  };
  const api = anEntitiesApi({ host, svc: { web: { 'max-body': 6_000_000 } } });
  const uiSchemaJson = { type: 'object', properties, 'x-label': 'name' };
  const defined = await api.define({
    ...{ code: 'paper', name: 'Paper', apiPath: 'papers', hierarchical: true, uiSchemaJson },
  });
  expect(defined.status, defined.text).toBe(201);
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    const other = ids.at(-1);
    const body = { name: `n${at}`, text: `${at}`.padEnd(LARGE, 'x'), ...(other && { other }) };
    const made = await api.post(`${RECORDS}/papers`, body);
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    ids.push(String(made.body.id));
  }
  const reading = async (query: string) => {
    bytes = 0;
    const answer = await api.get(`${RECORDS}/papers${query}`);
    return { answer, bytes };
  };
  return { ids, api, reading, paths };
}

describe('records whose texts together are larger than an answer', () => {
  let given: Awaited<ReturnType<typeof papers>>;
  beforeAll(async () => {
    given = await papers();
  });

  it.each([
    '?size=20',
    '?size=20&sort=-name',
    '?size=20&fields=text',
    '?size=20&page=0&count=exact',
  ])('are read as far as the page has room for them: %s', async (query) => {
    const { answer, bytes } = await given.reading(query);

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(contentOf(answer).length).toBeGreaterThan(1);
    expect(answer.body).toMatchObject({ last: false, totalElements: COUNT });
    expect(bytes).toBeLessThanOrEqual(MOST_READ);
  });

  it('are each on one of the pages', async () => {
    const seen: string[] = [];
    for (let next = '?size=20&sort=name'; next !== ''; ) {
      const { answer } = await given.reading(next);
      for (const { id, text } of contentOf(answer)) {
        expect(String(text)).toHaveLength(LARGE);
        seen.push(String(id));
      }
      const cursor = answer.body.nextCursor;
      next = cursor === null ? '' : `?size=20&sort=name&cursor=${String(cursor)}`;
    }

    expect(seen.toSorted()).toEqual(given.ids.toSorted());
  });

  it('are not read to be counted', async () => {
    const { answer, bytes } = await given.reading('/count?name[gte]=n1&count=exact');

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(bytes).toBe(0);
  });

  it('are read as far as there is room for them where others refer to them', async () => {
    const path = '?size=20&fields=name,other&expand=other&sort=createdAt';
    const { answer, bytes } = await given.reading(path);
    const [, second] = contentOf(answer);

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(second?.other).toMatchObject({ id: given.ids[0] });
    expect(contentOf(answer).length).toBeLessThan(COUNT);
    expect(bytes).toBeLessThanOrEqual(MOST_READ);
    const cursor = String(answer.body.nextCursor);
    const next = await given.reading(`${path}&cursor=${cursor}`);
    const [first] = contentOf(next.answer);
    expect(first?.id).toBe(given.ids[contentOf(answer).length]);
    expect(first?.other).toMatchObject({ name: expect.any(String) });
  });

  it('are read for a tree until its answer is refused', async () => {
    const all = await given.reading('/tree?fields=text');
    const one = await given.reading('/tree?fields=text&q=n19');
    const names = await given.reading('/tree?fields=name');

    expect(all.answer).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(all.bytes).toBeLessThanOrEqual(MOST_READ);
    expect(one.answer.status, one.answer.text.slice(0, 300)).toBe(200);
    expect(one.answer.text.length).toBeGreaterThan(LARGE);
    expect(one.bytes).toBeLessThan(2 * LARGE);
    expect(names.answer.text).toContain('"version"');
    expect(names.bytes).toBe(0);
  });

  it('are not read to find out that they refer to another', async () => {
    const [first, second = ''] = given.ids;
    given.paths.length = 0;
    const refused = await given.api.remove(`${RECORDS}/papers/${first}`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(given.paths.filter((path) => path.includes(second))).toEqual([]);
  });

  it('are read as far as there is room for them in the trash', async () => {
    for (const id of given.ids.toReversed())
      await given.api.remove(`${RECORDS}/papers/${id}?cascade=true`);
    const { answer, bytes } = await given.reading('/trash?size=20');

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(answer.body).toMatchObject({ last: false });
    expect(bytes).toBeLessThanOrEqual(MOST_READ);
  });
});
