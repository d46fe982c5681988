import { expect } from 'vitest';
import {
  aCustomerEntity,
  anEntitiesApi,
  customerSchema,
  DEFINITIONS,
  RECORDS,
} from '../entities-api.ts';

export const CODE = `${DEFINITIONS}/code/customer`;
export const CUSTOMERS = `${RECORDS}/customer`;
export const withField = (properties: object) => ({
  ...customerSchema,
  properties: { ...customerSchema.properties, ...properties },
});

export async function withEntity(more: object = {}) {
  const api = anEntitiesApi();
  const defined = await api.define(aCustomerEntity({ ...more }));
  expect(defined.status, defined.text).toBe(201);
  return { ...api, defined };
}
