import { beforeEach, describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const PAPERS = `${RECORDS}/papers`;
const COUNT = 30;
const text = { type: 'string', format: 'textarea' };
const form = (more: object = {}) => ({
  type: 'object',
  properties: { name: { type: 'string' }, text, ...more },
});

/** Records whose texts come from the bucket, each after some seconds. */
async function slowPapers() {
  const storage = memoryStorage();
  let seconds = 0;
  const host = {
    permissionEvaluator: claimsPermissionEvaluator,
    storage: {
      ...storage,
      get: async (path: string) => {
        if (path.includes('/values/')) api.context.clock.advance(seconds * 1_000);
        return storage.get(path);
      },
    },
  };
  const api = anEntitiesApi({ host });
  const defined = await api.define({
    ...{ code: 'paper', name: 'P', apiPath: 'papers', hierarchical: true, uiSchemaJson: form() },
  });
  expect(defined.status, defined.text).toBe(201);
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    const made = await api.post(PAPERS, { name: `n${at}`, text: 'x'.repeat(310_000) });
    ids.push(String(made.body.id));
  }
  const slowly = async (each: number, work: () => Promise<ApiAnswer>) => {
    seconds = each;
    const answer = await work();
    seconds = 0;
    return answer;
  };
  const named = async (name: string) => {
    const found = await api.get(`${PAPERS}?name=${name}&fields=name&size=100`);
    return contentOf(found).length;
  };
  return { api, ids, slowly, named };
}

describe('a call that reads more large values than there is time for', () => {
  let given: Awaited<ReturnType<typeof slowPapers>>;
  beforeEach(async () => {
    given = await slowPapers();
  });
  const updates = (name: string) => given.ids.map((id) => ({ op: 'update', id, data: { name } }));

  it('in bulk says which operations it has not begun', async () => {
    const { api, slowly, named } = given;
    const operations = updates('new');

    const answer = await slowly(2, () => api.post(`${PAPERS}/bulk`, { operations }));

    const results = answer.body.results as { status: number; error?: { code: string } }[];
    const done = results.filter(({ status }) => status === 200).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(COUNT);
    expect(results.slice(done).map(({ error }) => error?.code)).toEqual(
      results.slice(done).map(() => 'OUT_OF_TIME'),
    );
    expect(await named('new')).toBe(done);
  });

  it('in one transaction changes nothing', async () => {
    const { api, slowly, named } = given;
    const body = { atomic: true, operations: updates('new') };

    const answer = await slowly(2, () => api.post(`${PAPERS}/bulk`, body));

    expect(answer).toMatchObject({ status: 422, body: { code: 'OUT_OF_TIME' } });
    expect(await named('new')).toBe(0);
  });

  it('in an import leaves the rest to a job, which counts on', async () => {
    const { api, ids, slowly, named } = given;
    const rows = ids.map((id, at) => (at % 10 === 3 ? { id, name: 5 } : { id, name: 'new' }));

    const answer = await slowly(1, () =>
      api.post(`${PAPERS}/import?format=json&mode=upsert`, rows),
    );
    const doneBefore = await named('new');
    for (let at = 0; at < 4; at += 1) await api.runJobs();
    const job = await api.get(`${PAPERS}/jobs/${String(answer.body.id)}`);

    expect(answer.status, answer.text).toBe(202);
    expect(doneBefore).toBeGreaterThan(0);
    expect(doneBefore).toBeLessThan(27);
    expect(await named('new')).toBe(27);
    expect(job.body).toMatchObject({
      ...{ state: 'DONE', processed: COUNT, total: COUNT },
      result: { created: 0, updated: 27, failed: 3 },
    });
    const { errors } = job.body.result as { errors: { row: number }[] };
    expect(errors.map(({ row }) => row)).toEqual([4, 14, 24]);
  });

  it('in the dry run of an import leaves all to a job', async () => {
    const { api, ids, slowly, named } = given;
    const rows = ids.map((id) => ({ id, name: 'new' }));
    const path = `${PAPERS}/import?format=json&mode=upsert&dryRun=true`;

    const answer = await slowly(1, () => api.post(path, rows));
    for (let at = 0; at < 4; at += 1) await api.runJobs();
    const job = await api.get(`${PAPERS}/jobs/${String(answer.body.id)}`);

    expect(job.body).toMatchObject({ state: 'DONE', result: { updated: COUNT, failed: 0 } });
    expect(await named('new')).toBe(0);
  });

  it('to delete a subtree leaves the rest to a job', async () => {
    const { api, ids, slowly } = given;
    const [top = '', ...below] = ids;
    for (const id of below) await api.put(`${PAPERS}/${id}`, { parentId: top });

    const answer = await slowly(1, () => api.remove(`${PAPERS}/${top}?cascade=true`));
    const left = contentOf(await api.get(`${PAPERS}?fields=name&size=100`)).length;
    for (let at = 0; at < 4; at += 1) await api.runJobs();
    const job = await api.get(`${PAPERS}/jobs/${String(answer.body.id)}`);

    expect(answer.status, answer.text).toBe(202);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(COUNT);
    expect(job.body.state).toBe('DONE');
    expect(contentOf(await api.get(`${PAPERS}?fields=name`))).toEqual([]);
  });

  it('in the check of a new schema says how many it has checked', async () => {
    const { api, slowly } = given;
    const path = `${DEFINITIONS}/code/paper/schema?dryRun=true`;

    const answer = await slowly(3, () => api.put(path, form({ more: { type: 'string' } })));

    expect(answer.body.check).toEqual({ checked: 4, invalid: 0 });
  });
});
