import { expect } from 'vitest';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../../entities-api.ts';

export const CUSTOMERS = `${RECORDS}/customer`;
export const namesOf = (answer: Parameters<typeof contentOf>[0]) =>
  contentOf(answer).map(({ name }) => name);
export const query = (parameters: Readonly<Record<string, string>>): string =>
  `${CUSTOMERS}?${new URLSearchParams(parameters)}`;

export async function withCustomers(
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
