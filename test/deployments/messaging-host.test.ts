import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityDigest, trackingKey } from '../../shared/messaging/consuming/tracking-row.ts';
import { readmeListener, snippetIn } from '../helpers/api/document-snippet.ts';
import {
  abandonedRow,
  CHAIN,
  defineEntity,
  startChain,
  topicsOf,
} from '../helpers/cloud/chain-host.ts';
import { deployHost, eventually, type HostPlatform } from '../helpers/cloud/host-platform.ts';
import { caseXml } from '../helpers/workflow/case-xml.ts';

const snippet = readmeListener();
const TRIGGER = 'svc.mq.relay.schedule-trigger';
const DELAY_MS = 3_000;
const CMMN = '/api/v1/workflow/cmmn';

/** Tickers begin with the next minute, so what they do is looked at last. */
let platform: HostPlatform;
beforeAll(async () => {
  platform = await deployHost(snippet, {
    [`${TRIGGER}.trigger-type`]: 'FIXED_DELAY',
    [`${TRIGGER}.fixed-rate`]: `${DELAY_MS}ms`,
  });
});
afterAll(() => platform?.stop());

describe('the listener that the README shows', () => {
  it('takes ten lines, and the guide shows the same', () => {
    const lines = snippet.split('\n').filter((line) => line.trim() !== '');

    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(snippetIn('docs/messaging.md', '## A listener of your own')).toBe(snippet);
  });

  it('is called once for a change, in the trace of the request that made it', async () => {
    const traceId = 'trace-of-the-readme';
    const answer = await platform.api.post('/api/v1/setting/save', {
      body: { name: 'mail.from', value: 'a@example.com' },
      headers: { 'x-trace-id': traceId },
    });
    const seen = await eventually('the listener has written', async () => {
      const items = await platform.items('seen');
      return items.length > 0 ? items : undefined;
    });
    const [row] = await platform.items('message');
    const line = await platform.processed('my-app');

    expect(answer.status).toBe(201);
    expect(seen).toMatchObject([{ pk: 'HOST#seen#mail.from' }]);
    expect(row).toMatchObject({ topic: 'iam-config-refresh', status: 'SENT', traceId });
    expect(line).toMatchObject({ traceId, topic: 'iam-config-refresh', messageId: row?.messageId });
  });

  it('is reached by a dispatch beside the listener of another function', async () => {
    const dispatch = () =>
      platform.api.post('/broker/dispatch', {
        query: { topic: 'iam-config-refresh' },
        body: { messageId: 'dispatched', payload: { key: 'by.hand' } },
      });
    const { body } = await dispatch();
    const again = await dispatch();

    expect(body.results).toHaveLength(2);
    expect(body.results).toEqual(
      expect.arrayContaining([
        { group: 'my-app', status: 'PROCESSED' },
        { group: 'svc-cloud-config', status: 'PROCESSED' },
      ]),
    );
    expect(again.body.results.map(({ status }: { status: string }) => status)).toEqual([
      'DUPLICATE',
      'DUPLICATE',
    ]);
  });

  it('calls nothing that the roles do not allow', () => {
    expect(platform.callsBeyondRoles()).toBe('');
  });
});

describe('the broker', () => {
  let broker: HostPlatform;
  const abandoned = { id: uuidv7(), traceId: 'trace-of-a-dead-publisher' };
  beforeAll(async () => {
    broker = await deployHost(CHAIN, {
      'svc.mq.idempotent.max-retries': '1',
      [`${TRIGGER}.trigger-type`]: 'CRON',
      [`${TRIGGER}.cron-expression`]: '*/2 * * * * *',
    });
    await broker.put(abandonedRow(abandoned));
  });
  afterAll(() => broker?.stop());

  const poison = async () =>
    (await broker.api.get('/broker/dead-letter', { query: { topic: 'chain.poison' } })).body
      .content[0];

  it('carries messages of all kinds to their listeners, in the trace of the request', async () => {
    const traceId = 'trace-of-the-chain';

    const answer = await startChain(broker, { 'x-trace-id': traceId });
    const expected = [
      'chain.async',
      'chain.large',
      'chain.ordered',
      'chain.ordered',
      'chain.ordered',
      'chain.sync',
    ];
    const seen = await eventually('all have arrived', async () => {
      const items = (await broker.items('seen')).filter((item) => item.traceId === traceId);
      return items.length >= expected.length ? items : undefined;
    });

    expect(answer.status).toBe(200);
    expect(topicsOf(seen)).toEqual(expected);
    expect(new Set(seen.map((item) => item.traceId))).toEqual(new Set([traceId]));
    expect(seen.find(({ topic }) => topic === 'chain.large')?.bytes).toBe(300_011);
    expect(await broker.processed('chain-async')).toMatchObject({ traceId });
  });

  it('runs a listener of the host in the messaging function, whoever publishes', async () => {
    await defineEntity(broker);

    const line = await broker.processed('dynamic-entity-definition');
    expect(line.module).toBe('messaging');
  });

  it('lists the poison message as dead, and processes it once after its requeue, in its first trace', async () => {
    const traceId = 'trace-of-the-chain';
    const dead = await eventually('the poison message is dead', poison);
    const [tracking] = (await broker.items('message_tracking')).filter(
      ({ messageId }) => messageId === dead.messageId,
    );
    const requeue = () =>
      broker.api.post(`/broker/dead-letter/${dead.id}/requeue`, {
        headers: { 'x-trace-id': 'trace-of-the-operator' },
      });

    expect(dead).toMatchObject({
      source: 'consumer',
      group: 'chain-poison',
      attempts: 2,
      lastError: { message: 'no connection' },
      traceId,
    });
    expect(JSON.parse(String(tracking?.envelope))).toMatchObject({ traceid: traceId });

    await broker.put({ pk: 'HOST#connection', sk: 'connection', type: 'connection' });
    expect((await requeue()).status).toBe(202);
    expect((await requeue()).status).toBe(409);
    const line = await broker.processed('chain-poison');

    expect(line).toMatchObject({ traceId, messageId: dead.messageId, attempt: 1 });
    expect(await poison()).toBeUndefined();
    expect(topicsOf(await broker.items('seen'))).toContain('chain.poison');
  });

  it('holds the key of a dead message, and goes on in its order after the requeue, within its roles', async () => {
    const query = { topic: 'chain.strict' };
    await broker.api.post('/broker/dispatch', {
      query: { topic: 'start.strict' },
      body: { payload: {} },
    });
    const dead = await eventually(
      'the first message is dead',
      async () => (await broker.api.get('/broker/dead-letter', { query })).body.content[0],
    );
    const passed = await broker.items('strict');

    await broker.put({ pk: 'HOST#strict', sk: 'connection', type: 'connection' });
    await broker.api.post(`/broker/dead-letter/${dead.id}/requeue`);
    const arrived = await eventually('all have arrived', async () => {
      const [item] = await broker.items('strict');
      const all = (item?.arrived ?? []) as number[];
      return all.length >= 3 ? all : undefined;
    });

    expect(dead).toMatchObject({ source: 'consumer', group: 'chain-strict', attempts: 2 });
    expect(passed).toEqual([]);
    expect(arrived).toEqual([0, 1, 2]);
    expect(broker.callsBeyondRoles()).toBe('');
  });

  it('takes over what another environment died of, in the trace of its request', async () => {
    const id = uuidv7();
    const traceId = 'trace-of-a-dead-consumer';
    const group = 'chain-sync';
    const message = { topic: 'chain.sync', source: '/svc/svc-cloud', messageId: id };
    await broker.put({
      ...trackingKey('message_tracking', group, identityDigest(message)),
      ...{ ...message, group, key: id, type: 'message_tracking' },
      ...{ status: 'PROCESSING', owner: 'nobody', lockedUntil: Date.now() - 1, attempts: 1 },
    });

    await broker.put(abandonedRow({ id, traceId, kind: 'async' }));

    const line = await broker.processed(group, { messageId: id });
    expect(line).toMatchObject({ traceId, attempt: 2 });
  });

  it('runs the relay when a cron expression says so, which sends what a publisher left', async () => {
    const { id, traceId } = abandoned;

    const row = await eventually('the row is sent', async () =>
      (await broker.items('message')).find(
        ({ pk, status }) => pk === `message#${id}` && status === 'SENT',
      ),
    );

    expect(row).toMatchObject({ attempts: 1, traceId });
    expect(await broker.processed('chain-sync', { messageId: id })).toMatchObject({ traceId });
  });

  it('starts and carries on a case by commands of a listener, in the name of whom they say', async () => {
    const review =
      '<planItem id="pi" definitionRef="review"/><humanTask id="review" name="Review" flowable:candidateGroups="clerks"/>';
    const xml = caseXml({ key: 'order', plan: review });
    const deployed = await broker.api.post(`${CMMN}/deployments`, {
      body: { workflowCode: 'order', xml },
    });
    const order = (payload: object) =>
      broker.api.post('/broker/dispatch', { query: { topic: 'order.placed' }, body: { payload } });
    const buyer = { id: 'buyer', permissions: ['workflow:case:add'] };
    const clerk = { id: 'ann', groups: ['clerks'] };

    const body = { workflowCode: 'order', businessKey: 'O-1', variables: { amount: 7 } };
    await order({ command: 'startCase', user: buyer, body });
    const started = await eventually(
      'the case has started',
      async () =>
        (await broker.api.get(`${CMMN}/cases`, { query: { businessKey: 'O-1' } })).body.content[0],
    );
    const path = `${CMMN}/cases/${started.caseInstanceId}`;
    const { taskId } = (await broker.api.get(`${path}/tasks`)).body.content[0];
    const complete = (user: object, outcome: string) =>
      order({ command: 'completeTask', user, taskId, body: { outcome } });
    await complete({ id: 'eve' }, 'accept');
    await complete(clerk, 'refuse');
    const refused = await eventually('two commands are refused', async () => {
      const query = { topic: 'workflow.command' };
      const { body: dead } = await broker.api.get('/broker/dead-letter', { query });
      return dead.content.length === 2 ? dead.content : undefined;
    });
    const waiting = await broker.api.get(path);
    await complete(clerk, 'accept');
    const ended = await eventually('the case has ended', async () => {
      const { body: now } = await broker.api.get(path);
      return now.state === 'completed' ? now : undefined;
    });

    expect(deployed.status).toBe(201);
    expect(started).toMatchObject({ startedBy: 'buyer', state: 'active' });
    const codes = refused.map(({ lastError }: { lastError: { code: string } }) => lastError.code);
    expect(codes.sort()).toEqual(['FORBIDDEN', 'TASK_COMPLETION_REJECTED']);
    expect(waiting.body.state).toBe('active');
    expect(ended.variables).toEqual({ amount: 7, form_review_outcome: 'accept' });
    const task = await broker.api.get(`/api/v1/tasks/${taskId}`);
    expect(task.body).toMatchObject({ status: 'COMPLETED', completedBy: 'ann', outcome: 'accept' });
  });

  it('calls nothing that the roles do not allow', () => {
    expect(broker.callsBeyondRoles()).toBe('');
  });
});

describe('a relay with FIXED_DELAY', () => {
  const lastRun = async (after = 0) =>
    (await platform.items('LOCK'))
      .filter(({ pk }) => pk === 'LOCK#messaging#relay')
      .map(({ lastFinishedAt }) => Number(lastFinishedAt))
      .find((at) => at > after);

  it('runs again when its delay has passed', async () => {
    const first = await eventually('the relay has run', () => lastRun());
    const second = await eventually('the relay has run again', () => lastRun(first));

    expect(second - first).toBeGreaterThanOrEqual(DELAY_MS);
  });
});
