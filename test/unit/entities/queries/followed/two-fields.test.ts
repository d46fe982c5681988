import { describe, expect, it } from 'vitest';
import { indexPartition } from '../../../../../functions/entities/store/record-items.ts';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

describe('a list that is sorted by two fields and followed', () => {
  const LOANS = `${RECORDS}/loans`;
  const text = { type: 'string' };
  const definition = {
    ...{ code: 'loan', name: 'Loan', apiPath: 'loans' },
    uiSchemaJson: {
      type: 'object',
      properties: { state: text, branch: text, amount: { type: 'integer' } },
    },
  };

  async function loans(count: number) {
    const api = anEntitiesApi();
    await api.define(definition);
    const bodies = Array.from({ length: count }, (_, at) => ({
      state: at % 2 ? 'open' : 'closed',
      ...(at % 7 && { branch: `b${(at * 31) % 41}` }),
      amount: (at * 37) % 1_009,
    }));
    const ids = await loadRecords(api.context, 'loan', bodies);
    const records = bodies.map((body, at) => ({ ...body, id: ids[at] ?? '' }));
    const page = async (query: string, cursor: unknown) => {
      const after = cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : '';
      const found = await api.get(`${LOANS}?count=none&${query}${after}`);
      return { ids: contentOf(found).map(({ id }) => id), next: found.body.nextCursor };
    };
    const follow = async (query: string, from?: unknown) => {
      const seen: unknown[] = [];
      for (let cursor = from; cursor !== null; ) {
        const { ids: shown, next } = await page(query, cursor);
        seen.push(...shown);
        cursor = next;
      }
      return seen;
    };
    return { api, records, page, follow };
  }

  type Loan = Awaited<ReturnType<typeof loans>>['records'][number];
  const compare = (one: string | number, other: string | number) =>
    one < other ? -1 : Number(one > other);
  const inOrder = (records: readonly Loan[], sign: number) =>
    records
      .toSorted(
        (one, other) =>
          sign * compare(one.branch ?? '', other.branch ?? '') ||
          compare(other.amount, one.amount) ||
          sign * compare(one.id, other.id),
      )
      .map(({ id }) => id);

  it.each([
    ['few records', 600, 'state=open&size=20', 1],
    ['few records, in reverse', 600, 'state=open&size=20', -1],
    ['more than are sorted in memory', 9_000, 'state=open&size=150', 1],
    ['more than are sorted in memory, in reverse', 9_000, 'state=open&size=150', -1],
    ['all records', 3_000, 'size=100', 1],
  ])(
    'shows each record once and in order: %s',
    async (_, count, query, sign) => {
      const { records, follow } = await loans(count);
      const sort = sign > 0 ? 'branch,-amount' : '-branch,-amount';
      const wanted = records.filter(({ state }) => !query.includes('state') || state === 'open');

      expect(await follow(`${query}&sort=${sort}`)).toEqual(inOrder(wanted, sign));
    },
    60_000,
  );

  it.each(['', '-'])(
    'goes on to a value of any number of records: sort=%sbranch',
    async (minus) => {
      const { api, page, follow } = await loans(0);
      const bodies = Array.from({ length: 4_150 }, (_, at) => ({
        ...(at >= 100 && { branch: at < 2_100 ? 'b1' : at < 4_100 ? 'b2' : 'b3' }),
        ...(at % 3 && { state: at % 3 === 1 ? 'open' : 'closed' }),
        amount: (at * 37) % 1_009,
      }));
      const ids = await loadRecords(api.context, 'loan', bodies);
      const keyOf = (at: number) => {
        const { branch = '', state = '', amount = 0 } = bodies[at] ?? {};
        return { branch, state, amount, id: ids[at] ?? '' };
      };
      const sign = minus ? -1 : 1;
      const sorted = ids
        .map((_, at) => keyOf(at))
        .sort(
          (one, other) =>
            sign * compare(one.branch, other.branch) ||
            compare(other.state, one.state) ||
            compare(one.amount, other.amount) ||
            sign * compare(one.id, other.id),
        )
        .map(({ id }) => id);
      const query = `size=200&sort=${minus}branch,-state,amount`;

      const first = await page(query, undefined);

      expect([...first.ids, ...(await follow(query, first.next))]).toEqual(sorted);
    },
  );

  it('shows what was changed or deleted meanwhile by its values of then', async () => {
    const { api, records, page, follow } = await loans(600);
    const query = 'state=open&size=20&sort=branch,-amount';
    const first = await page(query, undefined);
    const order = inOrder(
      records.filter(({ state }) => state === 'open'),
      1,
    );
    const [gone, left, moved] = order.slice(100);
    await api.remove(`${LOANS}/${gone}`);
    for (const [id, change] of [
      [left, { state: 'closed' }],
      [moved, { amount: 5_000 }],
    ] as const) {
      const { body } = await api.get(`${LOANS}/${id}`);
      await api.put(`${LOANS}/${id}`, { ...body, ...change });
    }

    const rest = await follow(query, first.next);

    const touched = [gone, left, moved];
    const untouched = order.slice(20).filter((id) => !touched.includes(id));
    expect(rest.filter((id) => id !== moved)).toEqual(untouched);
  });

  it('shows a record with a row that is not true in its place', async () => {
    const { api, records, follow } = await loans(600);
    const { table, batchWrite } = api.context;
    const partition = indexPartition('loan', 'amount', '0');
    const { items } = await table.query({ partition, limit: 1 });
    const [lowest] = String(items[0]?.sk).split('\u001f');
    const last = records.findLast(({ state }) => state === 'open')?.id;
    await batchWrite({ puts: [{ pk: partition, sk: `${lowest}\u001f${last}` }] });

    const seen = await follow('state=open&size=20&sort=branch,-amount');

    const open = records.filter(({ state }) => state === 'open');
    expect(seen).toEqual(inOrder(open, 1));
  });

  it.each([0, 1, 2])('has the total of all its groups on page %i', async (number) => {
    const { api, records } = await loans(260);

    const { body } = await api.get(
      `${LOANS}?branch[ne]=b1&size=20&page=${number}&sort=state,-amount`,
    );

    const totalElements = records.filter(({ branch }) => branch !== 'b1').length;
    expect(body).toMatchObject({ totalElements, totalRelation: 'eq' });
  });
});
