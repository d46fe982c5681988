import { describe, expect, it } from 'vitest';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const THINGS = `${RECORDS}/thing`;
const STAMPS = [['createdBy'], ['updatedAt'], ['updatedBy'], ['kind', 'updatedAt']];
const properties = { kind: { type: 'string', enum: ['a', 'b'] }, size: { type: 'integer' } };
const form = (indexes: readonly unknown[]) => ({
  type: 'object',
  'x-indexes': indexes,
  properties,
});

type Values = Readonly<Record<string, unknown>>;

const anEntity = async (indexes: readonly unknown[] = STAMPS): Promise<EntitiesApi> => {
  const api = anEntitiesApi();
  const defined = await api.define({ code: 'thing', name: 'Thing', uiSchemaJson: form(indexes) });
  expect(defined.status, defined.text).toBe(201);
  return api;
};

const by = (sub: string) => ({ caller: { sub, permissions: ['*'], roles: ['admin'] } });

/** Records that several people made, changed, deleted and restored. */
async function changeAtRandom(api: EntitiesApi, steps: number): Promise<void> {
  const random = seededRandom(3);
  const people = ['an', 'binh', 'chi'];
  const ids: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    api.context.clock.advance(Math.floor(random() * 3) * 500);
    const who = by(people[Math.floor(random() * 3)] ?? 'an');
    const id = ids[Math.floor(random() * ids.length)];
    const what = random();
    if (what < 0.4 || id === undefined) {
      const made = await api.post(THINGS, { kind: 'a', size: step }, who);
      ids.push(String(made.body.id));
    } else if (what < 0.8) await api.put(`${THINGS}/${id}`, { kind: step % 2 ? 'a' : 'b' }, who);
    else if (what < 0.9) await api.remove(`${THINGS}/${id}`, who);
    else await api.post(`${THINGS}/${id}/restore`, undefined, who);
  }
}

const found = async (api: EntitiesApi, query: string): Promise<readonly Values[]> => {
  const rows: Values[] = [];
  for (let cursor = ''; ; ) {
    const answer = await api.get(`${THINGS}?size=6&${query}${cursor}`);
    expect(answer.status, answer.text).toBe(200);
    rows.push(...contentOf(answer));
    if (!answer.body.nextCursor) return rows;
    cursor = `&cursor=${answer.body.nextCursor}`;
  }
};

const compareBy = (field: string, sign: number) => (one: Values, other: Values) => {
  const [a, b] = [one, other].map((each) => `${String(each[field])} ${String(each.id)}`);
  return sign * (String(a) < String(b) ? -1 : 1);
};

describe('who and when, named by x-indexes', () => {
  it('filter and sort as looking at each record does, while records are changed, deleted and restored', async () => {
    const api = await anEntity();
    await changeAtRandom(api, 90);
    const all = contentOf(await api.get(`${THINGS}?size=200`));
    const middle = String(all[Math.floor(all.length / 2)]?.updatedAt);

    expect(all.length).toBeGreaterThan(20);
    expect(await found(api, 'sort=-updatedAt')).toEqual(all.toSorted(compareBy('updatedAt', -1)));
    expect(await found(api, 'sort=updatedBy')).toEqual(all.toSorted(compareBy('updatedBy', 1)));
    expect(await found(api, 'createdBy=an')).toEqual(all.filter((r) => r.createdBy === 'an'));
    expect(await found(api, `updatedAt[gte]=${middle}&sort=updatedAt`)).toEqual(
      all.filter((r) => String(r.updatedAt) >= middle).toSorted(compareBy('updatedAt', 1)),
    );
    expect(await found(api, 'kind=a&sort=-updatedAt')).toEqual(
      all.filter(({ kind }) => kind === 'a').toSorted(compareBy('updatedAt', -1)),
    );
    expect(await found(api, 'createdBy=an&updatedBy=binh')).toEqual(
      all.filter((r) => r.createdBy === 'an' && r.updatedBy === 'binh'),
    );
  });

  it('cost 10.5 units for a page of 20, however many records there are', async () => {
    for (const size of [60, 900]) {
      const api = await anEntity();
      const bodies = Array.from({ length: size }, (_, at) => ({ kind: 'a', size: at }));
      await loadRecords(api.context, 'thing', bodies);
      await api.get(THINGS);
      for (const query of [
        'createdBy=system',
        'sort=-updatedAt',
        'sort=updatedAt',
        'updatedBy=system',
        'sort=createdBy',
        'kind=a&sort=-updatedAt',
      ]) {
        const cost = await api.context.db.meter.costOf(async () => {
          expect(contentOf(await api.get(`${THINGS}?${query}&count=none`))).toHaveLength(20);
        });
        expect(cost.readUnits, query).toBe(10.5);
      }
    }
  });

  it('are built over records that are there', async () => {
    const api = await anEntity([]);
    await changeAtRandom(api, 60);
    const all = contentOf(await api.get(`${THINGS}?size=200`));
    const changed = await api.put(`${DEFINITIONS}/code/thing/schema`, form(STAMPS));
    expect(changed.status, changed.text).toBe(200);
    await api.runJobs();
    api.context.clock.advance(60_000);

    const explained = await api.get(`${THINGS}?createdBy=an&explain=true&size=200`);

    expect(contentOf(explained)).toEqual(all.filter((r) => r.createdBy === 'an'));
    expect(explained.body.explain).toMatchObject({ plan: 'equality' });
    expect(await found(api, 'sort=-updatedAt')).toEqual(all.toSorted(compareBy('updatedAt', -1)));
  });

  it('cost a create a row each, and a change the rows that it moves', async () => {
    const writeUnits: number[] = [];
    for (const indexes of [[], [['updatedAt']]]) {
      const api = await anEntity(indexes);
      await api.post(THINGS, { kind: 'a' });
      let id = '';
      const create = await api.context.db.meter.costOf(async () => {
        id = String((await api.post(THINGS, { kind: 'a', size: 1 })).body.id);
      });
      api.context.clock.advance(1);
      const change = await api.context.db.meter.costOf(() =>
        api.put(`${THINGS}/${id}`, { kind: 'b' }),
      );
      writeUnits.push(create.writeUnits, change.writeUnits);
    }

    const [create = 0, change = 0, ...indexed] = writeUnits;
    expect(indexed).toEqual([create + 2, change + 4]);
  });

  it('order few records without an index, and name it where there are many', async () => {
    const api = await anEntity([]);
    await changeAtRandom(api, 40);
    const all = contentOf(await api.get(`${THINGS}?size=200`));

    expect(await found(api, 'sort=-updatedAt')).toEqual(all.toSorted(compareBy('updatedAt', -1)));

    await loadRecords(
      api.context,
      'thing',
      Array.from({ length: 1_950 }, (_, at) => ({ size: at })),
    );
    const refused = await api.get(`${THINGS}?sort=-updatedAt`);
    expect(refused.body).toMatchObject({ status: 400, code: 'SORT_NEEDS_INDEX' });
    expect(refused.text).toContain('updatedAt');
  });

  it.each([
    ['createdAt', 'needs no index'],
    ['version', 'is not a searchable single value'],
  ])('refuse %s, which has no index', async (name, words) => {
    const api = anEntitiesApi();

    const refused = await api.define({
      code: 'thing',
      name: 'Thing',
      uiSchemaJson: form([[name]]),
    });

    expect(refused.body).toMatchObject({ status: 400, code: 'INVALID_SCHEMA' });
    expect(refused.text).toContain(words);
  });
});

describe('a field that has the name of the list of all records', () => {
  it('is stored, found and sorted like any other', async () => {
    const api = anEntitiesApi();
    const uiSchemaJson = { type: 'object', properties: { _id: { type: 'string' } } };
    await api.define({ code: 'thing', name: 'Thing', uiSchemaJson });

    for (const _id of ['b', 'a', 'c']) {
      const made = await api.post(THINGS, { _id });
      expect(made.status, made.text).toBe(201);
    }

    expect((await found(api, '_id=a')).map(({ _id }) => _id)).toEqual(['a']);
    expect((await found(api, 'sort=-_id')).map(({ _id }) => _id)).toEqual(['c', 'b', 'a']);
    expect(await found(api, '')).toHaveLength(3);
  });
});
