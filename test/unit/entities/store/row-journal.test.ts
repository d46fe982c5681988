import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const ITEMS = `${RECORDS}/item`;
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'string' }]));
const values = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, `${value}${at}`]));
const ID = '019ca8bb-b5c0-7000-8000-0a0000000001';

async function withItems(count: number) {
  const api = anEntitiesApi();
  const properties = { code: { type: 'string', 'x-unique': true }, ...fields(count) };
  await api.define({ code: 'item', name: 'Item', uiSchemaJson: { type: 'object', properties } });
  return { ...api, ...looking(api) };
}

function looking({ get, context, runTask }: EntitiesApi) {
  return {
    count: async (query: string) => (await get(`${ITEMS}/count?${query}`)).body.count,
    total: async (query: string) => (await get(`${ITEMS}?${query}`)).body.totalElements,
    rows: (id = '') =>
      context.db
        .items()
        .filter(
          ({ pk, sk }) => String(pk).startsWith('DYN_FIELD_VALUE#') && String(sk).endsWith(id),
        ),
    journal: () =>
      context.db
        .items()
        .filter(({ pk, sk }) => String(pk).startsWith('DYN_ROW_JOURNAL') || sk === 'PENDING'),
    /** Fails the n-th request of an operation from now on, as when the process ends there. */
    dieAt: (operation: string, nth = 1) => {
      let seen = 0;
      return context.db.before(operation, () => {
        seen += 1;
        if (seen >= nth) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      });
    },
    sweepLater: async () => {
      context.clock.advance(301_000);
      return runTask(SWEEP_TASK);
    },
  };
}

const bulk = (...data: object[]) => ({
  operations: data.map((each) => ({ op: 'create', data: each })),
});

describe('rows of a bulk call that was interrupted', () => {
  it('before its commit are swept up, and never listed', async () => {
    const { post, get, count, total, rows, journal, dieAt, sweepLater } = await withItems(2);
    await post(ITEMS, { f0: 'same' });
    const revive = dieAt('TransactWriteItems');
    const { status } = await post(`${ITEMS}/bulk`, bulk({ f0: 'same' }, { f0: 'same' }));
    revive();

    const left = rows().length;
    const listed = contentOf(await get(`${ITEMS}?f0=same`));
    const swept = await sweepLater();

    expect(status).toBe(503);
    expect(left).toBeGreaterThan(rows().length);
    expect(listed).toHaveLength(1);
    expect(swept).toMatchObject({ rows: 1 });
    expect([await count('f0=same'), await total('f0=same')]).toEqual([1, 1]);
    expect([rows().length, journal()]).toEqual([4, []]);
  });

  it('in the middle of its rows are swept up', async () => {
    const { post, rows, journal, dieAt, sweepLater } = await withItems(60);
    const revive = dieAt('BatchWriteItem', 3);
    await post(`${ITEMS}/bulk`, bulk(values(60, 'a'), values(60, 'b'), values(60, 'c')));
    revive();

    const left = rows().length;
    await sweepLater();

    expect(left).toBeGreaterThan(0);
    expect([rows(), journal()]).toEqual([[], []]);
  });

  it('stay when its commit has happened, though nobody heard of it', async () => {
    const { post, count, context, rows, journal, sweepLater } = await withItems(2);
    context.db.failNext('answer-lost', { operation: 'TransactWriteItems' });
    await post(`${ITEMS}/bulk`, bulk({ f0: 'x' }, { f0: 'x' }));

    await sweepLater();

    expect(await count('f0=x')).toBe(2);
    expect(rows()).toHaveLength(8);
    expect(journal().filter(({ pk }) => pk === 'DYN_ROW_JOURNAL')).toEqual([]);
  });

  it('are not swept up while it may still commit, and written again when they were', async () => {
    const { post, count, rows, journal, context, runTask, sweepLater } = await withItems(2);
    const sweeps: unknown[] = [];
    const stop = context.db.before('TransactWriteItems', async () => {
      stop();
      sweeps.push(await runTask(SWEEP_TASK), await sweepLater());
    });

    const { body } = await post(`${ITEMS}/bulk`, bulk({ f0: 'x' }, { f0: 'x' }));

    expect(sweeps).toMatchObject([{ rows: 0 }, { rows: 1 }]);
    expect(body.results).toMatchObject([{ status: 201 }, { status: 201 }]);
    expect(await count('f0=x')).toBe(2);
    expect([rows().length, journal()]).toEqual([8, []]);
  });
});

describe('records of a bulk call that are refused', () => {
  it('leave no rows, and those of a record with the same id as they are', async () => {
    const { post, count, rows, journal, context } = await withItems(2);
    await post(`${ITEMS}/bulk`, bulk({ code: 'A', f0: 'x' }));
    let batches = 0;
    // After the journal and before the rows: the look at ids that are taken has seen nothing.
    const stop = context.db.before('BatchWriteItem', async () => {
      batches += 1;
      if (batches !== 2) return;
      stop();
      await post(ITEMS, { id: ID, f0: 'x', f1: 'mine' });
    });

    const { body } = await post(
      `${ITEMS}/bulk`,
      bulk({ code: 'a', f0: 'x' }, { id: ID, f0: 'x', f1: 'yours' }, { id: ID }, { f0: 'x' }),
    );

    expect((body.results as { status: number }[]).map(({ status }) => status)).toEqual([
      409, 409, 409, 201,
    ]);
    expect([await count('f0=x'), await count('f1=mine'), await count('f1=yours')]).toEqual([
      3, 1, 0,
    ]);
    expect(rows(ID)).toHaveLength(4);
    expect([rows().length, journal()]).toEqual([13, []]);
  });
});

describe('a wide record whose change was interrupted', () => {
  const WIDE = 95;

  it.each([
    ['between journal and rows', 'BatchWriteItem', 2],
    ['between rows and commit', 'TransactWriteItems', 1],
  ])('%s is as before, and nothing else is counted', async (_name, operation, nth) => {
    const { post, put, get, count, rows, journal, dieAt, sweepLater } = await withItems(WIDE);
    const { body } = await post(ITEMS, values(WIDE, 'a'));
    const revive = dieAt(operation, nth);
    const changed = await put(`${ITEMS}/${body.id}`, { ...values(WIDE, 'b'), f0: 'A0' });
    revive();

    const before = [await count('f1=a1'), await count('f1=b1'), await count('f0=a0')];
    await sweepLater();

    expect(changed.status).toBe(503);
    expect(before).toEqual([1, 0, 1]);
    expect([await count('f1=a1'), await count('f1=b1'), await count('f0=a0')]).toEqual([1, 0, 1]);
    expect(contentOf(await get(`${ITEMS}?sort=f0`))).toMatchObject([{ f0: 'a0' }]);
    expect([rows(String(body.id)).length, journal()]).toEqual([WIDE + 2, []]);
  });

  it('after its commit loses its old rows by the sweep', async () => {
    const { post, put, count, rows, journal, dieAt, sweepLater } = await withItems(WIDE);
    const { body } = await post(ITEMS, values(WIDE, 'a'));
    const revive = dieAt('TransactWriteItems', 2);
    const changed = await put(`${ITEMS}/${body.id}`, values(WIDE, 'b'));
    revive();

    const left = rows(String(body.id)).length;
    await sweepLater();

    expect(changed.status).toBe(200);
    expect(left).toBe(2 * WIDE + 2);
    expect([await count('f1=a1'), await count('f1=b1')]).toEqual([0, 1]);
    expect([rows(String(body.id)).length, journal()]).toEqual([WIDE + 2, []]);
  });

  it('keeps rows that are true again when somebody is late to delete them', async () => {
    const { post, put, get, count, rows, context } = await withItems(WIDE);
    const { body } = await post(ITEMS, values(WIDE, 'a'));
    const path = `${ITEMS}/${body.id}`;
    let transactions = 0;
    // The first transaction is the change to b; the second would delete the rows of a, after the change back.
    const stop = context.db.before('TransactWriteItems', async () => {
      transactions += 1;
      if (transactions !== 2) return;
      stop();
      expect((await put(path, values(WIDE, 'a'))).status).toBe(200);
    });

    await put(path, values(WIDE, 'b'));

    expect((await get(path)).body).toMatchObject(values(WIDE, 'a'));
    expect([await count('f1=a1'), await count('f1=b1')]).toEqual([1, 0]);
    expect(rows(String(body.id))).toHaveLength(WIDE + 2);
  });

  it('is found whole when it was deleted right before', async () => {
    const { post, remove, count, rows, journal, dieAt, sweepLater } = await withItems(WIDE);
    const { body } = await post(ITEMS, values(WIDE, 'a'));
    const revive = dieAt('TransactWriteItems', 2);
    await remove(`${ITEMS}/${body.id}`);
    revive();
    await sweepLater();

    const gone = [await count('f1=a1'), rows().length];
    const restored = await post(`${ITEMS}/${body.id}/restore`);

    expect(gone).toEqual([0, 0]);
    expect(restored.status, restored.text).toBe(200);
    expect([await count('f1=a1'), rows().length, journal()]).toEqual([1, WIDE + 2, []]);
  });
});

describe('POST .../recount', () => {
  it('leaves the rows of a bulk call alone that is about to commit', async () => {
    const { post, count, context, runJobs, runTask } = await withItems(2);
    const stop = context.db.before('TransactWriteItems', async ({ input }) => {
      if (!JSON.stringify(input).includes('DYN_RECORD#item')) return;
      stop();
      await post(`${DEFINITIONS}/code/item/recount`);
      // Ends after the rows, before the records.
      const revive = context.db.before('Query', ({ input: query }) => {
        if (JSON.stringify(query).includes('DYN_COUNTER')) throw new Error('gone');
      });
      await runJobs();
      revive();
    });

    await post(`${ITEMS}/bulk`, bulk({ f0: 'x' }, { f0: 'x' }));
    context.clock.advance(400_000);
    await runTask(SWEEP_TASK);
    await runJobs();

    expect(await count('f0=x')).toBe(2);
    expect(await count('')).toBe(2);
  });
});
