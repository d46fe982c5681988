import { beforeAll, describe, expect, it } from 'vitest';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { anEntitiesApi, contentOf, type EntitiesApi, RECORDS } from '../entities-api.ts';

const THINGS = `${RECORDS}/thing`;
const START = Date.parse('2026-03-01T09:30:00.000Z');

const form = (more: object = {}) => ({
  type: 'object',
  properties: { kind: { type: 'string', enum: ['a', 'b'] }, size: { type: 'integer' } },
  ...more,
});

/** An id of a caller's own that begins with a time. */
const idOf = (ms: number, number: number): string => {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8000-${String(number).padStart(12, '0')}`;
};

interface Made {
  readonly id: string;
  readonly createdAt: string;
  readonly kind: string;
}

/** Records that were made one after the other, one in three with an id of another time. */
async function someThings(count: number, options: object): Promise<[EntitiesApi, Made[]]> {
  const api = anEntitiesApi();
  await api.define({ code: 'thing', name: 'Thing', options, uiSchemaJson: form() });
  const random = seededRandom(5);
  const made: Made[] = [];
  for (let at = 0; at < count; at += 1) {
    api.context.clock.advance(Math.floor(random() * 3) * 60);
    const other = START + Math.floor((random() - 0.5) * 12_000);
    const answer = await api.post(THINGS, {
      ...(random() < 0.3 && { id: idOf(other, at) }),
      ...{ kind: random() < 0.5 ? 'a' : 'b', size: Math.floor(random() * 5) },
    });
    expect(answer.status, answer.text).toBe(201);
    made.push(answer.body as unknown as Made);
  }
  return [api, made];
}

describe.each([
  ['in one partition', {}],
  ['in four', { shards: 4 }],
])('records by when they were made, %s', (_where, options) => {
  let api: EntitiesApi;
  let made: Made[];

  beforeAll(async () => {
    [api, made] = await someThings(90, options);
  });

  const all = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    let cursor = '';
    for (;;) {
      const answer = await api.get(`${THINGS}?${query}&size=7${cursor}`);
      expect(answer.status, answer.text).toBe(200);
      ids.push(...contentOf(answer).map(({ id }) => String(id)));
      if (!answer.body.nextCursor) return ids;
      cursor = `&cursor=${answer.body.nextCursor}`;
    }
  };
  const newestFirst = (records: readonly Made[]): string[] =>
    records
      .map(({ id }) => id)
      .sort()
      .reverse();
  const between = (from: string, to: string): Made[] =>
    made.filter(({ createdAt }) => createdAt >= from && createdAt < to);

  it.each([
    [0.1, 0.3],
    [0.45, 0.46],
    [0.5, 1],
    [0.9, 0.2],
  ])('from %d to %d of all are those that looking at each finds', async (low, high) => {
    const [from, to] = [low, high].map((part) => made[Math.floor(part * 89)]?.createdAt ?? '');
    const query = `createdAt[gte]=${from}&createdAt[lt]=${to}`;
    const expected = between(from ?? '', to ?? '');

    expect(await all(query)).toEqual(newestFirst(expected));
    expect(await all(`${query}&sort=id`)).toEqual(newestFirst(expected).reverse());
    expect(await all(`${query}&kind=a`)).toEqual(
      newestFirst(expected.filter(({ kind }) => kind === 'a')),
    );
    expect((await all(`${query}&sort=size`)).sort()).toEqual(newestFirst(expected).reverse());
    const count = await api.get(`${THINGS}/count?${query}`);
    expect(count.body).toEqual({ count: expected.length, relation: 'eq' });
  });

  it('are found by one instant, and in groups', async () => {
    const at = made[40]?.createdAt ?? '';
    const late = made[70]?.createdAt ?? '';
    const groups = JSON.stringify({ or: [{ createdAt: { gt: late } }, { createdAt: at }] });
    const negated = JSON.stringify({ not: { createdAt: { lte: late } } });

    expect(await all(`createdAt=${at}`)).toEqual(
      newestFirst(made.filter(({ createdAt }) => createdAt === at)),
    );
    expect(await all(`filter=${encodeURIComponent(groups)}`)).toEqual(
      newestFirst(made.filter(({ createdAt }) => createdAt > late || createdAt === at)),
    );
    expect(await all(`filter=${encodeURIComponent(negated)}`)).toEqual(
      newestFirst(made.filter(({ createdAt }) => createdAt > late)),
    );
  });

  it('are read backwards, too', async () => {
    const query = `createdAt[gte]=${made[20]?.createdAt}&createdAt[lte]=${made[70]?.createdAt}`;
    const first = await api.get(`${THINGS}?${query}&size=9`);
    const second = await api.get(`${THINGS}?${query}&size=9&cursor=${first.body.nextCursor}`);
    const back = await api.get(`${THINGS}?${query}&size=9&cursor=${second.body.prevCursor}`);

    expect(contentOf(back)).toEqual(contentOf(first));
    expect(contentOf(second)).toHaveLength(9);
  });
});

describe('a range of createdAt', () => {
  const SECOND = 1_000;
  const anEntity = async (): Promise<EntitiesApi> => {
    const api = anEntitiesApi();
    await api.define({ code: 'thing', name: 'Thing', uiSchemaJson: form() });
    return api;
  };

  it('costs the same however many records were made before and after it', async () => {
    const costs: number[] = [];
    for (const size of [200, 2_000]) {
      const api = await anEntity();
      function* bodies() {
        for (let at = 0; at < size; at += 1) {
          api.context.clock.advance(SECOND);
          yield { kind: 'a', size: at };
        }
      }
      await loadRecords(api.context, 'thing', bodies());
      const from = new Date(START + (size / 2) * SECOND + SECOND / 2).toISOString();
      const to = new Date(START + (size / 2 + 60) * SECOND + SECOND / 2).toISOString();
      const path = `${THINGS}?createdAt[gte]=${from}&createdAt[lt]=${to}&count=none`;
      await api.get(path);

      const cost = await api.context.db.meter.costOf(async () => {
        expect(contentOf(await api.get(path))).toHaveLength(20);
      });
      costs.push(cost.readUnits);
    }

    expect(costs).toEqual([11, 11]);
  });

  it('is right, too, where more records have other ids than are collected', async () => {
    const api = await anEntity();
    const bodies = Array.from({ length: 4_100 }, (_, at) => ({ id: idOf(at, at), size: at % 3 }));
    await loadRecords(api.context, 'thing', bodies);
    api.context.clock.advance(10 * SECOND);
    const last = await api.post(THINGS, { size: 1 });

    const found = await api.get(`${THINGS}?createdAt[lte]=${new Date(START).toISOString()}&size=2`);
    const late = await api.get(`${THINGS}?createdAt[gt]=${new Date(START).toISOString()}`);

    expect(contentOf(found).map(({ id }) => id)).toEqual([idOf(4_099, 4_099), idOf(4_098, 4_098)]);
    expect(contentOf(late).map(({ id }) => id)).toEqual([last.body.id]);
  });
});
