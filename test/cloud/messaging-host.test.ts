import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../bin/dev/paths.ts';
import { abandonedRow, CHAIN, defineEntity, startChain, topicsOf } from '../helpers/chain-host.ts';
import { deployHost, eventually, type HostPlatform } from '../helpers/host-platform.ts';

/** The first TypeScript of a document below a heading. */
function snippetIn(file: string, heading: string): string {
  const [, section = ''] = readFileSync(join(projectRoot, file), 'utf8').split(`${heading}\n`);
  return /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
}

const snippet = snippetIn('README.md', '### A listener in ten lines');

describe('the listener that the README shows', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deployHost(snippet);
  }, 120_000);
  afterAll(() => platform?.stop());

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
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deployHost(CHAIN, { 'svc.mq.idempotent.max-retries': '1' });
  }, 120_000);
  afterAll(() => platform?.stop());

  const poison = async () =>
    (await platform.api.get('/broker/dead-letter', { query: { topic: 'chain.poison' } })).body
      .content[0];

  it('carries messages of all kinds to their listeners, in the trace of the request', {
    timeout: 90_000,
  }, async () => {
    const traceId = 'trace-of-the-chain';

    const answer = await startChain(platform, { 'x-trace-id': traceId });
    const expected = [
      'chain.async',
      'chain.large',
      'chain.ordered',
      'chain.ordered',
      'chain.ordered',
      'chain.sync',
    ];
    const seen = await eventually(
      'all have arrived',
      async () => {
        const items = await platform.items('seen');
        return items.length >= expected.length ? items : undefined;
      },
      75,
    );

    expect(answer.status).toBe(200);
    expect(topicsOf(seen)).toEqual(expected);
    expect(new Set(seen.map((item) => item.traceId))).toEqual(new Set([traceId]));
    expect(seen.find(({ topic }) => topic === 'chain.large')?.bytes).toBe(300_011);
    expect(await platform.processed('chain-async')).toMatchObject({ traceId });
  });

  it('runs a listener of the host in the messaging function, whoever publishes', async () => {
    await defineEntity(platform);

    const line = await platform.processed('dynamic-entity-definition');
    expect(line.module).toBe('messaging');
  });

  it('lists the poison message as dead, and processes it once after its requeue, in its first trace', {
    timeout: 90_000,
  }, async () => {
    const traceId = 'trace-of-the-chain';
    const dead = await eventually('the poison message is dead', poison, 60);
    const [tracking] = (await platform.items('message_tracking')).filter(
      ({ messageId }) => messageId === dead.messageId,
    );
    const requeue = () =>
      platform.api.post(`/broker/dead-letter/${dead.id}/requeue`, {
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

    await platform.put({ pk: 'HOST#connection', sk: 'connection', type: 'connection' });
    expect((await requeue()).status).toBe(202);
    expect((await requeue()).status).toBe(409);
    const line = await platform.processed('chain-poison');

    expect(line).toMatchObject({ traceId, messageId: dead.messageId, attempt: 1 });
    expect(await poison()).toBeUndefined();
    expect(topicsOf(await platform.items('seen'))).toContain('chain.poison');
  });

  it('takes over what another environment died of, in the trace of its request', async () => {
    const id = uuidv7();
    const traceId = 'trace-of-a-dead-consumer';
    const group = 'chain-sync';
    await platform.put({
      ...{
        pk: `message_tracking#${group}#${id}`,
        sk: 'message_tracking',
        type: 'message_tracking',
      },
      ...{ status: 'PROCESSING', owner: 'nobody', lockedUntil: Date.now() - 1, attempts: 1 },
      ...{ group, messageId: id, topic: 'chain.sync', key: id },
    });

    await platform.put(abandonedRow({ id, traceId, kind: 'async' }));

    const line = await platform.processed(group, { messageId: id });
    expect(line).toMatchObject({ traceId, attempt: 2 });
  });

  it('calls nothing that the roles do not allow', () => {
    expect(platform.callsBeyondRoles()).toBe('');
  });
});
