// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import { amountXml, bpmnXml, chain, flow, userTask } from '../../../helpers/workflow/bpmn-xml.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { type Activity, ann, aProcessApi, operator, PROCESSES } from './processes-api.ts';

const TASKS = '/api/v1/tasks';
const withTimer = bpmnXml(
  `<startEvent id="s"/>${userTask('work')}
  <boundaryEvent id="late" attachedToRef="work"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>
  ${userTask('remind')}<endEvent id="end"/>${chain('s', 'work', 'end')}${flow('late', 'remind')}`,
);
const withEvents = bpmnXml(
  `<startEvent id="s"/><receiveTask id="wait" messageRef="paid"/>
  <intermediateCatchEvent id="hold"><signalEventDefinition signalRef="go"/></intermediateCatchEvent>
  ${userTask('ship')}${chain('s', 'wait', 'hold', 'ship')}`,
  { beside: '<message id="paid" name="Paid"/><signal id="go" name="Go"/>' },
);

describe('processes over HTTP', () => {
  it('has no routes where they are switched off', async () => {
    const { call } = workflowWorld();

    for (const path of [PROCESSES, `${PROCESSES}/definitions`, '/api/v1/preview/definition/x']) {
      expect((await call({ method: 'GET', path, caller: operator })).status).toBe(404);
    }
  });

  it('deploys a version, the same one once, and the next one', async () => {
    const { send, deployed } = await aProcessApi(amountXml());
    const again = await send('POST', `${PROCESSES}/definitions`, {
      code: 'order',
      xml: amountXml(),
    });
    const next = await send('POST', `${PROCESSES}/definitions`, {
      code: 'order',
      xml: `${amountXml()} `,
    });

    expect(deployed).toMatchObject({ workflowCode: 'order', processKey: 'order', version: 1 });
    expect([again.status, again.body.version]).toEqual([200, 1]);
    expect([next.status, next.body.version]).toEqual([201, 2]);
    const versions = await send('GET', `${PROCESSES}/definitions/order/versions`);
    expect((versions.body.content as { version: number }[]).map(({ version }) => version)).toEqual([
      2, 1,
    ]);
    const xml = await send('GET', `${PROCESSES}/definitions/order/versions/1/xml`);
    expect(xml.text).toBe(amountXml());
    const list = await send('GET', `${PROCESSES}/definitions`);
    expect(list.body.content).toMatchObject([{ workflowCode: 'order', version: 2 }]);
  });

  it('refuses a code that belongs to another process, and a process with another code', async () => {
    const { send } = await aProcessApi(amountXml());
    const deploy = (code: string, key: string) =>
      send('POST', `${PROCESSES}/definitions`, { code, xml: amountXml(key) });

    expect((await deploy('order', 'other')).body).toMatchObject({
      status: 409,
      code: 'PROCESS_CODE_TAKEN',
    });
    expect((await deploy('second', 'order')).body).toMatchObject({
      status: 409,
      code: 'PROCESS_CODE_TAKEN',
    });
  });

  it('names the element and the reason when a model is refused', async () => {
    const { send } = await aProcessApi(amountXml());
    const script =
      '<scriptTask id="evil" scriptFormat="js"><script>process.exit()</script></scriptTask>';
    const xml = bpmnXml(`<startEvent id="s"/>${script}${chain('s', 'evil')}`);

    const { status, body } = await send('POST', `${PROCESSES}/definitions`, { code: 'x', xml });

    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'MODEL_INVALID',
      errors: [
        {
          pointer: '/xml',
          code: 'ELEMENT_UNSUPPORTED',
          elementId: 'evil',
          elementType: 'scriptTask',
          line: 5,
        },
      ],
    });
    expect((body.errors as object[])[0]).not.toHaveProperty('severity');
  });

  it('starts by code and by key, and shows what waits', async () => {
    const { start, send, read } = await aProcessApi(amountXml());
    const { id, body } = await start({ amount: 200 });
    const byKey = await send('POST', `${PROCESSES}/start`, {
      processKey: 'order',
      variables: { amount: 1 },
    });

    expect(body).toMatchObject({
      ...{ state: 'waiting', workflowCode: 'order', processKey: 'order', startedBy: 'op' },
      activities: [{ activityId: 'big', type: 'userTask', waitsFor: 'task' }],
      variables: { amount: 200 },
    });
    expect(await read(id)).toEqual(body);
    expect(byKey.body.activities).toMatchObject([{ activityId: 'small' }]);
    const unknown = await send('POST', `${PROCESSES}/start`, { workflowCode: 'nope' });
    expect(unknown.body).toMatchObject({ status: 404, code: 'PROCESS_DEFINITION_NOT_FOUND' });
    const list = await send('GET', `${PROCESSES}?workflowCode=order`);
    expect(list.body.numberOfElements).toBe(2);
  });

  it('starts one instance for each Idempotency-Key', async () => {
    const { send } = await aProcessApi(amountXml());
    const begin = () =>
      send(
        'POST',
        `${PROCESSES}/start`,
        { workflowCode: 'order', variables: { amount: 1 } },
        operator,
        {
          'idempotency-key': 'k1',
        },
      );

    const [first, second] = [await begin(), await begin()];

    expect(second.body.processInstanceId).toBe(first.body.processInstanceId);
    expect((await send('GET', PROCESSES)).body.numberOfElements).toBe(1);
  });

  it('has its tasks in the list of all tasks, to be claimed and completed there', async () => {
    const { start, send, read, events } = await aProcessApi(amountXml());
    const { id } = await start({ amount: 200 });
    const list = await send('GET', TASKS, undefined, ann);
    const [task] = list.body.content as { taskId: string }[];

    expect(list.body.content).toMatchObject([
      { engine: 'BPMN', processInstanceId: id, taskDefinitionKey: 'big', status: 'PENDING' },
    ]);
    const claimed = await send('POST', `${TASKS}/${task?.taskId}/claim`, undefined, ann);
    expect(claimed.body).toMatchObject({ status: 'CLAIMED', assignee: 'ann' });
    const given = { variables: { approved: true }, outcome: 'yes' };
    const done = await send('POST', `${TASKS}/${task?.taskId}/complete`, given, ann);

    expect(done.body).toMatchObject({
      task: { status: 'COMPLETED', completedBy: 'ann', outcome: 'yes' },
      case: { caseInstanceId: id, state: 'completed' },
    });
    expect(await read(id)).toMatchObject({
      state: 'completed',
      variables: { amount: 200, approved: true, form_big_outcome: 'yes' },
    });
    expect((await send('GET', TASKS, undefined, ann)).body.content).toEqual([]);
    expect(events('workflow.task.created')).toMatchObject([{ processInstanceId: id, sequence: 2 }]);
    expect(events('workflow.process.completed')).toMatchObject([{ endState: 'completed' }]);
    const history = await send('GET', `${PROCESSES}/${id}/history`);
    const commands = history.body.content as { command: { type: string } }[];
    expect(commands.map(({ command }) => command.type)).toEqual([
      'completeTask',
      'claimTask',
      'start',
    ]);
  });

  it('lets one of two complete a task', async () => {
    const { start, send } = await aProcessApi(amountXml());
    const { activities } = await start({ amount: 1 });
    const complete = () => send('POST', `${TASKS}/${activities[0]?.taskId}/complete`, {}, ann);

    const both = await Promise.all([complete(), complete()]);

    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('completes many tasks of one process at once', async () => {
    const ids = Array.from({ length: 8 }, (_, at) => `t${at}`);
    const xml = bpmnXml(
      `<startEvent id="s"/><parallelGateway id="fork"/>${ids.map((id) => userTask(id)).join('')}
      <parallelGateway id="join"/>${userTask('last')}${flow('s', 'fork')}
      ${ids.map((id) => chain('fork', id, 'join')).join('')}${flow('join', 'last')}`,
    );
    const { start, send, waiting } = await aProcessApi(xml);
    const { id, activities } = await start();

    const done = await Promise.all(
      activities.map(({ taskId }) => send('POST', `${TASKS}/${taskId}/complete`, {}, ann)),
    );

    expect(done.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(await waiting(id)).toEqual(['last']);
  });

  it('refuses a completion that an interceptor rejects, and tells it of the process', async () => {
    const seen: unknown[] = [];
    const { start, send, waiting } = await aProcessApi(amountXml(), {
      taskCompletionInterceptors: [
        {
          beforeComplete: (context) => {
            seen.push(context.case);
            throw new Error('not today');
          },
        },
      ],
    });
    const { id, activities } = await start({ amount: 1 });

    const refused = await send('POST', `${TASKS}/${activities[0]?.taskId}/complete`, {}, ann);

    expect(refused.body).toMatchObject({ status: 422, code: 'TASK_COMPLETION_REJECTED' });
    expect(seen).toMatchObject([{ caseInstanceId: id, variables: { amount: 1 } }]);
    expect(await waiting(id)).toEqual(['small']);
  });

  it('changes nothing when the expression of the next step fails', async () => {
    const xml = bpmnXml(
      `<startEvent id="s"/>${userTask('a')}${userTask('b', 'flowable:assignee="${nobody}"')}${chain('s', 'a', 'b')}`,
    );
    const { start, send, waiting } = await aProcessApi(xml);
    const { id, activities } = await start();
    const path = `${TASKS}/${activities[0]?.taskId}`;

    const refused = await send('POST', `${path}/complete`, {}, ann);

    expect(refused.body).toMatchObject({ status: 422, code: 'EXPRESSION_ERROR', elementId: 'b' });
    expect(await waiting(id)).toEqual(['a']);
    expect((await send('GET', path, undefined, ann)).body.status).toBe('PENDING');
  });

  it('fires a timer when the sweep finds it due, once', async () => {
    const { start, waiting, services, context, events } = await aProcessApi(withTimer);
    const { id } = await start();

    await services().timers.sweep.run();
    expect(await waiting(id)).toEqual(['late', 'work']);
    context.machineClock.advance(3_700_000);
    await services().timers.sweep.run();
    await services().timers.sweep.run();

    expect(await waiting(id)).toEqual(['remind']);
    expect(events('workflow.timer.fired')).toMatchObject([{ planItemDefinitionKey: 'late' }]);
    expect(events('workflow.task.cancelled')).toMatchObject([{ taskDefinitionKey: 'work' }]);
    expect(context.db.items().filter(({ type }) => type === 'timer')).toEqual([]);
  });

  it('holds timers and tasks while it is suspended', async () => {
    const { start, send, waiting, services, context } = await aProcessApi(withTimer);
    const { id, activities } = await start();
    const taskId = activities.find(({ activityId }) => activityId === 'work')?.taskId;

    expect((await send('POST', `${PROCESSES}/${id}/suspend`, {})).body.state).toBe('suspended');
    context.machineClock.advance(3_700_000);
    await services().timers.sweep.run();
    expect((await send('POST', `${TASKS}/${taskId}/complete`, {}, ann)).body.code).toBe(
      'TASK_NOT_ACTIVE',
    );
    expect((await send('POST', `${PROCESSES}/${id}/suspend`, {})).body.code).toBe(
      'PROCESS_NOT_ACTIVE',
    );
    expect((await send('POST', `${PROCESSES}/${id}/resume`, {})).body.state).toBe('waiting');
    await services().timers.sweep.run();

    expect(await waiting(id)).toEqual(['remind']);
  });

  it('takes messages and signals, with variables', async () => {
    const { start, send, read } = await aProcessApi(withEvents);
    const { id } = await start();
    const post = (path: string, body: object) => send('POST', `${PROCESSES}/${id}/${path}`, body);

    expect((await post('signal', { signalName: 'Go' })).body.code).toBe('ACTIVITY_NOT_WAITING');
    expect(
      (await post('message', { messageName: 'Paid', payload: { sum: 5 } })).body,
    ).toMatchObject({
      activities: [{ activityId: 'hold', waitsFor: 'signal', signalName: 'Go' }],
    });
    expect((await post('signal', { signalName: 'Go' })).status).toBe(200);
    expect((await post('signal', { activityId: 'ship' })).body.code).toBe('USE_TASK_API');
    expect(await read(id)).toMatchObject({ variables: { sum: 5 } });
  });

  it('sets variables, and terminates with its tasks', async () => {
    const { start, send, read } = await aProcessApi(amountXml());
    const { id, activities } = await start({ amount: 1 });

    await send('PUT', `${PROCESSES}/${id}/variables`, { note: 'x' });
    const ended = await send('POST', `${PROCESSES}/${id}/terminate`, { reason: 'withdrawn' });

    expect(ended.body).toMatchObject({
      state: 'terminated',
      endReason: 'withdrawn',
      activities: [],
    });
    expect(await read(id)).toMatchObject({ variables: { amount: 1, note: 'x' } });
    const task = await send('GET', `${TASKS}/${activities[0]?.taskId}`, undefined, operator);
    expect(task.body.status).toBe('CANCELLED');
    const again = await send('POST', `${PROCESSES}/${id}/terminate`, {});
    expect(again.body.code).toBe('PROCESS_NOT_ACTIVE');
  });

  it('deletes what has ended, and nothing else', async () => {
    const { start, send, context } = await aProcessApi(amountXml());
    const { id } = await start({ amount: 1 });

    expect((await send('DELETE', `${PROCESSES}/${id}`)).body.code).toBe('PROCESS_NOT_ENDED');
    await send('POST', `${PROCESSES}/${id}/terminate`, {});
    expect((await send('DELETE', `${PROCESSES}/${id}`)).status).toBe(204);

    expect((await send('GET', `${PROCESSES}/${id}`)).body.code).toBe('PROCESS_NOT_FOUND');
    const left = context.db.items().filter((item) => {
      const text = JSON.stringify([item.pk, item.sk, item.caseInstanceId]);
      return text.includes(id) && item.type !== 'message';
    });
    expect(left.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
  });

  it('shows a process to its tenant only', async () => {
    const { start, send } = await aProcessApi(amountXml());
    const { id } = await start({ amount: 1 });
    const other = { ...operator, tenant: 'acme' };

    expect((await send('GET', `${PROCESSES}/${id}`, undefined, other)).status).toBe(404);
    expect((await send('POST', `${PROCESSES}/${id}/terminate`, {}, other)).status).toBe(404);
  });

  it('keeps a large state in the bucket', async () => {
    const { start, read, storage, send } = await aProcessApi(amountXml());
    const noise = Array.from({ length: 50_000 }, (_, at) => Math.sin(at + 1).toString(36));
    const { id } = await start({ amount: 1, noise: noise.join('') });

    expect([...storage.files.keys()].filter((path) => path.includes(`${id}/state`))).toHaveLength(
      1,
    );
    await send('PUT', `${PROCESSES}/${id}/variables`, { noise: '' });

    expect(await read(id)).toMatchObject({ variables: { amount: 1, noise: '' } });
    expect([...storage.files.keys()].filter((path) => path.includes(`${id}/state`))).toEqual([]);
  });

  it('completes once when the answer of the transaction is lost', async () => {
    const { start, send, context, events, read } = await aProcessApi(amountXml());
    const { id, activities } = await start({ amount: 1 });
    context.db.failNext('answer-lost', { operation: 'TransactWriteItems' });

    const path = `${TASKS}/${activities[0]?.taskId}/complete`;
    const both = [await send('POST', path, {}, ann), await send('POST', path, {}, ann)];

    expect(both.map(({ status }) => status)).toEqual([503, 409]);
    expect((await read(id)).state).toBe('completed');
    expect(events('workflow.process.completed').length).toBeLessThanOrEqual(1);
  });

  it('sends its events later when it is killed between commit and send', async () => {
    const { start, send, context, events, read } = await aProcessApi(amountXml());
    const { id, activities } = await start({ amount: 1 });
    context.bus.mode = 'down';
    await send('POST', `${TASKS}/${activities[0]?.taskId}/complete`, {}, ann);

    expect((await read(id)).state).toBe('completed');
    expect(events('workflow.process.completed')).toEqual([]);
    const waiting = context.db.items().filter(({ pk }) => String(pk).startsWith('message#'));
    expect(JSON.stringify(waiting)).toContain('workflow.process.completed');
  });
});

const names = (activities: readonly Activity[]) => activities.map(({ activityId }) => activityId);

describe('previews', () => {
  const post = async (path: string, body: object) => {
    const { send } = await aProcessApi(amountXml());
    return send('POST', `/api/v1/preview/${path}`, body);
  };

  it('tells what is wrong with a document', async () => {
    expect((await post('validate', { xml: amountXml() })).body).toEqual({
      ...{ valid: true, processKey: 'order', errors: [], warnings: [] },
    });
    expect((await post('validate', { xml: '<x/>' })).body).toMatchObject({
      valid: false,
      errors: [{ code: 'NOT_BPMN' }],
    });
  });

  it('shows elements and flows', async () => {
    const { body } = await post('definition', { xml: amountXml() });

    expect(body.elements).toContainEqual({ id: 'big', type: 'userTask', name: 'big' });
    expect(body.flows).toContainEqual({
      ...{ id: 'choice_big', sourceId: 'choice', targetId: 'big', condition: '${amount > 100}' },
    });
  });

  it('plays a process in memory and stores nothing', async () => {
    const { send, context } = await aProcessApi(amountXml());
    const before = context.db.items().length;
    const given = {
      xml: amountXml('trial'),
      variables: { amount: 500 },
      decisions: { big: { ok: true } },
    };

    const { body } = await send('POST', '/api/v1/preview/simulate', given);

    expect(body).toMatchObject({
      outcome: 'completed',
      variables: { amount: 500, ok: true },
      waiting: [],
    });
    expect(body.steps).toContainEqual({ type: 'flowTaken', id: 'choice_big' });
    expect(context.db.items()).toHaveLength(before);
    const stopped = await send('POST', '/api/v1/preview/simulate', { ...given, stopAt: ['big'] });
    expect(stopped.body.outcome).toBe('waiting');
    expect(names(stopped.body.waiting as readonly Activity[])).toEqual(['big']);
    const failed = await send('POST', '/api/v1/preview/simulate', { xml: amountXml('trial') });
    expect(failed.body).toMatchObject({ outcome: 'failed', error: { code: 'EXPRESSION_ERROR' } });
  });
});
