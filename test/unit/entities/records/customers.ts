import { expect } from 'vitest';
import { aCustomerEntity, anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

export const CUSTOMERS = `${RECORDS}/customer`;

export async function withCustomers(
  records: readonly Readonly<Record<string, unknown>>[] = [],
  definition: object = {},
) {
  const api = anEntitiesApi();
  const defined = await api.define(aCustomerEntity({ ...definition }));
  expect(defined.status, defined.text).toBe(201);
  const ids: string[] = [];
  for (const record of records) {
    const made = await api.post(CUSTOMERS, record);
    expect(made.status, made.text).toBe(201);
    ids.push(String(made.body.id));
  }
  return { ...api, ids };
}

export const path = (id = ''): string => `${CUSTOMERS}/${id}`;
export const namesOf = (answer: Parameters<typeof contentOf>[0]) =>
  contentOf(answer).map(({ name }) => name);
