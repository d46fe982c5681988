import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import { localClientConfig } from '../../bin/dev/local-cloud/aws-client.ts';
import { localFolder, projectRoot } from '../../bin/dev/paths.ts';
import { startTestPlatform, type TestPlatform } from '../../bin/dev/test-platform.ts';
import { type ApiClient, createApiClient } from '../helpers/api-client.ts';

const folder = join(localFolder, `messaging-host-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A platform with a host of its own, and what a test looks at. */
interface HostPlatform {
  readonly api: ApiClient;
  readonly baseUrl: string;
  items(type: string): Promise<Record<string, unknown>[]>;
  /** Log lines of all functions that hold a text. */
  logLines(text: string): Promise<string[]>;
  stop(): Promise<void>;
}

async function deploy(
  name: string,
  host: string,
  context: Readonly<Record<string, string>> = {},
): Promise<HostPlatform> {
  mkdirSync(folder, { recursive: true });
  const hostEntry = join(folder, `${name}.ts`);
  writeFileSync(hostEntry, host.replaceAll("'../shared/", `'${projectRoot}/shared/`));
  const platform: TestPlatform = await startTestPlatform({ hostEntry, context });
  const { endpoint, tableName, baseUrl } = platform.outputs;
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(endpoint)));
  const logs = new CloudWatchLogsClient(localClientConfig(endpoint));
  const token = await signDevToken(await ensureDevIssuer(), { sub: 'mai', roles: ['admin'] });
  return {
    api: createApiClient({ baseUrl, token }),
    baseUrl,
    async items(type) {
      const found: Record<string, unknown>[] = [];
      const pages = paginateScan({ client: documents }, { TableName: tableName });
      for await (const { Items = [] } of pages)
        found.push(...Items.filter((item) => item.type === type));
      return found;
    },
    async logLines(text) {
      const lines: string[] = [];
      const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({}));
      for (const { logGroupName } of logGroups) {
        for await (const { events = [] } of paginateFilterLogEvents(
          { client: logs },
          { logGroupName },
        )) {
          lines.push(
            ...events.flatMap(({ message = '' }) => (message.includes(text) ? message : [])),
          );
        }
      }
      return lines;
    },
    stop: () => platform.stop(),
  };
}

async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  seconds = 20,
): Promise<T> {
  for (let i = 0; i < seconds * 4; i += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(250);
  }
  throw new Error(`Not within ${seconds} s: ${what}`);
}

const readme = readFileSync(join(projectRoot, 'docs/messaging.md'), 'utf8');
const snippet = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';

describe('the listener that the documentation shows', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deploy('readme', snippet);
  }, 120_000);
  afterAll(() => platform?.stop());

  it('takes ten lines', () => {
    expect(
      snippet
        .trim()
        .split('\n')
        .filter((line) => line !== '').length,
    ).toBeLessThanOrEqual(10);
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
    const line = await eventually('the listener is in the log', async () => {
      const lines = await platform.logLines('my-app');
      return lines.find((each) => each.includes('attempt'));
    });

    expect(answer.status).toBe(201);
    expect(seen).toMatchObject([{ pk: 'HOST#seen#mail.from' }]);
    expect(row).toMatchObject({ topic: 'iam-config-refresh', status: 'SENT', traceId });
    expect(JSON.parse(line.slice(line.indexOf('{')))).toMatchObject({
      traceId,
      group: 'my-app',
      topic: 'iam-config-refresh',
    });
  });

  it('is reached by a dispatch beside the listener of another function', async () => {
    const { body } = await platform.api.post('/broker/dispatch', {
      query: { topic: 'iam-config-refresh' },
      body: { messageId: 'dispatched', payload: { key: 'by.hand' } },
    });
    const again = await platform.api.post('/broker/dispatch', {
      query: { topic: 'iam-config-refresh' },
      body: { messageId: 'dispatched', payload: { key: 'by.hand' } },
    });

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
});

/** Its first listener starts a chain: publish, asyncPublish, a large body, an ordered topic, a poison message. */
const CHAIN = `
import { claimsPermissionEvaluator, defineHost, messageListener } from '../shared/host/index.ts';

const seen = (topic, more = {}) =>
  messageListener({ topic, group: topic.replace('.', '-'), ...more }, async ({ key, payload, sequence, topic }, { uow, traceId, attempt }) => {
    if (payload.fails && attempt <= 4) throw new Error('no connection');
    uow.put({ pk: \`HOST#\${topic}#\${key}#\${sequence ?? 0}\`, sk: 'seen', type: 'seen', topic, traceId, bytes: JSON.stringify(payload).length });
  });

export default defineHost({
  permissionEvaluator: claimsPermissionEvaluator,
  listeners: [
    messageListener({ topic: 'start', group: 'start' }, async (_, { events }) => {
      await events.publish('chain.sync', 'A', {});
      await events.asyncPublish('chain.async', {});
      await events.publish('chain.large', 'A', { text: 'x'.repeat(300000) });
      for (let i = 0; i < 3; i += 1) await events.publish('chain.ordered', 'A', { i });
      await events.publish('chain.poison', 'A', { fails: true });
    }),
    seen('chain.sync'), seen('chain.async'), seen('chain.large'), seen('chain.ordered', { ordered: true }), seen('chain.poison'),
  ],
});
`;

const start = (platform: HostPlatform, headers: Readonly<Record<string, string>> = {}) =>
  platform.api.post('/broker/dispatch', {
    query: { topic: 'start' },
    body: { payload: {} },
    headers,
  });

const topicsOf = (items: readonly Record<string, unknown>[]) =>
  items.map(({ topic }) => String(topic)).sort();

describe('the broker', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deploy('broker', CHAIN, { 'svc.mq.idempotent.max-retries': '1' });
  }, 120_000);
  afterAll(() => platform?.stop());

  it('carries messages of all kinds to their listeners, in the trace of the request', {
    timeout: 90_000,
  }, async () => {
    const traceId = 'trace-of-the-chain';

    const answer = await start(platform, { 'x-trace-id': traceId });
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
  });

  it('lists the poison message as dead, and processes it once after its requeue', {
    timeout: 90_000,
  }, async () => {
    const dead = await eventually(
      'the poison message is dead',
      async () => {
        const { body } = await platform.api.get('/broker/dead-letter', {
          query: { topic: 'chain.poison' },
        });
        return body.content[0];
      },
      60,
    );
    expect(dead).toMatchObject({
      source: 'consumer',
      group: 'chain-poison',
      attempts: 2,
      lastError: { message: 'no connection' },
      traceId: 'trace-of-the-chain',
    });

    const requeue = () => platform.api.post(`/broker/dead-letter/${dead.id}/requeue`);
    expect((await requeue()).status).toBe(202);
    expect((await requeue()).status).toBe(409);
    const again = await eventually(
      'it is dead again, under the same messageId',
      async () => {
        const { body } = await platform.api.get('/broker/dead-letter', {
          query: { topic: 'chain.poison' },
        });
        return body.content[0]?.requeueCount === 1 ? body.content[0] : undefined;
      },
      60,
    );
    expect(again).toMatchObject({ messageId: dead.messageId, traceId: 'trace-of-the-chain' });
  });
});

describe('the transport spring', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deploy('spring', CHAIN, { 'svc.mq.transport': 'spring' });
  }, 120_000);
  afterAll(() => platform?.stop());

  it('runs the listeners in the publishing function, before the call is answered, and keeps no outbox', async () => {
    const answer = await start(platform);
    const seen = await platform.items('seen');

    expect(answer.status).toBe(200);
    expect(topicsOf(seen)).toEqual(['chain.async', 'chain.large', 'chain.ordered', 'chain.sync']);
    expect(await platform.items('message')).toEqual([]);
  });

  it('sends refresh notices through the outbox and the bus all the same', async () => {
    await platform.api.post('/api/v1/setting/save', { body: { name: 'a.b', value: 'x' } });

    const tracking = await eventually('the notice is processed', async () => {
      const [row] = await platform.items('message_tracking');
      return row?.status === 'PROCESSED' ? row : undefined;
    });
    expect(tracking).toMatchObject({ group: 'svc-cloud-config', topic: 'iam-config-refresh' });
    expect(await platform.items('message')).toMatchObject([{ status: 'SENT' }]);
  });

  it('leaves the index job of a schema change to the background', async () => {
    const definitions = '/api/v1/entity-definitions';
    const schemaOf = (...codes: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(codes.map((code) => [code, { type: 'string' }])),
    });
    const declared = await platform.api.post(definitions, {
      body: { code: 'city', name: 'City', uiSchemaJson: schemaOf('name') },
    });
    await platform.api.post('/api/v1/dynamic/city', { body: { name: 'Huế' } });

    const changed = await platform.api.put(`${definitions}/code/city/schema`, {
      body: schemaOf('name', 'country'),
    });
    const [{ id, state }] = changed.body.jobs;
    const stateOf = () => platform.api.get(`${definitions}/code/city/jobs/${id}`);
    const atOnce = await stateOf();
    const done = await eventually(
      'the job is done',
      async () => {
        const { body } = await stateOf();
        return body.state === 'DONE' ? body : undefined;
      },
      60,
    );

    expect(declared.status, declared.text).toBe(201);
    expect(state).toBe('WAITING');
    expect(['WAITING', 'RUNNING']).toContain(atOnce.body.state);
    expect(done).toMatchObject({ processed: 1 });
  }, 60_000);
});

describe('other names, no idempotency check, and the layout check', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deploy('names', CHAIN, {
      'svc.mq.message-table': 'outbox',
      'svc.mq.message-tracking-table': 'inbox',
      'svc.mq.idempotent.enabled': 'false',
      'svc.mq.schema-update-enabled': 'true',
      'svc.mq.relay.schedule-trigger.fixed-rate': '2s',
    });
  }, 120_000);
  afterAll(() => platform?.stop());

  it('do what they say, with a relay that runs every two seconds', {
    timeout: 100_000,
  }, async () => {
    await start(platform);
    const rows = await eventually(
      'everything is sent and the relay has run',
      async () => {
        const items = await platform.items('message');
        const isSent = items.filter(({ status }) => status === 'SENT').length === 7;
        return isSent && items.some(({ pk }) => pk === 'outbox#layout') ? items : undefined;
      },
      90,
    );

    expect(rows.every(({ pk }) => String(pk).startsWith('outbox#'))).toBe(true);
    expect(rows.find(({ pk }) => pk === 'outbox#layout')).toMatchObject({ layout: 1 });
    expect(await platform.items('message_tracking')).toEqual([]);
  });
});

describe('svc.mq.enabled=false', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deploy('off', snippet, { 'svc.mq.enabled': 'false' });
  }, 120_000);
  afterAll(() => platform?.stop());

  it('leaves settings and their refresh at work, without an outbox and without routes of the broker', async () => {
    const save = await platform.api.post('/api/v1/setting/save', {
      body: { name: 'a.b', value: 'x' },
    });
    const tracking = await eventually('the notice is processed', async () => {
      const [row] = await platform.items('message_tracking');
      return row?.status === 'PROCESSED' ? row : undefined;
    });

    expect(save.status).toBe(201);
    expect(tracking).toMatchObject({ topic: 'iam-config-refresh' });
    expect(await platform.items('message')).toEqual([]);
    const list = await fetch(`${platform.baseUrl}/broker/dead-letter`);
    expect(list.status).toBe(404);
  });
});
