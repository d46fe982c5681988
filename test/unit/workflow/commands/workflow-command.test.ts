import { describe, expect, it } from 'vitest';
import { COMMAND_TOPIC, type WorkflowCommand } from '../../../../functions/workflow/index.ts';
import { claimsTaskAuthorization } from '../../../../shared/host/claims-policies.ts';
import type { Host } from '../../../../shared/host/host.ts';
import type { HandleMessage } from '../../../../shared/messaging/consuming/listener.ts';
import { aModel, aSentry, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { workflowWorld } from '../../../helpers/workflow/workflow-world.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const MODEL = aModel(`${aTask('Review', '', 'flowable:candidateGroups="clerks"')}
<planItem id="piAsk" definitionRef="Ask"/><userEventListener id="Ask" name="Ask"/>
<planItem id="piNews" definitionRef="News"><itemControl><repetitionRule/></itemControl></planItem>
<eventListener id="News" flowable:eventType="signal" flowable:signalRef="news"/>
<planItem id="piRead" name="Read" definitionRef="Read"><itemControl><repetitionRule/></itemControl><entryCriterion id="c1" sentryRef="s1"/></planItem>
<humanTask id="Read" name="Read" flowable:candidateGroups="clerks"/>
${aSentry('s1', 'piNews', 'occur')}`);
const ONLY = aModel(aTask('Review'), { key: 'only' });
const starter = { id: 'shop', permissions: ['workflow:case:add'] };
const editor = { id: 'mai', permissions: ['workflow:case:edit'] };
const clerk = { id: 'ann', groups: ['clerks'] };

type Payload = WorkflowCommand | Readonly<Record<string, unknown>>;

async function aWorld({
  host = {},
  svc = {},
}: {
  host?: Host;
  svc?: Readonly<Record<string, unknown>>;
} = {}) {
  const policy = { workflowTaskAuthorizationService: claimsTaskAuthorization };
  const world = workflowWorld(svc, undefined, { ...policy, ...host });
  await world.post('/deployments', { workflowCode: 'loan', xml: MODEL });
  const { context } = world;
  let taken = context.bus.events.length;
  /** Messages that have been put on the bus since, but for the events of cases. */
  const commands = () => {
    const fresh = context.bus.events.slice(taken).map(({ envelope }) => envelope);
    taken = context.bus.events.length;
    return fresh.filter(({ type }) => type === COMMAND_TOPIC);
  };
  const give = async (payload: Payload) => {
    await context.events.publish(COMMAND_TOPIC, null, payload);
    const envelopes = commands();
    return { envelopes, again: await world.deliver(...envelopes) };
  };
  const dead = () =>
    context.db
      .items()
      .filter(({ pk, status }) => String(pk).startsWith('message_tracking#') && status === 'DEAD')
      .map(({ lastError }) => lastError as { code: string; message: string });
  const cases = async () =>
    (await world.get('/cases?state=active&state=completed')).body.content as readonly {
      readonly caseInstanceId: string;
      readonly startedBy: string;
      readonly businessKey: string;
    }[];
  const start = async () => {
    await give({ command: 'startCase', user: starter, body: { workflowCode: 'loan' } });
    return (await cases())[0]?.caseInstanceId ?? '';
  };
  const read = async (id: string) => (await world.get(`/cases/${id}`)).body;
  const tasks = async (id: string) =>
    (await read(id)).tasks as readonly { readonly taskId: string; readonly name: string }[];
  return { world, context, give, commands, dead, cases, start, read, tasks };
}

const BROKER = { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } };

describe('a message of workflow.command', () => {
  it.each([{ mq: { transport: 'spring' } }, BROKER, { mq: { enabled: false } }])(
    'starts a case for its user, once, over the bus: %j',
    async (svc) => {
      const { world, give, cases } = await aWorld({ svc });

      const { envelopes, again } = await give({
        command: 'startCase',
        user: starter,
        body: { workflowCode: 'loan', businessKey: 'B1', variables: { amount: 5 } },
      });
      await world.deliver(...envelopes);

      expect(envelopes).toHaveLength(1);
      expect(again).toEqual([]);
      expect(await cases()).toMatchObject([{ startedBy: 'shop', businessKey: 'B1' }]);
    },
  );

  it('of equal ids of two applications are two commands', async () => {
    const { world, give, cases } = await aWorld();
    const body = { workflowCode: 'loan' };
    const { envelopes } = await give({ command: 'startCase', user: starter, body });

    await world.deliver(...envelopes.map((each) => ({ ...each, source: '/svc/other' })));

    expect(await cases()).toHaveLength(2);
  });

  it('triggers, sets variables, assigns and completes', async () => {
    const { give, start, read, tasks, dead } = await aWorld();
    const id = await start();
    const [review] = await tasks(id);
    const taskId = review?.taskId ?? '';
    const admin = { id: 'op', roles: ['admin'] };

    await give({
      ...{ command: 'triggerPlanItem', user: editor, caseInstanceId: id },
      ...{ planItemDefinitionKey: 'Ask', body: { variables: { asked: true } } },
    });
    await give({
      ...{ command: 'setCaseVariables', user: editor, caseInstanceId: id },
      body: { variables: { amount: 5 } },
    });
    await give({ command: 'assignTask', user: admin, taskId, body: { assignee: 'ann' } });
    await give({ command: 'completeTask', user: clerk, taskId, body: { outcome: 'yes' } });

    expect(dead()).toEqual([]);
    expect(await read(id)).toMatchObject({
      variables: { asked: true, amount: 5, form_Review_outcome: 'yes' },
      tasks: [],
    });
  });

  it('completes by the policy and with the interceptors, which run once', async () => {
    const seen: unknown[] = [];
    const interceptor = {
      beforeComplete: ({ principal, task }: { principal: object; task: object }) => {
        seen.push([principal, task]);
      },
    };
    const { context, give, start, tasks, dead } = await aWorld({
      host: { taskCompletionInterceptors: [interceptor] },
    });
    const id = await start();
    const [review] = await tasks(id);
    const taskId = review?.taskId ?? '';

    await give({ command: 'completeTask', user: { id: 'eve' }, taskId });
    context.db.failNext('conflict', { operation: 'TransactWriteItems', times: 2 });
    await give({ command: 'completeTask', user: clerk, taskId });

    expect(dead()).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(await tasks(id)).toEqual([]);
    expect(seen).toMatchObject([[{ id: 'ann', groups: ['clerks'] }, { taskId }]]);
  });

  it('that an interceptor rejects is dead at once', async () => {
    const rejecting = {
      beforeComplete: () => {
        throw new Error('The budget is spent.');
      },
    };
    const { give, start, tasks, dead } = await aWorld({
      host: { taskCompletionInterceptors: [rejecting] },
    });
    const [review] = await tasks(await start());

    const { again } = await give({
      command: 'completeTask',
      user: clerk,
      taskId: review?.taskId ?? '',
    });

    expect(again).toEqual([]);
    expect(dead()).toMatchObject([
      { code: 'TASK_COMPLETION_REJECTED', message: 'The budget is spent.' },
    ]);
  });

  it.each<[string, Payload, string, string]>([
    ['no command', {}, 'VALIDATION_FAILED', '/command'],
    ['an unknown command', { command: 'drop', user: starter }, 'VALIDATION_FAILED', '/command'],
    [
      'no user',
      { command: 'startCase', body: { workflowCode: 'loan' } },
      'VALIDATION_FAILED',
      '/user',
    ],
    [
      'a wrong body',
      { command: 'startCase', user: starter, body: { workflowCode: 5 } },
      ...(['VALIDATION_FAILED', '/body/workflowCode'] as const),
    ],
    [
      'an unknown member',
      { command: 'startCase', user: starter, body: { workflowCode: 'loan' }, more: 1 },
      ...(['UNKNOWN_FIELD', '/more'] as const),
    ],
    [
      'an unknown workflow',
      { command: 'startCase', user: starter, body: { workflowCode: 'none' } },
      ...(['WORKFLOW_NOT_FOUND', 'none'] as const),
    ],
    [
      'a user who may not',
      { command: 'startCase', user: clerk, body: { workflowCode: 'loan' } },
      ...(['FORBIDDEN', ''] as const),
    ],
    [
      'a user who may not change cases',
      { command: 'signal', user: starter, signalName: 'news' },
      ...(['FORBIDDEN', ''] as const),
    ],
    [
      'a case that is not there',
      { command: 'setCaseVariables', user: editor, caseInstanceId: 'x', body: { variables: {} } },
      ...(['CASE_NOT_FOUND', 'x'] as const),
    ],
  ])('with %s is dead at once, and says why', async (_what, payload, code, place) => {
    const { give, dead } = await aWorld();

    const { again } = await give(payload);

    expect(again).toEqual([]);
    const [error] = dead();
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(place);
  });

  it('comes back when the table does not answer, and is done then', async () => {
    const { world, context, give, cases, dead } = await aWorld();
    const up = context.db.before('TransactWriteItems', () => {
      throw new Error('The table does not answer');
    });
    const { envelopes, again } = await give({
      ...{ command: 'startCase', user: starter, body: { workflowCode: 'loan' } },
    });
    up();

    await world.deliver(...envelopes);

    expect(again).toHaveLength(1);
    expect(dead()).toEqual([]);
    expect(await cases()).toHaveLength(1);
  });
});

describe('a command that its transaction refuses', () => {
  it.each([BROKER, { mq: { ...BROKER.mq, idempotent: { enabled: false } } }])(
    'is dead at once, under the code of the problem: %j',
    async (svc) => {
      const { world, give, cases, dead } = await aWorld({ svc });
      await world.post('/deployments', {
        workflowCode: 'only',
        xml: ONLY,
        uniqueBusinessKey: true,
      });
      const body = { workflowCode: 'only', businessKey: 'B1' };
      const command: WorkflowCommand = { command: 'startCase', user: starter, body };
      await give(command);

      const { again } = await give(command);

      expect(again).toEqual([]);
      expect(dead()).toMatchObject([{ code: 'CASE_EXISTS' }]);
      expect(await cases()).toHaveLength(1);
    },
  );
});

describe('a signal of workflow.command', () => {
  it('is heard once by each case, whether its message was marked or not', async () => {
    const unmarked = { mq: { ...BROKER.mq, idempotent: { enabled: false } } };
    const { world, give, start, tasks } = await aWorld({ svc: unmarked });
    const ids = [await start(), await start()];
    const reads = async () => (await Promise.all(ids.map(tasks))).map((open) => open.length - 1);
    const news: WorkflowCommand = { command: 'signal', user: editor, signalName: 'news' };

    const { envelopes } = await give(news);
    const late = await start();
    await world.deliver(...envelopes);

    expect(await reads()).toEqual([1, 1]);
    expect((await tasks(late)).length).toBe(2);
    await give(news);
    expect(await reads()).toEqual([2, 2]);
  });

  it('is for one case when it names it', async () => {
    const { give, start, tasks } = await aWorld();
    const [one, other] = [await start(), await start()];

    await give({
      ...{ command: 'signal', user: editor, signalName: 'news' },
      body: { caseInstanceId: one },
    });

    expect((await tasks(one)).length).toBe(2);
    expect((await tasks(other)).length).toBe(1);
  });
});

describe('a listener of the host', () => {
  it('starts a case with what it has heard, in its own transaction', async () => {
    const { world, context, commands, cases } = await aWorld({ svc: BROKER });
    const heard: HandleMessage = async ({ payload }, { uow, events }) => {
      const { orderId, buyer } = payload as { readonly orderId: string; readonly buyer: string };
      uow.put({ pk: `HOST#order#${orderId}`, sk: 'seen', type: 'seen' });
      const body = { workflowCode: 'loan', businessKey: orderId };
      const user = { id: buyer, permissions: ['workflow:case:add'] };
      const command: WorkflowCommand = { command: 'startCase', user, body };
      await events.publish(COMMAND_TOPIC, orderId, command);
    };
    const orders = { topic: 'order.placed', group: 'orders', transactional: true, handle: heard };
    const shop = aContext({ module: 'shop', svc: BROKER, besides: context });
    const host = connect(() => ({ routes: [], listeners: [orders] }), shop);
    await shop.events.publish('order.placed', null, { orderId: 'O1', buyer: 'lan' });
    const placed = context.bus.events.flatMap(({ envelope }) =>
      envelope.type === 'order.placed' ? [envelope] : [],
    );

    await host.deliver(...placed);
    await host.deliver(...placed);
    await world.deliver(...commands());

    expect(await cases()).toMatchObject([{ startedBy: 'lan', businessKey: 'O1' }]);
  });
});
