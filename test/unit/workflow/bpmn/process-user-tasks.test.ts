// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { amountXml, bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { aBusinessApi } from '../tasks/business-api.ts';
import { ann, aProcessApi, operator, PROCESSES } from './processes-api.ts';

const TASKS = '/api/v1/tasks';
const HOUR = 3_600_000;
const bob: TestClaims = { sub: 'bob', groups: ['clerks'] };
const eve: TestClaims = { sub: 'eve' };
const CLERKS = 'flowable:candidateGroups="clerks"';

type Body = Readonly<Record<string, unknown>>;

/** Tasks at the same time, with attributes of their own. */
const together = (tasks: Readonly<Record<string, string>>): string =>
  bpmnXml(
    `<startEvent id="s"/><parallelGateway id="fork"/>${flow('s', 'fork')}
    ${Object.entries(tasks)
      .map(([id, more]) => userTask(id, `${CLERKS} ${more}`) + flow('fork', id))
      .join('')}`,
  );

async function aProcess(xml: string) {
  const api = await aProcessApi(xml);
  const { id, activities } = await api.start();
  const taskOf = (key: string): string =>
    String(activities.find(({ activityId }) => activityId === key)?.taskId);
  const act = (action: string, key: string, caller: TestClaims, body: object = {}) =>
    api.send('POST', `${TASKS}/${taskOf(key)}/${action}`, body, caller);
  const get = async (path: string, caller = operator) =>
    (await api.send('GET', path, undefined, caller)).body;
  return { ...api, id, taskOf, act, get };
}

describe('a user task of a process', () => {
  it('is kept from who has completed another one, by whatever way', async () => {
    const { act, taskOf, send } = await aProcess(
      together({ check: '', approve: 'flowable:excludeCompletersOf="check, other"', other: '' }),
    );
    await act('complete', 'check', ann);

    const refused = [
      await act('claim', 'approve', ann),
      await act('complete', 'approve', ann),
      await act('assign', 'approve', operator, { assignee: 'ann' }),
    ];
    const given = { action: 'complete', taskIds: [taskOf('approve')] };
    const inBulk = await send('POST', `${TASKS}/bulk`, given, ann);
    const allowed = await act('complete', 'approve', bob);

    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([422, 'COMPLETER_EXCLUDED']),
    );
    expect(inBulk.body.results).toMatchObject([{ status: 422, code: 'COMPLETER_EXCLUDED' }]);
    expect(allowed.status).toBe(200);
  });

  it('is kept apart from one whose completion is under way', async () => {
    const { act } = await aProcess(
      together({ check: '', approve: 'flowable:excludeCompletersOf="check"' }),
    );
    await act('claim', 'approve', ann);

    const both = await Promise.all([
      act('complete', 'check', ann),
      act('complete', 'approve', ann),
    ]);

    // Whoever comes second knows of the first: an approval before the check is nobody's second step.
    const [check, approve] = both.map(({ status }) => status);
    expect(check).toBe(200);
    expect([200, 422]).toContain(approve);
    if (approve === 200) expect((await act('complete', 'check', ann)).status).toBe(409);
  });

  it('is completed by a substitute, whose history says for whom', async () => {
    const { act, id, taskOf, get, send, context } = await aProcess(
      together({ check: '', approve: 'flowable:excludeCompletersOf="check"' }),
    );
    await act('claim', 'check', ann);
    const until = new Date(context.clock.now() + 24 * HOUR).toISOString();
    await send('PUT', `${TASKS}/substitute`, { substitute: 'eve', until }, ann);

    const seen = await get(TASKS, eve);
    const done = await act('complete', 'check', eve, { outcome: 'yes' });
    const again = await act('assign', 'approve', operator, { assignee: 'ann' });

    expect(seen.content).toMatchObject([{ taskId: taskOf('check') }]);
    expect(done.body.task).toMatchObject({ assignee: 'ann', completedBy: 'eve', outcome: 'yes' });
    const [last] = (await get(`${PROCESSES}/${id}/history`)).content as Body[];
    expect(last).toMatchObject({
      by: 'eve',
      command: {
        ...{ type: 'completeTask', planItemInstanceId: taskOf('check') },
        ...{ outcome: 'yes', onBehalfOf: 'ann' },
      },
    });
    const [act0] = (await get(`${TASKS}/${taskOf('check')}/history`)).content as Body[];
    expect(act0).toMatchObject({ action: 'complete', by: 'eve', onBehalfOf: 'ann' });
    expect(again.body.code).toBe('COMPLETER_EXCLUDED');
  });

  it('is delegated, and given back by its completion', async () => {
    const { act, events, get, taskOf } = await aProcess(together({ check: '' }));
    await act('claim', 'check', ann);
    await act('delegate', 'check', ann, { assignee: 'bob' });

    const owner = await act('complete', 'check', ann);
    const done = await act('complete', 'check', bob);

    expect(owner.body.code).toBe('TASK_DELEGATED');
    expect(done.body.task).toMatchObject({ status: 'COMPLETED', delegationState: 'RESOLVED' });
    expect(events('workflow.task.resolved')).toMatchObject([{ taskId: taskOf('check') }]);
    const history = (await get(`${TASKS}/${taskOf('check')}/history`)).content as Body[];
    expect(history.map(({ action }) => action)).toEqual([
      ...['complete', 'resolve', 'delegate', 'claim'],
    ]);
  });

  it('is claimed, assigned and completed with others in bulk, an outcome each', async () => {
    const { send, taskOf, waiting, id } = await aProcess(together({ a: '', b: '', c: '' }));
    const taskIds = ['a', 'b', 'c'].map(taskOf);
    const bulk = async (body: object, caller = ann) =>
      (
        (await send('POST', `${TASKS}/bulk`, { taskIds, ...body }, caller)).body.results as Body[]
      ).map(({ status, code }) => code ?? status);

    expect(await bulk({ action: 'claim' })).toEqual([200, 200, 200]);
    expect(await bulk({ action: 'assign', assignee: 'bob' }, operator)).toEqual([200, 200, 200]);
    expect(await bulk({ action: 'complete' })).toEqual(Array(3).fill('FORBIDDEN'));
    expect(await bulk({ action: 'complete', localVariables: { x: 1 } }, bob)).toEqual(
      Array(3).fill('VALIDATION_FAILED'),
    );
    expect(await bulk({ action: 'complete', taskIds: taskIds.slice(0, 2) }, bob)).toEqual([
      200, 200,
    ]);
    expect(await waiting(id)).toEqual(['c']);
  });

  it('refuses local variables, and gives transient ones to expressions only', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/>${userTask('ask')}<exclusiveGateway id="g" default="g_small"/>${userTask('big')}${userTask('small')}
      ${chain('s', 'ask', 'g')}${flow('g', 'big', '${amount > 100}')}${flow('g', 'small')}`,
    );
    const { act, waiting, read, id } = await aProcess(xml);

    const refused = await act('complete', 'ask', ann, { localVariables: { amount: 500 } });
    const named = await act('complete', 'ask', ann, { transientVariables: { execution: 1 } });
    expect([named.status, named.body.code]).toEqual([400, 'VARIABLE_INVALID']);
    const done = await act('complete', 'ask', ann, {
      variables: { note: 'x', amount: 1 },
      transientVariables: { amount: 500 },
    });

    expect(refused.body).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/localVariables' }],
    });
    expect(done.status).toBe(200);
    expect(await waiting(id)).toEqual(['big']);
    expect((await read(id)).variables).toEqual({ note: 'x', amount: 1 });
  });

  it('reminds of its due date once each, and no more when it has ended', async () => {
    const { services, context, events, act, send, taskOf } = await aProcess(
      together({ pay: 'flowable:dueDate="P3D"', ship: 'flowable:dueDate="P3D"' }),
    );
    const at = async (hours: number) => {
      context.machineClock.advance(hours * HOUR);
      await services().reminders.run();
      await services().reminders.run();
      const told = (topic: string) =>
        events(topic).map(({ taskDefinitionKey }) => taskDefinitionKey);
      return [told('workflow.task.due-soon').sort(), told('workflow.task.overdue').sort()];
    };

    expect(await at(47)).toEqual([[], []]);
    expect(await at(2)).toEqual([['pay', 'ship'], []]);
    await act('complete', 'ship', ann);
    const dueDate = new Date(context.clock.now() + 72 * HOUR).toISOString();
    await send('PATCH', `${TASKS}/${taskOf('pay')}`, { dueDate });
    expect(await at(50)).toEqual([['pay', 'pay', 'ship'], []]);
    expect(await at(50)).toEqual([['pay', 'pay', 'ship'], ['pay']]);
    expect(context.db.items().filter(({ pk }) => String(pk).startsWith('TASKDUE#2'))).toEqual([]);
  });

  it('enters its form into the business record, or changes nothing', async () => {
    const api = await aBusinessApi(undefined, {
      svc: { workflow: { 'bpmn-endpoints-enabled': true } },
    });
    const { call, complete, record, aRecord } = api;
    const send = (method: string, path: string, body?: unknown) =>
      call({ method, path, body, caller: operator });
    await send('POST', `${PROCESSES}/definitions`, { code: 'order', xml: amountXml() });
    const entityId = await aRecord({ name: 'Lan', number: 'L-1' });
    const about = { workflowCode: 'order', entityType: 'loan', entityId };
    const { body } = await send('POST', `${PROCESSES}/start`, {
      ...about,
      variables: { amount: 1 },
    });
    const [{ taskId = '' } = {}] = body.activities as { taskId: string }[];

    const refused = await complete(taskId, { formData: { amount: 'much' } });
    const done = await complete(taskId, { formData: { city: 'Huế', tax: 's-1', remark: 'ok' } });

    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '/formData/amount' })],
    ]);
    expect(done.status).toBe(200);
    expect(await record(entityId)).toMatchObject({ city: 'Huế', updatedBy: 'ann', version: 2 });
    const after = await send('GET', `${PROCESSES}/${body.processInstanceId}`);
    expect(after.body).toMatchObject({
      state: 'completed',
      variables: { amount: 1, city: 'Huế', remark: 'ok' },
    });
    expect(after.body.variables).not.toHaveProperty('tax');
  });
});
