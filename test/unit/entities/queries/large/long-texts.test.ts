import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../../shared/host/claims-policies.ts';
import { heapInUse } from '../../../../helpers/captured/heap-in-use.ts';
import { memoryStorage } from '../../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

const COUNT = 40;
const LARGE = 1_000_000;
/** What a few records take with what is made of their texts; all of them have 80 MB. */
const MOST_HELD = 35_000_000;
const text = { type: 'string', format: 'textarea' };
const properties = {
  name: { type: 'string', 'x-searchable': true },
  group: { type: 'string', enum: ['odd', 'even'], 'x-searchable': true },
  title: { ...text, 'x-searchable': true },
  body: { ...text, 'x-searchable': true },
  note: { ...text, 'x-search': true },
};

/** Papers with texts in the bucket. */
async function papers() {
  const storage = memoryStorage();
  let reads = 0;
  let most = 0;
  let msOfRead = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const host = {
    permissionEvaluator: claimsPermissionEvaluator,
    storage: {
      ...storage,
      // One after the other, so that those before are in memory if they are kept.
      get: (path: string) => {
        turn = turn.then(() => setImmediate());
        return turn.then(async () => {
          reads += 1;
          api.context.clock.advance(msOfRead);
          if (reads % 8 === 0) most = Math.max(most, heapInUse());
          return storage.get(path);
        });
      },
    },
  };
  const api = anEntitiesApi({ host, svc: { web: { 'max-body': 6_000_000 } } });
  const defined = await api.define({
    ...{ code: 'paper', name: 'Paper', apiPath: 'papers' },
    uiSchemaJson: { type: 'object', properties, 'x-label': 'name' },
  });
  expect(defined.status, defined.text).toBe(201);
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    const title = `Title ${at % 10} `.padEnd(LARGE, 'paper ');
    const body = `Body ${at} `.padEnd(LARGE, 'report ');
    const made = await api.post(`${RECORDS}/papers`, {
      ...{ name: `n${at}`, group: at % 4 === 0 ? 'odd' : 'even', title, body },
    });
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    ids.push(String(made.body.id));
  }
  /** Calls the API and measures what is held in memory while it reads texts. */
  const holding = async (query: string) => {
    const before = heapInUse();
    [reads, most] = [0, before];
    const from = api.context.clock.now();
    const answer = await api.get(`${RECORDS}/papers${query}`);
    const ms = api.context.clock.now() - from;
    return { answer, reads, bytes: most - before, ms };
  };
  /** Makes each text take so long to read. */
  const slowDown = (ms: number): void => {
    msOfRead = ms;
  };
  return { ids, api, holding, slowDown };
}

describe('conditions on texts that are long', () => {
  let given: Awaited<ReturnType<typeof papers>>;
  beforeAll(async () => {
    given = await papers();
  }, 60_000);

  it.each([
    ['?size=100&body[contains]=Nowhere', 0],
    ['?size=100&body[contains]=report&fields=name&sort=group,-name', COUNT],
    ['?size=100&title[contains]=title&body[contains]=report&fields=name', COUNT],
    ['?size=100&sort=title&fields=name', COUNT],
  ])('%s is answered with few of them in memory', async (query, count) => {
    const { answer, reads, bytes } = await given.holding(query);

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(contentOf(answer)).toHaveLength(count);
    expect(reads).toBeGreaterThanOrEqual(COUNT);
    expect(bytes).toBeLessThan(MOST_HELD);
  });

  it.each([
    [
      '/facets?fields=group&body[contains]=report',
      {
        group: [
          { value: 'even', count: (COUNT * 3) / 4 },
          { value: 'odd', count: COUNT / 4 },
        ],
      },
    ],
    ['/aggregate?max=title', { count: COUNT, complete: true }],
  ])('%s is answered with few of them in memory', async (query, body) => {
    const { answer, reads, bytes } = await given.holding(query);

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(answer.body).toMatchObject(body);
    expect(reads).toBeGreaterThanOrEqual(COUNT);
    expect(bytes).toBeLessThan(MOST_HELD);
  });

  it.each([
    '/facets?fields=title',
    '/aggregate?groupBy=title',
    '/aggregate?groupBy=name&min=title',
  ])('%s is refused before all of them are in memory', async (query) => {
    const { answer, reads } = await given.holding(query);

    expect(answer).toMatchObject({ status: 422, body: { code: 'ANSWER_TOO_LARGE' } });
    expect(reads).toBeLessThan(COUNT);
  });

  describe('and take longer to read than a request has time', () => {
    beforeAll(() => given.slowDown(400));

    const followed = async (path: string) => {
      const seen: string[] = [];
      let unfinished = 0;
      for (let cursor = ''; ; ) {
        const answer = await given.api.get(`${RECORDS}/${path}${cursor}`);
        expect(answer.status, answer.text.slice(0, 300)).toBe(200);
        seen.push(...contentOf(answer).map(({ id }) => String(id)));
        if (answer.body.complete === false) unfinished += 1;
        if (answer.body.nextCursor === null) return { seen, unfinished };
        cursor = `&cursor=${String(answer.body.nextCursor)}`;
      }
    };

    it.each([
      'sort=title&body[contains]=report',
      'sort=-createdAt&body[contains]=report',
      'sort=group,-name&body[contains]=report',
      'sort=name,title',
      'sort=-name,title',
      'group[in]=odd,even&sort=name,-title',
      'body[contains]=report&title[contains]=title',
    ])('leave no record out of pages that are followed: %s', async (query) => {
      const { seen, unfinished } = await followed(`papers?size=30&fields=name&${query}`);

      expect(seen.toSorted()).toEqual(given.ids.toSorted());
      expect(unfinished).toBeGreaterThan(0);
    });

    it('are refused by their parameter where they are of related records', async () => {
      const paper = { type: 'string', 'x-reference': { entity: 'paper' } };
      const uiSchemaJson = { type: 'object', properties: { paper } };
      await given.api.define({ code: 'remark', name: 'Remark', apiPath: 'remarks', uiSchemaJson });
      given.slowDown(250);
      const refused = await given.api.get(`${RECORDS}/remarks?paper.body[contains]=report`);
      given.slowDown(400);

      expect(refused).toMatchObject({
        status: 400,
        body: { errors: [{ parameter: 'paper.body[contains]', code: 'TOO_LONG' }] },
      });
    });

    it('say that there may be more', async () => {
      const filter = 'body[contains]=report';
      const path = `${RECORDS}/papers`;
      const count = await given.api.get(`${path}/count?${filter}`);
      const facets = await given.api.get(`${path}/facets?fields=group&${filter}`);
      const figures = await given.api.get(`${path}/aggregate?groupBy=group&${filter}`);

      expect(count.body).toMatchObject({ relation: 'gte' });
      expect(facets.headers).toMatchObject({ 'x-total-relation': 'gte' });
      expect(figures.body).toMatchObject({ complete: false });
      expect(figures.body.count).toBeLessThan(COUNT);
    });

    it('are counted exactly in the time that the page has left', async () => {
      given.slowDown(700);
      const { answer, ms } = await given.holding('?size=20&count=exact&body[contains]=Nowhere');
      given.slowDown(400);

      expect(answer.body).toMatchObject({ complete: false, totalRelation: 'gte' });
      expect(ms).toBeLessThan(25_000);
    });

    it('leave no record out of the trash', async () => {
      for (const id of given.ids) await given.api.remove(`${RECORDS}/papers/${id}`);
      const { seen } = await followed('papers/trash?size=30&fields=name&body[contains]=report');

      expect(seen.toSorted()).toEqual(given.ids.toSorted());
    });

    it('are read no further than a page of the trash needs', async () => {
      for (const id of given.ids) await given.api.remove(`${RECORDS}/papers/${id}`);
      given.slowDown(0);
      const { answer, reads } = await given.holding(
        '/trash?size=2&body[contains]=report&fields=name',
      );

      expect(contentOf(answer)).toHaveLength(2);
      expect(reads).toBeLessThan(10);
    });
  });
});
