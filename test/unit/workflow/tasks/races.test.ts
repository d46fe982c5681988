import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { RECORDS } from '../../entities/entities-api.ts';
import { aBusinessApi } from './business-api.ts';
import { ann, aTasksApi, bob, idsOf, TASKS } from './tasks-api.ts';

const CLERKS = 'flowable:candidateGroups="clerks"';
const MODEL = aModel(aTask('Review', '', CLERKS) + aTask('Stay'));

describe('requests at the same time', () => {
  it('complete a task once, and ask interceptors once for each at most', async () => {
    const calls: string[] = [];
    const interceptor = {
      beforeComplete: () => {
        calls.push('before');
      },
      afterComplete: () => {
        calls.push('after');
      },
    };
    const api = await aTasksApi([MODEL], { host: { taskCompletionInterceptors: [interceptor] } });
    const id = await api.aTaskId();
    api.context.db.holdTransactions(1);

    const answers = await Promise.all([
      api.act('complete', id, ann, {}, { 'idempotency-key': 'a' }),
      api.act('complete', id, bob, {}, { 'idempotency-key': 'b' }),
      api.act('complete', id, bob, {}),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(calls.filter((call) => call === 'after')).toHaveLength(1);
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  it('find a record gone that is deleted before the commit', async () => {
    const api = await aBusinessApi(MODEL);
    const record = await api.aRecord({ name: 'Lan' });
    const task = api.taskOf(await api.start(record));
    const end = api.context.db.before('TransactWriteItems', async () => {
      end();
      await api.entities.remove(`${RECORDS}/loan/${record}`);
    });

    const { status, body } = await api.complete(task, { formData: { city: 'Vinh' } });

    expect([status, body.code]).toEqual([409, 'BUSINESS_RECORD_GONE']);
  });
});

describe('users of another tenant', () => {
  it('find no task, list, substitute or draft of this one', async () => {
    const api = await aTasksApi([MODEL]);
    const started = await api.start({ tenantCode: 'acme' });
    const id = idsOf(started.tasks)[0] ?? '';
    const own = { ...ann, tenant: 'acme' };
    const other = { ...ann, tenant: 'globex' };
    const sub = (caller: typeof own, body: object) =>
      api.call({ method: 'PUT', path: `${TASKS}/substitute`, caller, body });
    const until = '2026-05-01T00:00:00.000Z';
    await api.act('claim', id, own);
    await sub(own, { substitute: 'bob', until });

    const statuses = await Promise.all(
      ['claim', 'complete', 'unclaim'].map(async (act) => (await api.act(act, id, other)).status),
    );
    const bulk = await api.post(`${TASKS}/bulk`, { action: 'claim', taskIds: [id] }, other);
    const gets = await Promise.all(
      ['', '/draft', '/history', '/comments'].map(
        async (p) => (await api.get(`${TASKS}/${id}${p}`, other)).status,
      ),
    );
    const stand = await api.act('complete', id, { ...bob, tenant: 'globex' });
    const absent = await api.get(`${TASKS}/substitute/absences`, { ...bob, tenant: 'globex' });

    expect([statuses, gets]).toEqual([
      [404, 404, 404],
      [404, 404, 404, 404],
    ]);
    expect(bulk.body.results).toMatchObject([{ status: 404, code: 'TASK_NOT_FOUND' }]);
    expect([stand.status, absent.body.content]).toEqual([404, []]);
    expect(await api.list('', other)).toEqual([]);
    expect((await api.get(`${TASKS}?tenantCode=acme`, other)).status).toBe(403);
    expect((await api.get(`${TASKS}/substitute`, other)).status).toBe(404);
    expect((await api.act('complete', id, { ...bob, tenant: 'acme' })).status).toBe(200);
  });
});
