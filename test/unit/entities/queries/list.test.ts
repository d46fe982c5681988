import { describe, expect, it } from 'vitest';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;
const namesOf = (answer: Parameters<typeof contentOf>[0]) =>
  contentOf(answer).map(({ name }) => name);
const query = (parameters: Readonly<Record<string, string>>): string =>
  `${CUSTOMERS}?${new URLSearchParams(parameters)}`;

async function withCustomers(
  count: number,
  make: (at: number) => object = (at) => ({ name: `n${String(at).padStart(4, '0')}` }),
) {
  const api = anEntitiesApi();
  await api.define(aCustomerEntity());
  for (let from = 0; from < count; from += 500) {
    const operations = Array.from({ length: Math.min(500, count - from) }, (_, at) => ({
      op: 'create',
      data: make(from + at),
    }));
    const { status, text } = await api.post(`${CUSTOMERS}/bulk`, { operations });
    expect(status, text).toBe(200);
  }
  return api;
}

describe('the parameters of a list', () => {
  const people = [
    { name: 'Nguyễn Văn An', status: 'open', city: 'Hà Nội', amount: 10 },
    { name: 'Đỗ Đức', status: 'wip', city: 'Huế, cũ', amount: 20 },
    { name: 'do duc', status: 'closed', city: 'ha noi', amount: 30, active: true },
  ];

  it.each([
    [{ status: 'open,wip' }, ['Đỗ Đức', 'Nguyễn Văn An']],
    [{ 'city[eq]': 'Huế, cũ' }, ['Đỗ Đức']],
    [{ 'city[eqi]': 'HÀ NỘI' }, ['do duc', 'Nguyễn Văn An']],
    [{ 'name[startsWith]': 'DO' }, ['do duc', 'Đỗ Đức']],
    [{ 'name[contains]': 'van' }, ['Nguyễn Văn An']],
    [{ 'amount[gte]': '10', 'amount[lt]': '30' }, ['Đỗ Đức', 'Nguyễn Văn An']],
    [{ 'amount[between]': '15,30', sort: 'amount' }, ['Đỗ Đức', 'do duc']],
    [{ 'active[null]': 'true' }, ['Đỗ Đức', 'Nguyễn Văn An']],
    [{ 'active[exists]': 'true' }, ['do duc']],
    [{ q: 'duc Đo' }, ['do duc', 'Đỗ Đức']],
    [
      { filter: '{"or":[{"amount":{"gt":25}},{"not":{"status":["wip","closed"]}}]}' },
      ['do duc', 'Nguyễn Văn An'],
    ],
    [{ filter: '{"amount":30,"active":true}' }, ['do duc']],
    [{ sort: 'amount,desc' }, ['do duc', 'Đỗ Đức', 'Nguyễn Văn An']],
    [{ sort: 'amount:desc' }, ['do duc', 'Đỗ Đức', 'Nguyễn Văn An']],
    [{ 'filter[status]': 'open' }, ['Nguyễn Văn An']],
  ] as [Record<string, string>, string[]][])('%j find %j', async (parameters, names) => {
    const { get } = await withCustomers(3, (at) => people[at] ?? {});

    const answer = await get(query(parameters));

    expect(answer.status, answer.text).toBe(200);
    expect(namesOf(answer)).toEqual(names);
    expect(answer.body.totalElements).toBe(names.length);
  });

  it.each([
    [{ nick: 'x' }, 'nick', 'UNKNOWN_PARAMETER'],
    [{ 'name[like]': 'x' }, 'name[like]', 'UNKNOWN_OPERATOR'],
    [{ 'active[gt]': 'true' }, 'active[gt]', 'UNKNOWN_OPERATOR'],
    [{ amount: 'ten' }, 'amount', 'INVALID_VALUE'],
    [{ priority: '1.5' }, 'priority', 'INVALID_VALUE'],
    [{ dueDate: '2026-02-30' }, 'dueDate', 'INVALID_VALUE'],
    [{ 'amount[between]': '1' }, 'amount[between]', 'INVALID_VALUE'],
    [{ notes: 'x' }, 'notes', 'NOT_SEARCHABLE'],
    [{ sort: 'tags' }, 'sort', 'NOT_SORTABLE'],
    [{ sort: 'nothing' }, 'sort', 'NOT_SORTABLE'],
    [{ filter: '{' }, 'filter', 'INVALID_JSON'],
    [{ filter: '[]' }, 'filter', 'INVALID_TYPE'],
    [{ filter: '{"__proto__":1}' }, 'filter', 'UNKNOWN_PARAMETER'],
    [{ filter: nestedNot(9) }, 'filter', 'TOO_DEEP'],
    [{ 'filters[name][$eq]': 'x' }, 'filters[name][$eq]', 'UNKNOWN_PARAMETER'],
    [{ size: '201' }, 'size', 'TOO_BIG'],
    [{ page: '-1' }, 'page', 'INVALID_TYPE'],
    [{ fields: 'nothing' }, 'fields', 'UNKNOWN_FIELD'],
    [{ expand: 'name' }, 'expand', 'UNKNOWN_FIELD'],
    [{ ['__proto__']: '1' }, '__proto__', 'UNKNOWN_PARAMETER'],
    [{ deleted: 'only', sort: 'name' }, 'sort', 'NOT_APPLICABLE'],
    [{ status: Array.from({ length: 101 }, () => 'open').join() }, 'status', 'INVALID_VALUE'],
  ] as [Record<string, string>, string, string][])(
    'refuse %j',
    async (parameters, parameter, code) => {
      const { get } = await withCustomers(1);

      const answer = await get(query(parameters));

      expect(answer, answer.text).toMatchObject({
        status: 400,
        body: { code: 'INVALID_PARAMETER', errors: [{ parameter, code }] },
      });
    },
  );
});

describe('a refused filter', () => {
  it.each([
    [{ 'active[gt]': 'true' }, 'the operators of active are eq, ne, in, nin, null, exists'],
    [{ 'active[like]': 'true' }, 'the operators of active are eq, ne, in, nin, null, exists'],
    [
      { filter: '{"active":{"like":1}}' },
      'the operators of active are eq, ne, in, nin, null, exists',
    ],
    [{ priority: '1.5' }, 'compares priority with a value that is not a whole number'],
    [{ 'seenAt[gt]': 'yesterday' }, 'an instant such as 2026-12-31T23:59:59Z'],
    [{ 'name[null]': 'x' }, 'true or false'],
  ] as [Record<string, string>, string][])(
    '%j says what would do: %s',
    async (parameters, hint) => {
      const { get } = await withCustomers(0);

      expect((await get(query(parameters))).text).toContain(hint);
    },
  );
});

describe('a path of records', () => {
  it.each([
    ['DELETE', CUSTOMERS],
    ['PUT', `${CUSTOMERS}/count/x/y`],
  ])('knows the methods it has: %s %s', async (method, path) => {
    const { call } = await withCustomers(0);

    const answer = await call({ method, path, body: {} });

    expect(answer.status).toBe(method === 'DELETE' ? 405 : 404);
    if (answer.status === 405) expect(answer.headers.allow).toBe('GET, HEAD, POST');
    else expect(answer.text).toContain('/customer/count/x');
  });
});

describe('facets', () => {
  it('count the values of a field that no counter knows', async () => {
    const { get } = await withCustomers(3, (at) => ({ name: 'same', priority: at % 2 }));

    expect((await get(`${CUSTOMERS}/facets?fields=name,priority`)).body).toEqual({
      name: [{ value: 'same', count: 3 }],
      priority: [
        { value: 0, count: 2 },
        { value: 1, count: 1 },
      ],
    });
  });
});

describe('the trash', () => {
  it('is counted, and shows the fields that are asked for', async () => {
    const { get, remove } = await withCustomers(3);
    for (const { id } of contentOf(await get(CUSTOMERS)).slice(1))
      await remove(`${CUSTOMERS}/${id}`);

    const trash = await get(`${CUSTOMERS}/trash?size=1&fields=city`);

    expect(trash.body).toMatchObject({ totalElements: 2, totalRelation: 'eq', totalPages: 2 });
    expect(contentOf(trash)[0]).not.toHaveProperty('name');
    expect((await get(`${CUSTOMERS}/trash?sort=name`)).body).toMatchObject({
      code: 'INVALID_PARAMETER',
      errors: [{ parameter: 'sort', code: 'NOT_APPLICABLE' }],
    });
  });
});

function nestedNot(depth: number): string {
  return depth === 0 ? '{"name":"a"}' : `{"not":${nestedNot(depth - 1)}}`;
}

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

describe('an order over fields that no index combines', () => {
  it('is refused when too many records share a value, with the way out', async () => {
    const { get } = await withCustomers(2_050, (at) => ({
      name: `n${at}`,
      status: 'open',
      city: 'x',
    }));

    const refused = await get(query({ sort: 'city,name' }));
    const fewer = await get(query({ sort: 'city,name', 'name[startsWith]': 'n204' }));

    expect(refused).toMatchObject({ status: 400, body: { code: 'SORT_NEEDS_INDEX' } });
    expect(refused.text).toContain('x-indexes');
    expect(namesOf(fewer)[0]).toBe('n204');
  });
});

describe('a search by a common and a rare word', () => {
  it('looks for the rare one, whichever is longer, and is complete', async () => {
    const api = anEntitiesApi();
    await api.define({
      ...{ code: 'person', name: 'Person', apiPath: 'people' },
      uiSchemaJson: {
        type: 'object',
        properties: { name: { type: 'string' }, amount: { type: 'integer' } },
      },
    });
    const people = Array.from({ length: 9_000 }, (_, at) => ({
      name: `${at % 10 < 8 ? 'Nguyễn' : 'Trần'} U${at % 2_500}`,
      amount: at,
    }));
    await loadRecords(api.context, 'person', people);
    const wanted = people.filter(({ name }) => /^Nguyễn U77/.test(name)).length;
    await api.get(`${RECORDS}/people?size=1`);

    for (const sort of ['', '&sort=-amount']) {
      let found: Awaited<ReturnType<typeof api.get>> | undefined;
      const cost = await api.context.db.meter.costOf(async () => {
        found = await api.get(`${RECORDS}/people?q=nguyen%20u77&count=none&size=50${sort}`);
      });

      expect(found?.body).toMatchObject({ complete: true, numberOfElements: wanted });
      expect(cost.readUnits).toBeLessThanOrEqual(40);
    }
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
