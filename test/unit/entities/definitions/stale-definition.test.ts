import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const CITIES = `${RECORDS}/place`;

const schema = (searchable: boolean) => ({
  type: 'object',
  properties: {
    name: { type: 'string', 'x-unique': true },
    city: { type: 'string', 'x-searchable': searchable },
  },
});

/**
 * An entity whose city gets an index, which is built to its end by another environment, while a transaction of this
 * one waits; that transaction then meets a conflict, so it is tried again.
 */
async function withPlaces() {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
  const api = anEntitiesApi({ host });
  const { context } = api;
  const defined = await api.define({
    code: 'place',
    name: 'Place',
    apiPath: 'places',
    uiSchemaJson: schema(false),
  });
  expect(defined.status, defined.text).toBe(201);
  const other = anEntitiesApi({ besides: context });
  const addIndexAt = (transaction: number): void => {
    let seen = 0;
    const stop = context.db.before('TransactWriteItems', async () => {
      seen += 1;
      if (seen < transaction) return;
      stop();
      const changed = await other.put(`${DEFINITIONS}/code/place/schema`, schema(true));
      expect(changed.status, changed.text).toBe(200);
      // The call that waits has 15 seconds.
      await other.runJobs(5_000);
      const { body } = await other.get(`${DEFINITIONS}/code/place`);
      expect(body.fields).toContainEqual(
        expect.objectContaining({ code: 'city', indexState: 'READY' }),
      );
      context.db.failNext('conflict', { operation: 'TransactWriteItems' });
    });
  };
  const namesIn = async (city: string) =>
    contentOf(await other.get(`${CITIES}?city=${city}&sort=name`)).map(({ name }) => name);
  return { ...api, addIndexAt, namesIn };
}

describe('an index that is added while a write is tried again', () => {
  it('has the rows of a record that is created', async () => {
    const { post, addIndexAt, namesIn } = await withPlaces();
    addIndexAt(1);

    const made = await post(CITIES, { name: 'a', city: 'hue' });

    expect(made.status, made.text).toBe(201);
    expect(await namesIn('hue')).toEqual(['a']);
  });

  it('has the new rows of a record that is changed, and no old ones', async () => {
    const { post, put, addIndexAt, namesIn } = await withPlaces();
    const { body } = await post(CITIES, { name: 'a', city: 'hue' });
    addIndexAt(1);

    const changed = await put(`${CITIES}/${body.id}`, { city: 'vinh' });

    expect(changed.status, changed.text).toBe(200);
    expect([await namesIn('hue'), await namesIn('vinh')]).toEqual([[], ['a']]);
  });

  it.each([[false], [true]])('has the rows of a bulk call (atomic: %s)', async (atomic) => {
    const { post, addIndexAt, namesIn } = await withPlaces();
    const operations = ['a', 'b', 'c'].map((name) => ({
      op: 'create',
      data: { name, city: 'hue' },
    }));
    addIndexAt(1);

    const done = await post(`${CITIES}/bulk`, { atomic, operations });

    expect(done.body.results).toMatchObject(operations.map(() => ({ status: 201 })));
    expect(await namesIn('hue')).toEqual(['a', 'b', 'c']);
  });

  it('has the rows of an import that goes on with what it began', async () => {
    const { post, get, runJobs, addIndexAt, namesIn } = await withPlaces();
    for (const name of ['a', 'b', 'c']) await post(CITIES, { name, city: 'hue' });
    addIndexAt(2);

    const rows = ['a', 'b', 'c'].map((name) => ({ name, city: 'vinh' }));
    const done = await post(`${CITIES}/import?mode=upsert&key=name&format=json`, rows);

    // An upsert that takes 8 seconds is ended by a job.
    expect(done.status, done.text).toBe(202);
    await runJobs();
    const { body } = await get(String(done.headers.location));
    expect(body).toMatchObject({ state: 'DONE', result: { updated: 3, failed: 0 } });
    expect([await namesIn('hue'), await namesIn('vinh')]).toEqual([[], ['a', 'b', 'c']]);
  });

  it('has the rows of a call with an Idempotency-Key', async () => {
    const { post, addIndexAt, namesIn } = await withPlaces();
    addIndexAt(1);

    const made = await post(
      CITIES,
      { name: 'a', city: 'hue' },
      { headers: { 'idempotency-key': 'k1' } },
    );

    expect(made.status, made.text).toBe(201);
    expect(await namesIn('hue')).toEqual(['a']);
  });
});
