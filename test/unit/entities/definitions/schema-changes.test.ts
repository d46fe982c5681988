import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { storeEncryptionKey } from '../encryption-key.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const CODE = `${DEFINITIONS}/code/staff`;
const STAFF = `${RECORDS}/staff`;
const SECRET = 'salary of nine thousand';
const status = { type: 'string', enum: ['open', 'closed'] };

const schemaOf = (properties: object, more: object = {}) => ({
  type: 'object',
  'x-label': 'name',
  properties: { name: { type: 'string' }, ...properties },
  ...more,
});

/** An entity with records of these values. */
async function withStaff(properties: object, bodies: readonly object[], options: object = {}) {
  const storage = memoryStorage();
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage };
  const api = anEntitiesApi({ host });
  await storeEncryptionKey(api.context);
  const uiSchemaJson = schemaOf(properties);
  const made = await api.define({ code: 'staff', name: 'Staff', uiSchemaJson, options });
  expect(made.status, made.text).toBe(201);
  const ids: string[] = [];
  for (const [at, body] of bodies.entries()) {
    const { body: record } = await api.post(STAFF, { name: `n${at}`, ...body });
    ids.push(String(record.id));
  }
  return {
    ...api,
    storage,
    ids,
    change: async (next: object, more?: object) => {
      const answer = await api.put(`${CODE}/schema`, schemaOf(next, more));
      expect(answer.status, answer.text).toBe(200);
      return answer.body.jobs as { id: string; field: string }[];
    },
    stored: () =>
      JSON.stringify(api.context.db.items()) +
      [...storage.files.values()].map((file) => Buffer.from(file).toString()).join(),
    total: async (query: string) => (await api.get(`${STAFF}?${query}`)).body.totalElements,
    job: async (id: string | undefined) => (await api.get(`${CODE}/jobs/${id}`)).body,
  };
}

describe('x-encrypted', () => {
  const open = { salary: { type: 'string' } };
  const sealed = { salary: { type: 'string', 'x-encrypted': true } };

  it('switched on shows values all the time and leaves none in the clear', async () => {
    const bodies = [
      { salary: SECRET },
      { salary: 'x' },
      { salary: `${SECRET}${'y'.repeat(9_000)}` },
    ];
    const { change, get, put, remove, runJobs, runTask, stored, ids, job, context } =
      await withStaff(
        { salary: { type: 'string', 'x-unique': true } },
        [...bodies, { salary: `${SECRET}${'z'.repeat(400_000)}` }, { salary: `${SECRET}?` }],
        { history: true },
      );
    await remove(`${STAFF}/${ids[4]}`);

    const [started] = await change(sealed);
    const early = contentOf(await get(`${STAFF}?sort=name`)).map(({ salary }) => salary);
    const changed = await put(`${STAFF}/${ids[1]}`, { name: 'n1!' });
    await runJobs();
    const late = contentOf(await get(`${STAFF}?sort=name`)).map(({ salary }) => salary);

    expect(started).toMatchObject({ field: 'salary' });
    expect(early[0]).toBe(SECRET);
    expect(changed).toMatchObject({ status: 200, body: { salary: 'x' } });
    expect(late).toEqual(early);
    expect(await job(started?.id)).toMatchObject({ state: 'DONE' });
    // Objects are erased once nobody reads them any more.
    context.clock.advance(400_000);
    await runTask(SWEEP_TASK);
    expect(stored()).not.toContain('nine thousand');
    const history = await get(`${STAFF}/${ids[0]}/history`);
    expect(JSON.stringify(history.body)).not.toContain('salary');
    expect(await get(`${STAFF}/${ids[4]}?deleted=true`)).toMatchObject({
      status: 200,
      body: { salary: `${SECRET}?` },
    });
  });

  it('switched on after two changes of the name leaves no value under a former one', async () => {
    const text = { type: 'string' };
    const { change, put, get, runJobs, stored, ids } = await withStaff(
      { pay: text },
      [{ pay: SECRET }],
      { history: true },
    );
    await change({ wage: { ...text, 'x-renamed-from': 'pay' } });
    await runJobs();
    await put(`${STAFF}/${ids[0]}`, { wage: `${SECRET}!` });
    await change({ salary: { ...text, 'x-renamed-from': 'wage' } });
    await runJobs();
    const open = await get(`${STAFF}/${ids[0]}/history`);

    await change({ salary: { ...text, 'x-renamed-from': 'wage', 'x-encrypted': true } });
    await runJobs();

    expect(JSON.stringify(open.body)).toContain(SECRET);
    expect(stored()).not.toContain('nine thousand');
    expect((await get(`${STAFF}/${ids[0]}`)).body).toMatchObject({ salary: `${SECRET}!` });
  });

  it('switched off filters by the values at once, and decrypts and indexes them', async () => {
    const bodies = [{ salary: 'high' }, { salary: 'low' }];
    const { change, get, runJobs, total, stored } = await withStaff(sealed, bodies);

    const [started] = await change(open);
    const early = await get(`${STAFF}?salary=high`);
    await runJobs();
    const late = await get(`${STAFF}?salary=high&explain=true`);

    expect(started).toMatchObject({ field: 'salary' });
    expect(contentOf(early)).toMatchObject([{ name: 'n0', salary: 'high' }]);
    expect(late.body).toMatchObject({ totalElements: 1, explain: { plan: 'equality' } });
    expect(await total('sort=salary')).toBe(2);
    expect(stored()).not.toContain('enc:v1:');
  });

  it('keeps a text that looks like a cipher text a text', async () => {
    const text = 'enc:v1:01234567:abcdefgh';
    const { change, get, runJobs, ids } = await withStaff(open, [{ salary: text }]);

    await change(sealed);
    const between = await get(`${STAFF}/${ids[0]}`);
    await runJobs();
    await change(open);
    await runJobs();

    expect(between.body).toMatchObject({ salary: text });
    expect((await get(`${STAFF}/${ids[0]}`)).body).toMatchObject({ salary: text });
  });
});

describe('two schema changes in a row', () => {
  const many = Array.from({ length: 130 }, (_, at) => ({ a: `a${at % 3}`, b: `b${at % 3}` }));
  const hidden = { type: 'string', 'x-searchable': false };
  const text = { type: 'string' };

  it('have an index each that holds every record, whichever job runs first', async () => {
    const { change, runJobs, runTask, total, job, get, context } = await withStaff(
      { a: hidden, b: hidden },
      many,
    );

    const [first] = await change({ a: text, b: hidden });
    // The first job ends in the middle of its work.
    context.db.failNext('network', { operation: 'TransactWriteItems', after: 40 });
    await runJobs();
    const second = (await change({ a: text, b: text })).find(({ field }) => field === 'b');
    await runJobs();
    const waiting = await job(second?.id);
    context.clock.advance(400_000);
    await runTask(SWEEP_TASK);
    await runJobs();

    expect(waiting.state).not.toBe('DONE');
    expect([(await job(first?.id)).state, (await job(second?.id)).state]).toEqual(['DONE', 'DONE']);
    for (const [field, value] of [
      ['a', 'a1'],
      ['b', 'b1'],
    ] as const) {
      expect(await total(`${field}=${value}`)).toBe(43);
      expect((await get(`${STAFF}?${field}=${value}&explain=true`)).body).toMatchObject({
        explain: { plan: 'equality' },
      });
    }
  });

  it('wait for the environments that know the first one only', async () => {
    const { change, runJobs, total, context } = await withStaff({ a: hidden, b: hidden }, many);
    const other = anEntitiesApi({ besides: context });

    await change({ a: text, b: hidden });
    await other.get(STAFF);
    context.clock.advance(10_600);
    await other.get(STAFF);
    await change({ a: text, b: text });
    const late = await other.post(STAFF, { name: 'late', b: 'b1' });
    await runJobs();

    expect(late.status).toBe(201);
    expect(await total('b=b1')).toBe(44);
  });
});

describe('counters', () => {
  const bodies = [{ status: 'open' }, { status: 'open' }, { status: 'closed' }];

  it.each([
    ['of a field that went and came back', {}, { status }],
    [
      'of a field that was not counted for a while',
      { status: { ...status, 'x-facet': false } },
      { status },
    ],
  ])('%s begin anew', async (_what, without, again) => {
    const { change, runJobs, total, get, context } = await withStaff({ status }, bodies);

    await change(without);
    await runJobs();
    await change(again);
    const early = await total('status=open');
    await runJobs();

    expect([early, await total('status=open')]).toEqual([2, 2]);
    expect((await get(`${STAFF}/facets?fields=status`)).body).toEqual({
      status: [
        { value: 'open', count: 2 },
        { value: 'closed', count: 1 },
      ],
    });
    const counters = context.db.items().filter(({ pk }) => pk === 'DYN_COUNTER#staff');
    expect(JSON.stringify(counters)).not.toContain('"status=open"');
  });

  it('know the default of an enum that became required', async () => {
    const { change, runJobs, total } = await withStaff({ status }, [{}, {}, { status: 'closed' }]);

    await change({ status: { ...status, default: 'open' } }, { required: ['status'] });
    const early = await total('status=open');
    await runJobs();

    expect([early, await total('status=open'), await total('')]).toEqual([2, 2, 3]);
  });

  it('are recounted without losing what is deleted meanwhile', async () => {
    const names = Array.from({ length: 150 }, () => ({ status: 'open' }));
    const { post, remove, runJobs, get, ids, context } = await withStaff({ status }, names);
    const stop = context.db.before('TransactWriteItems', async ({ input }) => {
      if (!JSON.stringify(input).includes(`staff#${ids[60]}`)) return;
      stop();
      for (const id of [...ids.slice(0, 3), ...ids.slice(140, 142)]) await remove(`${STAFF}/${id}`);
    });

    await post(`${CODE}/recount`);
    await runJobs();

    expect((await get(`${STAFF}/count`)).body).toMatchObject({ count: 145 });
    expect((await get(`${STAFF}/count?status=open`)).body).toMatchObject({ count: 145 });
  });
});

describe('a unique constraint', () => {
  const plain = { mail: { type: 'string' } };
  const unique = { mail: { type: 'string', 'x-unique': true } };

  it('that was off for a while refuses nothing for what was there before', async () => {
    const { change, runJobs, put, post, ids, context } = await withStaff(unique, [{ mail: 'a' }]);

    await change(plain);
    await runJobs();
    await put(`${STAFF}/${ids[0]}`, { mail: 'b' });
    await change(unique);
    await runJobs();

    expect((await post(STAFF, { name: 'x', mail: 'a' })).status).toBe(201);
    expect((await post(STAFF, { name: 'x', mail: 'b' })).status).toBe(409);
    const claims = context.db.items().filter(({ type }) => type === 'DYN_UNIQUE');
    expect(claims).toHaveLength(2);
  });

  it('is built again by the same schema once the duplicates are gone', async () => {
    const { change, runJobs, put, post, ids, job } = await withStaff(plain, [
      { mail: 'a' },
      { mail: 'A' },
    ]);

    const [failed] = await change(unique);
    await runJobs();
    const renamed = await put(`${STAFF}/${ids[1]}`, { name: 'other' });
    await put(`${STAFF}/${ids[1]}`, { mail: 'b' });
    const [again] = await change(unique);
    await runJobs();

    expect(await job(failed?.id)).toMatchObject({ state: 'FAILED', result: { field: 'mail' } });
    expect(renamed.status).toBe(200);
    expect(await job(again?.id)).toMatchObject({ state: 'DONE' });
    expect((await post(STAFF, { name: 'x', mail: 'a' })).status).toBe(409);
  });
});

describe('an entity that is purged', () => {
  it('waits for environments that do not know it, and leaves nothing to the next of its code', async () => {
    const unique = { mail: { type: 'string', 'x-unique': true }, status };
    const { change, context, remove, runJobs, define, get } = await withStaff(unique, [
      { mail: 'a', status: 'open' },
    ]);
    const other = anEntitiesApi({ besides: context });
    await other.get(STAFF);
    await change({ mail: { type: 'string' }, status });

    await remove(`${CODE}?force=true&purge=true`);
    const late = await other.post(STAFF, { name: 'late', mail: 'b', status: 'open' });
    await runJobs();
    const again = await define({ code: 'staff', name: 'Staff', uiSchemaJson: schemaOf(unique) });

    expect([late.status, again.status]).toEqual([201, 201]);
    expect((await get(STAFF)).body).toMatchObject({ totalElements: 0 });
    const left = context.db
      .items()
      .filter(({ type }) => type === 'DYN_RECORD' || type === 'DYN_UNIQUE');
    expect(left.filter(({ pk }) => !String(pk).includes('!path'))).toEqual([]);
  });
});
