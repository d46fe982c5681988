import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const BILLS = `${RECORDS}/bill`;
const text = { type: 'string' };
const ROWS = 520;
const numbered = { number: { ...text, 'x-number': 'N{000}' }, of: { type: 'integer' } };

async function bills() {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
  const api = anEntitiesApi({ host });
  const uiSchemaJson = { type: 'object', properties: numbered };
  const defined = await api.define({ code: 'bill', name: 'Bill', uiSchemaJson });
  expect(defined.status, defined.text).toBe(201);
  return api;
}

const rows = Array.from({ length: ROWS }, (_, of) => JSON.stringify({ of })).join('\n');

describe('the job of an import', () => {
  it.each<[string, 'network' | 'throttling' | 'answer-lost' | 'internal']>([
    ['cannot be reached', 'network'],
    ['is throttled', 'throttling'],
    ['loses answers', 'answer-lost'],
    ['fails', 'internal'],
  ])('loses no row of a numbered entity when the table %s', async (_what, fault) => {
    const api = await bills();
    const headers = { 'content-type': 'application/x-ndjson' };
    const started = await api.post(`${BILLS}/import?format=ndjson`, rows, { headers });
    expect(started.status, started.text).toBe(202);
    for (const after of [14, 0, 300]) {
      const operation = 'TransactWriteItems';
      api.context.db.failNext(fault, { operation, after, times: 2 });
    }
    const { location } = started.headers;
    let job = await api.get(String(location));
    for (let round = 0; round < 20 && job.body.state !== 'DONE'; round += 1) {
      await api.runJobs();
      api.context.clock.advance(600_000);
      // The next sweep does what this one could not.
      await api.runTask(SWEEP_TASK).catch(() => undefined);
      job = await api.get(String(location));
    }
    expect(job.body, job.text).toMatchObject({
      ...{ state: 'DONE', processed: ROWS },
      result: { created: ROWS, failed: 0 },
    });
    const numbers: unknown[] = [];
    for (let page = 0; page * 200 < ROWS; page += 1) {
      const found = await api.get(`${BILLS}?size=200&sort=of&page=${page}`);
      numbers.push(...contentOf(found).map(({ number }) => number));
    }
    expect(numbers).toEqual(
      Array.from({ length: ROWS }, (_, at) => `N${String(at + 1).padStart(3, '0')}`),
    );
  });
});
