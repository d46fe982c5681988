import { describe, expect, it } from 'vitest';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;
const query = (parameters: Readonly<Record<string, string>>): string =>
  `${CUSTOMERS}?${new URLSearchParams({ deleted: 'only', ...parameters })}`;
const namesOf = (answer: Parameters<typeof contentOf>[0]) =>
  contentOf(answer).map(({ name }) => name);

/** Customers that were deleted one after the other, or some at once; every third is open. */
async function withDeleted(count: number, atOnce = 1) {
  const api = anEntitiesApi();
  await api.define(aCustomerEntity());
  const ids: string[] = [];
  for (let from = 0; from < count; from += 250) {
    const operations = Array.from({ length: Math.min(250, count - from) }, (_, at) => ({
      op: 'create',
      data: { name: `n${from + at}`, status: (from + at) % 3 ? 'wip' : 'open' },
    }));
    const { body } = await api.post(`${CUSTOMERS}/bulk`, { operations });
    ids.push(...(body.results as { id: string }[]).map(({ id }) => id));
  }
  for (let from = 0; from < count; from += atOnce) {
    api.context.clock.advance(1);
    const operations = ids.slice(from, from + atOnce).map((id) => ({ op: 'delete', id }));
    await api.post(`${CUSTOMERS}/bulk`, { operations });
  }
  return api;
}

const open = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `n${at}`)
    .filter((_, at) => at % 3 === 0)
    .reverse();

describe('deleted records', () => {
  it('fill their pages with what meets the filter, newest deletion first', async () => {
    const { get } = await withDeleted(60);

    const first = await get(query({ status: 'open', size: '7' }));
    const third = await get(query({ status: 'open', size: '7', page: '2' }));
    const whole = await get(query({ status: 'open', size: '50' }));
    const all = await get(query({ size: '7', page: '8' }));

    expect(namesOf(first)).toEqual(open(60).slice(0, 7));
    expect(first.body).toMatchObject({ complete: true, last: false, sort: ['-deletedAt'] });
    expect(namesOf(third)).toEqual(open(60).slice(14, 21));
    expect(third.body).toMatchObject({ nextCursor: null, last: true });
    expect(whole.body).toMatchObject({ totalElements: 20, totalRelation: 'eq', nextCursor: null });
    expect(namesOf(all)).toEqual(['n3', 'n2', 'n1', 'n0']);
    expect(all.body).toMatchObject({ totalElements: 60, totalPages: 9, last: true });
  });

  it('come once each when their cursors are followed, restored ones not at all', async () => {
    const { get, post } = await withDeleted(40);
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const answer = await get(
        query({ status: 'wip', size: '4', ...(cursor ? { cursor: String(cursor) } : {}) }),
      );
      seen.push(...namesOf(answer));
      cursor = answer.body.nextCursor;
      const [last] = contentOf(answer).slice(-1);
      if (last) await post(`${CUSTOMERS}/${last.id}/restore`);
    } while (cursor);

    const wip = Array.from({ length: 40 }, (_, at) => at).filter((at) => at % 3);
    expect(seen).toEqual(wip.reverse().map((at) => `n${at}`));
  });

  it.each(['', 'wip'])('come in the same pages on the way back: status=%s', async (status) => {
    const { get } = await withDeleted(20);
    const at = (cursor?: unknown) =>
      get(
        query({
          size: '6',
          ...(status && { status }),
          ...(cursor ? { cursor: String(cursor) } : {}),
        }),
      );
    const pages = [await at()];
    while (pages.at(-1)?.body.nextCursor) pages.push(await at(pages.at(-1)?.body.nextCursor));

    const back: typeof pages = [];
    for (let page = pages.at(-1); page?.body.prevCursor; page = back.at(-1)) {
      back.push(await at(page.body.prevCursor));
    }

    expect(pages.length).toBeGreaterThan(2);
    expect(back.map(namesOf)).toEqual(pages.slice(0, -1).map(namesOf).toReversed());
    expect(back.at(-1)?.body).toMatchObject({ number: 0, first: true, prevCursor: null });
  });

  it('are looked for no further than the work of one request goes', async () => {
    const api = await withDeleted(2_300, 250);

    const found = await api.get(query({ name: 'n5', size: '5' }));
    const next = await api.get(
      query({ name: 'n5', size: '5', cursor: String(found.body.nextCursor) }),
    );

    expect(found.body).toMatchObject({ complete: false, content: [], last: false });
    expect(namesOf(next)).toEqual(['n5']);
    expect(next.body).toMatchObject({ complete: true, nextCursor: null });

    const at = (cursor: unknown) =>
      api.get(query({ name: 'n5', size: '5', cursor: String(cursor) }));
    const back = await at(next.body.prevCursor);
    const start = await at(back.body.prevCursor);
    const again = await at(back.body.nextCursor);
    expect(back.body).toMatchObject({ complete: false, content: [], number: 0 });
    expect(start.body).toMatchObject({ complete: true, content: [], number: 0, prevCursor: null });
    expect(namesOf(again)).toEqual(['n5']);
  }, 120_000);

  it('take no other order', async () => {
    const { get } = await withDeleted(1);

    expect(await get(query({ sort: 'name' }))).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'sort', code: 'NOT_APPLICABLE' }] },
    });
  });

  it('are not shown by a cursor that somebody made up', async () => {
    const { get } = await withDeleted(9);
    const { nextCursor } = (await get(query({ size: '2' }))).body;
    const place = JSON.parse(Buffer.from(String(nextCursor), 'base64url').toString());
    const forged = (change: object): string =>
      Buffer.from(JSON.stringify({ ...place, ...change })).toString('base64url');

    const long = await get(query({ size: '2', cursor: forged({ k: ['x'.repeat(1_000)] }) }));
    const beyond = await get(query({ size: '2', cursor: forged({ k: ['0'] }) }));

    expect(long).toMatchObject({ status: 400, body: { code: 'INVALID_CURSOR' } });
    expect(beyond).toMatchObject({ status: 200, body: { content: [] } });
  });

  it('are not purged once they are restored, whichever comes first', async () => {
    const { context, post, remove, get } = anEntitiesApi();
    await anEntitiesApi({ besides: context }).define(aCustomerEntity());
    const values = { name: 'a', email: 'a@example.com' };
    const path = `${CUSTOMERS}/${(await post(CUSTOMERS, values)).body.id}`;
    await remove(path);
    const stop = context.db.before('TransactWriteItems', async () => {
      stop();
      expect((await post(`${path}/restore`)).status).toBe(200);
    });

    const purged = await remove(`${path}?purge=true`);

    expect(purged).toMatchObject({ status: 409, body: { code: 'CONCURRENT_UPDATE' } });
    expect((await get(path)).body).toMatchObject(values);
    expect((await remove(`${path}?purge=true`)).status).toBe(204);
    expect((await post(CUSTOMERS, values)).status).toBe(201);
  });
});
