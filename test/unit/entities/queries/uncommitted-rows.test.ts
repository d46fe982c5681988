import { describe, expect, it } from 'vitest';
import { counterKey, indexPartition } from '../../../../functions/entities/store/record-items.ts';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const CUSTOMERS = `${RECORDS}/customers`;

/** 200 customers and the rows of 60 that a bulk call has written ahead of its commit. */
async function duringAnImport() {
  const api = anEntitiesApi();
  await api.define(aCustomerEntity());
  for (const batch of [0, 1, 2, 3]) {
    const operations = Array.from({ length: 50 }, (_, at) => ({
      op: 'create',
      data: { name: `customer ${batch * 50 + at}` },
    }));
    await api.post(`${CUSTOMERS}/bulk`, { operations });
  }
  const { context } = api;
  const pk = indexPartition('customer', '_id', '0');
  const { items } = await context.table.query({ partition: pk, limit: 1, reverse: true });
  const newest = String(items[0]?.sk).slice(0, 14);
  const ahead = Array.from({ length: 60 }, (_, at) => ({
    pk,
    sk: `${newest}7fff-8fff-${String(at).padStart(12, '0')}`,
    b: 'early',
  }));
  const names = Array.from({ length: 500 }, (_, at) => ({
    pk: indexPartition('customer', 'name', '0'),
    sk: `1zzz ${at}\u001f${newest}7fff-8fff-${String(at).padStart(12, '0')}`,
    b: 'early',
  }));
  await context.batchWrite({ puts: [...ahead, ...names] });
  // As many records as make it cheapest to look at the newest ones.
  await context.batchWrite({
    puts: [{ ...counterKey('customer', 1, 15), n: 100_000 }],
  });
  return api;
}

describe('a list beside rows whose records are not committed yet', () => {
  it.each(['', '&sort=-name', '&sort=name'])('shows the records that are there%s', async (sort) => {
    const api = await duringAnImport();

    const answer = await api.get(`${CUSTOMERS}?name%5Bcontains%5D=customer%2017${sort}&size=50`);

    expect(answer.status, answer.text).toBe(200);
    const names = contentOf(answer).map(({ name }) => String(name));
    expect(names.sort()).toEqual(
      [17, ...Array.from({ length: 10 }, (_, at) => 170 + at)].map((n) => `customer ${n}`).sort(),
    );
  });
});
