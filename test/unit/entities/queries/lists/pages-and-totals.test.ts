import { describe, expect, it } from 'vitest';
import { CUSTOMERS, namesOf, query, withCustomers } from './customers.ts';

describe('pages by number', () => {
  it('are read from the nearer end', async () => {
    const { get } = await withCustomers(450);

    const last = await get(query({ page: '22', explain: 'true' }));
    const middle = await get(query({ page: '10', size: '20', sort: 'name' }));
    const beyond = await get(query({ page: '23' }));

    expect(namesOf(last)).toEqual(
      Array.from({ length: 10 }, (_, at) => `n${String(9 - at).padStart(4, '0')}`),
    );
    expect(last.body).toMatchObject({
      number: 22,
      last: true,
      totalPages: 23,
      nextCursor: null,
      explain: { rows: expect.any(Number) },
    });
    expect((last.body.explain as { rows: number }).rows).toBeLessThan(20);
    expect(namesOf(middle)[0]).toBe('n0200');
    expect(beyond.body).toMatchObject({ content: [], empty: true, totalElements: 450 });
  });

  it('too far from both ends are refused with the way out', async () => {
    const { get } = await withCustomers(3);

    const answer = await get(query({ page: '600', 'name[startsWith]': 'n', sort: 'name' }));

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'PAGE_WINDOW_EXCEEDED', errors: [{ parameter: 'page' }] },
    });
    expect(answer.text).toContain('nextCursor');
  });
});

describe('totals', () => {
  it('are exact, not counted, or said to be more', async () => {
    const { get } = await withCustomers(120, (at) => ({
      name: `n${at}`,
      status: at % 3 ? 'open' : 'wip',
    }));

    expect((await get(query({}))).body).toMatchObject({
      totalElements: 120,
      totalRelation: 'eq',
      totalPages: 6,
    });
    expect((await get(query({ status: 'wip' }))).body).toMatchObject({ totalElements: 40 });
    expect((await get(query({ status: 'wip', count: 'none' }))).body).toMatchObject({
      totalElements: null,
      totalPages: null,
      totalRelation: 'unknown',
      last: false,
    });
    expect(
      (await get(`${CUSTOMERS}/count?${new URLSearchParams({ 'name[contains]': '11' })}`)).body,
    ).toEqual({ count: 11, relation: 'eq' });
  });

  it('cost one request at any size when the counters know them', async () => {
    const { get, context } = await withCustomers(60, (at) => ({ name: `n${at}`, status: 'open' }));
    await get(query({}));

    const cost = await context.db.meter.costOf(() => get(`${CUSTOMERS}/count?status=open`));

    expect(cost).toMatchObject({ requests: [expect.stringMatching(/^Query/)], readUnits: 0.5 });
  });
});
