import { expect } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { anEntitiesApi, contentOf, type EntitiesApi, RECORDS } from '../entities-api.ts';

export const LOANS = `${RECORDS}/loan`;
export const loan = {
  ...{ code: 'loan', name: 'Loan', apiPath: 'loans', requirePermission: true },
  options: { history: true },
  uiSchemaJson: {
    type: 'object',
    properties: {
      number: { type: 'integer' },
      status: { type: 'string', enum: ['open', 'closed'] },
      note: { type: 'string', maxLength: 20 },
      code: { type: 'string', 'x-unique': true },
      due: { type: 'string', format: 'date' },
      extra: { type: 'object' },
    },
  },
};

export const UNITS = `${RECORDS}/unit`;
export const unit = {
  ...{ code: 'unit', name: 'Unit', hierarchical: true },
  uiSchemaJson: {
    type: 'object',
    properties: { name: { type: 'string' }, old: { type: 'boolean' } },
  },
};

export type Decide = (action: string) => boolean | PermissionDecision;
export type Body = Readonly<Record<string, unknown>>;

export const deciding = (decide: Decide) => ({
  hasPermission: (_who: unknown, target: string, action: string) =>
    target === 'loans' ? decide(action) : true,
});

export async function fill<T extends EntitiesApi>(api: T, count: number): Promise<T> {
  const defined = await api.define(loan);
  expect(defined.status, defined.text).toBe(201);
  for (let at = 0; at < count; at += 500) {
    const operations = Array.from({ length: Math.min(500, count - at) }, (_, more) => {
      const number = at + more;
      return { op: 'create', data: { number, status: number % 2 ? 'closed' : 'open', note: 'n' } };
    });
    expect((await api.post(`${LOANS}/bulk`, { operations })).status).toBe(200);
  }
  return api;
}

export const loans = (count: number, decide: Decide = () => true) =>
  fill(anEntitiesApi({ host: { permissionEvaluator: deciding(decide) } }), count);

/** Starts a job and lets it run to its end. */
export async function done(api: EntitiesApi, path: string, body: Body): Promise<Body> {
  const started = await api.post(`${LOANS}/${path}`, body);
  expect(started.status, started.text).toBe(202);
  await api.runJobs();
  return (await api.get(String(started.headers.location))).body;
}

export async function all(api: EntitiesApi, query = ''): Promise<readonly Body[]> {
  const answer = await api.get(`${LOANS}?size=200&sort=number${query}`);
  expect(answer.status, answer.text).toBe(200);
  return contentOf(answer);
}

export const versions = (records: readonly Body[]) => records.map(({ version }) => version);
