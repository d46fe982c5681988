import { describe, expect, it } from 'vitest';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from './entities-api.ts';

const CUSTOMERS = `${RECORDS}/customer`;

async function withCustomers(...records: readonly Readonly<Record<string, unknown>>[]) {
  const api = anEntitiesApi();
  await api.define(aCustomerEntity());
  const made = [];
  for (const record of records) made.push((await api.post(CUSTOMERS, record)).body);
  return { ...api, made };
}

describe('POST {prefix}/dynamic/{entity}', () => {
  it('stores a record and answers it flat, with version and place', async () => {
    const { post } = await withCustomers();

    const answer = await post(CUSTOMERS, { name: 'Nguyễn Văn An', amount: 1.5, extra: { a: [1] } });

    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      name: 'Nguyễn Văn An',
      amount: 1.5,
      extra: { a: [1] },
      version: 1,
    });
    expect(answer.headers).toMatchObject({
      etag: '"1"',
      location: `${CUSTOMERS}/${answer.body.id}`,
    });
  });

  it('finds the record at once in a list', async () => {
    const { get } = await withCustomers(
      { name: 'An', status: 'open' },
      { name: 'Bình', status: 'wip' },
    );

    const answer = await get(CUSTOMERS);

    expect(answer.status, answer.text).toBe(200);
    expect(contentOf(answer).map(({ name }) => name)).toEqual(['Bình', 'An']);
    expect(answer.body).toMatchObject({
      totalElements: 2,
      totalRelation: 'eq',
      last: true,
      sort: ['-createdAt'],
    });
  });
});
