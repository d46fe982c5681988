import { describe, expect, it } from 'vitest';
import { loadRecords } from '../../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';
import { CUSTOMERS, namesOf, query, withCustomers } from './customers.ts';

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

describe('an order over fields that no index combines', () => {
  it('shows any number of records that share a value, unless a field has no index: then it names the way out', async () => {
    const { get } = await withCustomers(2_050, (at) => ({
      name: `n${at}`,
      status: 'open',
      city: 'x',
    }));

    const many = await get(query({ sort: 'city,-name', size: '2' }));
    const refused = await get(query({ sort: 'city,updatedAt' }));
    const fewer = await get(query({ sort: 'city,-updatedAt', 'name[startsWith]': 'n204' }));

    expect(namesOf(many)).toEqual(['n999', 'n998']);
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
