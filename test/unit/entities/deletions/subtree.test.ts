import { describe, expect, it } from 'vitest';
import { contentOf, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, expectSettled } from './interrupted.ts';

const UNITS = `${RECORDS}/unit`;

async function withUnits(properties: object = {}) {
  const api = anInterruptibleApi();
  const { define, post, get } = api;
  const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' }, ...properties } };
  await define({ code: 'unit', name: 'Unit', hierarchical: true, uiSchemaJson });
  const make = async (name: string, parentId?: string): Promise<string> =>
    String((await post(UNITS, { name, ...(parentId && { parentId }) })).body.id);
  return {
    ...api,
    make,
    /** Adds children, and returns their ids. */
    async addTo(parentId: string, count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let at = 0; at < count; at += 100) {
        const operations = Array.from({ length: Math.min(100, count - at) }, (_, nth) => ({
          op: 'create',
          data: { name: `n${at + nth}`, parentId },
        }));
        const { body } = await post(`${UNITS}/bulk`, { operations });
        ids.push(...(body.results as { id: string }[]).map(({ id }) => id));
      }
      return ids;
    },
    live: async () => (await get(`${UNITS}/count`)).body.count,
    trashed: async () => (await get(`${UNITS}/trash`)).body.totalElements,
  };
}

describe('DELETE {prefix}/dynamic/{entity}/{id}?cascade=true', () => {
  it('takes less than two requests for each child', async () => {
    const { make, addTo, remove, live, context } = await withUnits();
    const root = await make('A');
    await addTo(root, 100);
    const other = await make('B');

    const { requests } = await context.db.meter.costOf(async () => {
      expect((await remove(`${UNITS}/${root}?cascade=true`)).status).toBe(204);
    });

    expect(await live()).toBe(1);
    expect(other).toBeDefined();
    expect(requests.length / 100).toBeLessThan(2);
  });

  it('leaves a subtree too large for one request to a job, which the answer names', async () => {
    const api = await withUnits();
    const { make, addTo, remove, get, post, live, trashed, runJobs } = api;
    const root = await make('A');
    const [first = ''] = await addTo(root, 150);
    await addTo(first, 150);
    await make('B');

    const answer = await remove(`${UNITS}/${root}?cascade=true`);
    const child = await post(UNITS, { name: 'x', parentId: first });
    const change = await api.put(`${UNITS}/${first}`, { name: 'y' });
    await runJobs();
    const job = await get(String(answer.headers.location));

    expect(answer).toMatchObject({ status: 202, body: { kind: 'DELETE', state: 'WAITING' } });
    expect(child).toMatchObject({ status: 409, body: { code: 'DELETION_IN_PROGRESS' } });
    expect(change).toMatchObject({ status: 409, body: { code: 'DELETION_IN_PROGRESS' } });
    expect(job.body).toMatchObject({ state: 'DONE', processed: 301 });
    expect([await live(), await trashed()]).toEqual([1, 301]);
    expectSettled(api, 'after the job');
  });

  it('ends although each step of the job is killed once in the middle', async () => {
    const api = await withUnits();
    const { make, addTo, remove, live, trashed, settle, runTask, context } = api;
    const root = await make('A');
    const [first = '', second = ''] = await addTo(root, 150);
    await addTo(first, 60);
    await addTo(second, 60);
    await remove(`${UNITS}/${root}?cascade=true`);

    for (const requests of [1, 7, 60, 200, 300, 330]) {
      context.clock.advance(4_000_000);
      await runTask('entities.sweep');
      const revive = api.dieAt(requests);
      await api.runJobs();
      revive();
    }
    context.clock.advance(4_000_000);
    await settle();

    expect([await live(), await trashed()]).toEqual([0, 271]);
    expectSettled(api, 'after the kills');
  });

  it('deletes nothing of a large subtree when one of it is referenced from outside', async () => {
    const api = await withUnits({ friend: { type: 'string', 'x-reference': { entity: 'unit' } } });
    const { make, addTo, remove, put, post, get, live, runJobs } = api;
    const root = await make('A');
    const ids = await addTo(root, 300);
    await put(`${UNITS}/${ids[3]}`, { friend: ids[4] });
    const outside = await make('B');
    await put(`${UNITS}/${outside}`, { friend: ids[299] });

    const answer = await remove(`${UNITS}/${root}?cascade=true`);
    await runJobs();
    const job = await get(String(answer.headers.location));

    expect(answer.status).toBe(202);
    expect(job.body).toMatchObject({ state: 'FAILED', result: { code: 'REFERENCED' } });
    expect(await live()).toBe(302);
    expectSettled(api, 'after the job');
    expect((await post(UNITS, { name: 'x', parentId: ids[7] })).status).toBe(201);

    await put(`${UNITS}/${outside}`, { friend: null });
    await remove(`${UNITS}/${root}?cascade=true`);
    await runJobs();
    expect(await live()).toBe(1);
  });

  it('deletes the whole subtree for good with purge=true', async () => {
    const api = await withUnits();
    const { make, remove, get, items } = api;
    const root = await make('A');
    await make('C', await make('B', root));

    const answer = await remove(`${UNITS}/${root}?cascade=true&purge=true`);

    expect(answer.status).toBe(204);
    expect(contentOf(await get(`${UNITS}/trash`))).toEqual([]);
    expect([items('DYN_RECORD#unit'), items('DYN_TREE#unit')]).toEqual([[], []]);
    expectSettled(api, 'after the purge');
  });

  it('and a new child at the same time leave no child without its parent', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { make, remove, post, get, settle } = await withUnits();
      const root = await make('A');
      const below = await make('B', root);
      const both = [
        () => remove(`${UNITS}/${root}?cascade=true`),
        () => post(UNITS, { name: 'C', parentId: below }),
      ];

      await Promise.all((round % 2 ? both : both.toReversed()).map((call) => call()));
      await settle();

      const left = contentOf(await get(UNITS)).map(({ name }) => name);
      expect([0, 3], left.join()).toContain(left.length);
    }
  });
});
