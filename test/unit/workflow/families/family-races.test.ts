import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { CASES } from '../cases/cases-api.ts';
import { ann, aTasksApi, idsOf, operator, TASKS } from '../tasks/tasks-api.ts';

const CLERKS = 'flowable:candidateGroups="clerks"';
const PARENT = aModel(
  `${aTask('Review', '', CLERKS)}<planItem id="piSub" definitionRef="Sub"/><caseTask id="Sub" name="Sub" caseRef="child"/>`,
);
const CHILD = aModel(aTask('Inner', '', CLERKS), { key: 'child' });
const COMPLETED = { status: 'COMPLETED' };

/** A case that waits for another one, each with a task, and what is open of them. */
async function aFamily() {
  const api = await aTasksApi([PARENT, CHILD]);
  const { caseInstanceId = '' } = await api.start();
  const ids = await api.list('', ann);
  return { ...api, caseId: String(caseInstanceId), ids };
}

describe('requests at once for one family', () => {
  it('complete parent and child, in whatever order they arrive', async () => {
    const { act, caseId, getCase, ids, list } = await aFamily();

    const answers = await Promise.all(ids.map((id) => act('complete', id, ann)));

    expect(ids).toHaveLength(2);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await getCase(caseId)).toMatchObject({ state: 'completed' });
    expect(await list('', ann)).toEqual([]);
  });

  it('end the parent, or complete in the child before that, and leave nothing open', async () => {
    const { act, caseId, getCase, ids, list, post } = await aFamily();

    const [ended, ...answers] = await Promise.all([
      post(`${CASES}/${caseId}:terminate`, {}, operator),
      ...ids.map((id) => act('complete', id, ann)),
    ]);

    const allowed = [200, 409];
    expect([ended, ...answers].filter(({ status }) => !allowed.includes(status))).toEqual([]);
    expect(['terminated', 'completed']).toContain((await getCase(caseId)).state);
    expect(await list('', ann)).toEqual([]);
  });

  it('delete it or find it gone: nothing of a command is left behind', async () => {
    const { act, call, caseId, context, get, ids } = await aFamily();

    const [deleted, ...answers] = await Promise.all([
      call({ method: 'DELETE', path: `${CASES}/${caseId}`, caller: operator }),
      ...ids.map((id) => act('complete', id, ann)),
    ]);
    const again = await call({ method: 'DELETE', path: `${CASES}/${caseId}`, caller: operator });

    expect([204, 409]).toContain(deleted.status);
    expect([204, 404]).toContain(again.status);
    expect(answers.every(({ status }) => [200, 404, 409].includes(status))).toBe(true);
    expect((await get(`${CASES}/${caseId}`, operator)).status).toBe(404);
    expect(context.db.items().filter(({ type }) => type === 'case_family')).toEqual([]);
  });
});

describe('a user in 60 groups', () => {
  const groups = Array.from({ length: 60 }, (_, at) => `g${at}`);
  const caller = { sub: 'x', groups };

  it('counts and claims what one of them may do, with few requests', async () => {
    const api = await aTasksApi([
      aModel(aTask('Review', '', 'flowable:candidateGroups="g3,g59,other"')),
    ]);
    const [id = ''] = idsOf((await api.start()).tasks);
    const { meter } = api.context.db;

    const { body: counted } = await api.get(`${TASKS}/count`, caller);
    const cost = await meter.costOf(() => api.list('', caller));
    const claimed = await api.act('claim', id, caller);

    expect(counted).toEqual({ count: 1, relation: 'eq' });
    expect(cost.requests.length).toBeLessThanOrEqual(30);
    expect(claimed.body).toMatchObject({ taskId: id, status: 'CLAIMED', assignee: 'x' });
    expect(await api.act('complete', id, caller)).toMatchObject({ status: 200 });
    expect((await api.get(`${TASKS}/${id}`, caller)).body).toMatchObject(COMPLETED);
  });
});
