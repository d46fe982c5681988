import { describe, expect, it } from 'vitest';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';
import { CUSTOMERS, namesOf, query, withCustomers } from './customers.ts';

describe('cursors', () => {
  it('of another query, another caller or nobody are refused', async () => {
    const { get } = await withCustomers(5);
    const cursor = String((await get(query({ size: '2', sort: 'name' }))).body.nextCursor);

    for (const parameters of [
      { size: '2', sort: '-name', cursor },
      { size: '2', sort: 'name', cursor: 'abc' },
      { size: '2', cursor },
    ]) {
      expect(await get(query(parameters as unknown as Record<string, string>))).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    }
    const forged = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const change of [
      { k: ['\ud800'] },
      { k: [] },
      { i: '\udfff' },
      { s: 99_999 },
      { n: -1 },
    ]) {
      const text = Buffer.from(JSON.stringify({ ...forged, ...change })).toString('base64url');
      expect(await get(query({ size: '2', sort: 'name', cursor: text }))).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    }
    expect(
      await get(query({ size: '2', sort: 'name', cursor }), { caller: { sub: 'other' } }),
    ).toMatchObject({ status: 400 });
    expect(namesOf(await get(query({ size: '2', sort: 'name', cursor })))).toEqual([
      'n0002',
      'n0003',
    ]);
  });

  it.each(['name', '-amount', '-createdAt'])(
    'show each untouched record once while others are written: %s',
    async (sort) => {
      const api = await withCustomers(60, (at) => ({
        name: `n${at % 7}`,
        amount: at % 5,
        city: 'untouched',
      }));
      const untouched = new Set<unknown>();
      const seen: unknown[] = [];
      let cursor: unknown;
      for (const record of contentOf(await api.get(query({ size: '100' }))))
        untouched.add(record.id);
      do {
        const answer = await api.get(
          query({ size: '7', sort, ...(cursor ? { cursor: String(cursor) } : {}) }),
        );
        seen.push(...contentOf(answer).map(({ id }) => id));
        cursor = answer.body.nextCursor;
        const [victim] = [...untouched];
        untouched.delete(victim);
        await api.remove(`${CUSTOMERS}/${victim}`);
        await api.post(CUSTOMERS, { name: 'n3', amount: 2 });
      } while (cursor && seen.length < 200);

      for (const id of untouched) expect(seen.filter((each) => each === id)).toEqual([id]);
    },
  );

  it.each(['name', '-amount', '-createdAt'])(
    'show each untouched record once on the way back while others are written: %s',
    async (sort) => {
      const api = await withCustomers(60, (at) => ({ name: `n${at % 7}`, amount: at % 5 }));
      const untouched = new Set<unknown>();
      for (const { id } of contentOf(await api.get(query({ size: '100' })))) untouched.add(id);
      const removeSome = async (ids: readonly unknown[]): Promise<void> => {
        const victims = ids.filter((id) => untouched.delete(id));
        for (const id of victims) await api.remove(`${CUSTOMERS}/${id}`);
      };
      const seen: unknown[] = [];
      let answer = await api.get(query({ size: '7', sort, page: '8' }));
      for (;;) {
        seen.push(...contentOf(answer).map(({ id }) => id));
        const cursor = answer.body.prevCursor;
        if (!cursor || seen.length > 200) break;
        // The record at the place of the cursor itself goes, too.
        await removeSome([contentOf(answer)[0]?.id, [...untouched][0]]);
        await api.post(CUSTOMERS, { name: 'n3', amount: 2 });
        answer = await api.get(query({ size: '7', sort, cursor: String(cursor) }));
      }

      expect(answer.body).toMatchObject({ number: 0, first: true, prevCursor: null });
      for (const id of untouched) expect(seen.filter((each) => each === id)).toEqual([id]);
    },
  );

  it('lead back from a page that has become empty, and on from one before which all is gone', async () => {
    const api = await withCustomers(9);
    const first = await api.get(query({ size: '3', sort: 'name' }));
    const second = await api.get(
      query({ size: '3', sort: 'name', cursor: String(first.body.nextCursor) }),
    );
    const at = (cursor: unknown) =>
      api.get(query({ size: '3', sort: 'name', cursor: String(cursor) }));
    const third = await at(second.body.nextCursor);

    for (const { id } of contentOf(third)) await api.remove(`${CUSTOMERS}/${id}`);
    const behind = await at(second.body.nextCursor);
    const back = await at(behind.body.prevCursor);
    for (const { id } of contentOf(first)) await api.remove(`${CUSTOMERS}/${id}`);
    const before = await at(second.body.prevCursor);
    const on = await at(before.body.nextCursor);

    expect(behind.body).toMatchObject({ content: [], number: 2, nextCursor: null });
    expect(namesOf(back)).toEqual(namesOf(second));
    expect(before.body).toMatchObject({ content: [], number: 0, prevCursor: null });
    expect(namesOf(on)).toEqual(namesOf(second));
  });

  it('lead back only in the query they came from', async () => {
    const { get } = await withCustomers(9);
    const { prevCursor } = (await get(query({ size: '2', page: '2', sort: 'name' }))).body;

    const answers = [
      await get(query({ size: '3', sort: 'name', cursor: String(prevCursor) })),
      await get(query({ size: '2', sort: '-name', cursor: String(prevCursor) })),
      await get(query({ size: '2', sort: 'name', status: 'open', cursor: String(prevCursor) })),
    ];

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [400, 'INVALID_CURSOR']),
    );
  });
});

describe('following a filtered list in another order to its end', () => {
  const COUNT = 12_000;
  const numberOf = (at: number, most: number): number => (at * 48_271 + 11) % most;

  async function withThings() {
    const api = anEntitiesApi();
    const field = { type: 'integer' };
    await api.define({
      ...{ code: 'thing', name: 'Thing', apiPath: 'things' },
      uiSchemaJson: {
        type: 'object',
        properties: { amount: field, city: { type: 'string' }, grade: field },
      },
    });
    const bodies = Array.from({ length: COUNT }, (_, at) => ({
      amount: numberOf(at, 9_973),
      city: `c${numberOf(at, 61)}`,
      grade: numberOf(at, 17),
    }));
    const ids = await loadRecords(api.context, 'thing', bodies);
    /** Follows a list to its end. @param between happens after the first page */
    const followed = async (parameters: string, between?: () => Promise<unknown>) => {
      const found: string[] = [];
      for (let cursor: unknown = ''; cursor !== null; ) {
        const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
        const page = await api.get(`${RECORDS}/things?${parameters}&count=none${at}`);
        expect(page.status, page.text).toBe(200);
        if (cursor === '') await between?.();
        found.push(...contentOf(page).map(({ id }) => String(id)));
        cursor = page.body.nextCursor;
      }
      return found;
    };
    return {
      ...api,
      records: bodies.map((body, at) => ({ ...body, id: ids[at] ?? '' })),
      followed,
    };
  }

  it('collects its records once', async () => {
    const { records, followed, context, get } = await withThings();
    await get(`${RECORDS}/things?size=1`);
    const kinds = [
      ['amount[lt]=400', ({ amount }: { amount: number }) => amount < 400, 1.5],
      ['amount[lt]=400&sort=grade,amount', ({ amount }: { amount: number }) => amount < 400, 2.2],
      ['city=c7&sort=-amount,grade', ({ city }: { city: string }) => city === 'c7', 2.2],
      ['city=c7&sort=amount', ({ city }: { city: string }) => city === 'c7', 2.6],
      ['grade=3&sort=amount', ({ grade }: { grade: number }) => grade === 3, 2.2],
    ] as const;

    for (const [parameters, fits, most] of kinds) {
      const wanted = records.filter((record) => fits(record)).map(({ id }) => id);
      let found: readonly string[] = [];
      const cost = await context.db.meter.costOf(async () => {
        found = await followed(parameters);
      });

      expect(found.toSorted(), parameters).toEqual(wanted.toSorted());
      const once = wanted.length * 0.5125;
      expect(cost.readUnits / once, parameters).toBeLessThanOrEqual(most);
    }
  }, 60_000);

  it('shows what stays as it is once, and what changes by its values of then', async () => {
    const { records, followed, put, remove } = await withThings();
    const wanted = records
      .filter(({ amount }) => amount < 400)
      .toSorted((one, other) => other.amount - one.amount || (one.id < other.id ? 1 : -1));
    const [moved, gone, left] = [wanted[100], wanted[200], wanted[300]];
    const path = (id = ''): string => `${RECORDS}/things/${id}`;

    const found = await followed('amount[lt]=400&sort=-amount,grade', async () => {
      await put(path(moved?.id), { ...moved, id: undefined, amount: 9_000 });
      await remove(path(gone?.id));
      await put(path(left?.id), { ...left, id: undefined, city: 'elsewhere' });
    });

    const changed = [moved?.id, gone?.id];
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((id) => changed.includes(id))).toEqual([]);
    expect(found.toSorted()).toEqual(
      wanted.flatMap(({ id }) => (changed.includes(id) ? [] : [id])).toSorted(),
    );
  }, 60_000);

  it('shows what was there when it began, whoever follows the same list since earlier', async () => {
    const { records, followed, post } = await withThings();
    const parameters = 'amount[lt]=400&sort=grade,amount';
    const made: string[] = [];

    const early = await followed(parameters, async () => {
      const { body } = await post(`${RECORDS}/things`, { amount: 399, city: 'new', grade: 16 });
      made.push(String(body.id));
    });
    const between = await followed(parameters);

    const wanted = records.filter(({ amount }) => amount < 400).map(({ id }) => id);
    expect(early.filter((id) => !made.includes(id)).toSorted()).toEqual(wanted.toSorted());
    expect(between.toSorted()).toEqual([...wanted, ...made].toSorted());
  }, 60_000);

  it('shows it although the first page comes from another environment', async () => {
    const one = await withThings();
    const other = anEntitiesApi({ besides: one.context });
    const path = `${RECORDS}/things?amount[lt]=400&sort=grade,amount&size=200`;
    const follow = async (page: Awaited<ReturnType<typeof one.get>>): Promise<unknown[]> => {
      const found = contentOf(page).map(({ id }) => id);
      const { nextCursor } = page.body;
      if (nextCursor === null) return found;
      const next = await one.get(`${path}&cursor=${encodeURIComponent(String(nextCursor))}`);
      return [...found, ...(await follow(next))];
    };
    await follow(await one.get(path));
    const made = await one.post(`${RECORDS}/things`, { amount: 399, city: 'new', grade: 16 });

    expect(await follow(await other.get(path))).toContain(made.body.id);
  }, 60_000);
});
