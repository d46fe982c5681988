import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { aModel, aSentry, aTask } from '../helpers/cmmn/cmmn.ts';

const CMMN = '/api/v1/workflow/cmmn';
const TASKS = '/api/v1/tasks';

const group = `clerks-${randomUUID()}`;
let admin: ApiClient;
let ann: ApiClient;
let bob: ApiClient;
let eve: ApiClient;
beforeAll(async () => {
  const as = async (sub: string, more: object) =>
    createApiClient({ baseUrl: cloud.baseUrl, token: await cloud.token({ sub, ...more }) });
  admin = await as('journey', { roles: ['admin'] });
  ann = await as(`ann-${group}`, { groups: [group] });
  bob = await as(`bob-${group}`, { groups: [group] });
  eve = await as(`eve-${group}`, {});
});

/** A review; when it is approved, a payment follows. */
const MODEL = aModel(`
${aTask('Review', '', `flowable:candidateGroups="${group}"`)}
<planItem id="piPay" name="Pay" definitionRef="Pay"><entryCriterion id="c1" sentryRef="s1"/></planItem>
<humanTask id="Pay" name="Pay" flowable:candidateGroups="${group}"/>
${aSentry('s1', 'piReview', 'complete', `\${vars:equals(approved, true)}`)}`);

describe('tasks', () => {
  it('are listed, claimed, handed on, drafted and completed', async () => {
    const workflowCode = `tasks-${randomUUID()}`;
    const deployed = await admin.post(`${CMMN}/deployments`, {
      body: { workflowCode, xml: MODEL },
    });
    expect(deployed.status).toBe(201);
    const about = { workflowCode, entityType: 'loan', entityId: workflowCode };
    const started = await admin.post(`${CMMN}/cases`, { body: about });
    expect(started.status).toBe(201);

    const mine = await ann.get(TASKS, { query: { workflowCode } });
    expect(mine.body.content).toMatchObject([{ name: 'Review', status: 'PENDING' }]);
    const { taskId, engineTaskId } = mine.body.content[0];
    const path = `${TASKS}/${taskId}`;
    const counted = await ann.get(`${TASKS}/count`);
    expect(counted.body).toEqual({ count: 1, relation: 'eq' });

    expect((await ann.post(`${path}/claim`, { body: {} })).body.status).toBe('CLAIMED');
    const late = await bob.post(`${path}/claim`, { body: {} });
    expect([late.status, late.body.code]).toEqual([409, 'TASK_ALREADY_CLAIMED']);
    for (const amount of [1, 2]) {
      const body = { formData: { amount } };
      expect((await ann.post(`${path}/save-draft`, { body })).status).toBe(200);
    }
    const delegated = await ann.post(`${path}/delegate`, {
      body: { assignee: `bob-${group}`, comment: 'please look' },
    });
    expect(delegated.body.status).toBe('DELEGATED');
    expect((await bob.get(`${path}/draft`)).body.draft.formData).toEqual({ amount: 2 });
    expect((await bob.delete(`${path}/draft`)).status).toBe(204);
    expect((await bob.post(`${path}/resolve`, { body: {} })).body.status).toBe('CLAIMED');
    expect((await ann.post(`${path}/comments`, { body: { text: 'fine' } })).status).toBe(201);
    const changed = await admin.patch(path, {
      body: { dueDate: '2026-05-01T00:00:00.000Z', priority: 80 },
    });
    expect(changed.status).toBe(200);
    const due = await ann.get(TASKS, { query: { sort: 'dueDate', size: 1 } });
    expect(due.body.content).toMatchObject([{ taskId, priority: 80 }]);
    const active = await ann.get(`${TASKS}/by-entity/loan/${workflowCode}/active`);
    expect(active.body.numberOfElements).toBe(1);

    const done = await ann.post(`${CMMN}/tasks/${engineTaskId}:complete`, {
      body: { formData: { approved: true }, outcome: 'approve' },
      headers: { 'idempotency-key': workflowCode },
    });
    expect(done.body).toMatchObject({
      task: { status: 'COMPLETED', outcome: 'approve' },
      case: { state: 'active' },
      nextTasks: [{ name: 'Pay' }],
    });
    const again = await ann.post(`${path}/complete`, { body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'TASK_NOT_ACTIVE']);

    const next = done.body.nextTasks[0].taskId;
    const bulk = await bob.post(`${TASKS}/bulk`, {
      body: { action: 'complete', taskIds: [next, taskId] },
    });
    expect(bulk.body.results).toMatchObject([{ status: 200 }, { status: 403 }]);
    const history = await ann.get(`${path}/history`);
    expect(history.body.content.map(({ action }: { action: string }) => action)).toEqual([
      ...['complete', 'update', 'resolve', 'delegate', 'claim'],
    ]);
    expect((await ann.get(`${path}/comments`)).body.numberOfElements).toBe(1);
    expect((await ann.get(path)).body.completedBy).toBe(`ann-${group}`);
    const completed = await bob.get(`${TASKS}/history`);
    expect(completed.body.content).toMatchObject([{ taskId: next }]);
  });

  it('enter their forms into the business record', async () => {
    const entity = `loan${randomUUID().slice(0, 8)}`;
    const properties = {
      name: { type: 'string' },
      status: { type: 'string', enum: ['open', 'approved'] },
      number: { type: 'string', 'x-unique': true },
      friend: { type: 'string', 'x-reference': { entity } },
    };
    const uiSchemaJson = { type: 'object', properties };
    const definition = { code: entity, name: entity, requirePermission: true, uiSchemaJson };
    await admin.post('/api/v1/entity-definitions', { body: definition });
    const records = `/api/v1/dynamic/${entity}`;
    const friend = await admin.post(records, { body: { name: 'Mai', number: 'L-1' } });
    const values = { name: 'Lan', status: 'open', number: 'L-2' };
    const record = await admin.post(records, { body: values });
    const workflowCode = `forms-${randomUUID()}`;
    await admin.post(`${CMMN}/deployments`, { body: { workflowCode, xml: MODEL } });
    const about = { workflowCode, entityType: entity, entityId: record.body.id };
    const started = await admin.post(`${CMMN}/cases`, { body: about });
    const path = `${TASKS}/${started.body.tasks[0].taskId}/complete`;

    const taken = await ann.post(path, { body: { formData: { number: 'L-1' } } });
    const formData = { status: 'approved', number: 'L-3', friend: friend.body.id, remark: 'fine' };
    const done = await ann.post(path, { body: { formData } });

    expect([taken.status, taken.body.errors]).toMatchObject([
      409,
      [{ pointer: '/formData/number' }],
    ]);
    expect(done.status).toBe(200);
    const { body } = await admin.get(`${records}/${record.body.id}`);
    const { remark: _, ...entered } = formData;
    expect(body).toMatchObject({ ...entered, name: 'Lan', updatedBy: `ann-${group}` });
  });

  it('go to a substitute for a time, and are reminded of', async () => {
    const workflowCode = `absence-${randomUUID()}`;
    await admin.post(`${CMMN}/deployments`, { body: { workflowCode, xml: MODEL } });
    const started = await admin.post(`${CMMN}/cases`, { body: { workflowCode } });
    const path = `${TASKS}/${started.body.tasks[0].taskId}`;
    await ann.post(`${path}/claim`, { body: {} });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const named = await ann.put(`${TASKS}/substitute`, {
      body: { substitute: `eve-${group}`, until },
    });
    await admin.patch(path, { body: { dueDate: until } });

    expect(named.status).toBe(200);
    expect((await ann.get(`${TASKS}/substitute`)).body.substitute).toBe(`eve-${group}`);
    const absences = await eve.get(`${TASKS}/substitute/absences`);
    expect(absences.body.content).toMatchObject([{ user: `ann-${group}` }]);
    const theirs = await eve.get(TASKS, { query: { workflowCode } });
    expect(theirs.body.numberOfElements).toBe(1);
    expect((await eve.post(`${path}/complete`, { body: {} })).status).toBe(200);
    const history = await ann.get(`${path}/history`);
    expect(history.body.content[0]).toMatchObject({ onBehalfOf: `ann-${group}` });
    expect((await ann.delete(`${TASKS}/substitute`)).status).toBe(204);
  });
});
