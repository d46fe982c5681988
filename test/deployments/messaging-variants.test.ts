import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureDevIssuer, signDevToken } from '../../bin/dev/dev-issuer.ts';
import {
  abandonedRow,
  CHAIN,
  defineEntity,
  startChain,
  topicsOf,
} from '../helpers/cloud/chain-host.ts';
import { deployHost, eventually, type HostPlatform } from '../helpers/cloud/host-platform.ts';

let renamed: HostPlatform;
const abandoned = { id: uuidv7(), traceId: 'trace-of-a-dead-publisher', table: 'outbox' };

/** Its ticker begins with the next minute, so it starts first and is looked at last. */
beforeAll(async () => {
  renamed = await deployHost(CHAIN, {
    'svc.mq.message-table': 'outbox',
    'svc.mq.idempotent.enabled': 'false',
    'svc.mq.schema-update-enabled': 'true',
    'svc.mq.relay.schedule-trigger.fixed-rate': '2s',
    'svc.dynamic.enabled': 'false',
  });
  await startChain(renamed);
  await renamed.put(abandonedRow(abandoned));
});
afterAll(() => renamed?.stop());

/** Statuses of GET with a token; paths by apiPath are described by none. */
async function statusesOf({ baseUrl }: HostPlatform, paths: readonly string[]): Promise<number[]> {
  const token = await signDevToken(await ensureDevIssuer(), { sub: 'mai', roles: ['admin'] });
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(
    paths.map(async (path) => (await fetch(`${baseUrl}${path}`, { headers })).status),
  );
}

/** Paths that the deployed API describes. */
const pathsOf = async ({ api }: HostPlatform): Promise<string[]> =>
  Object.keys((await api.get('/api/v1/openapi.json')).body.paths);

describe('the transport spring', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deployHost(CHAIN, {
      'svc.mq.transport': 'spring',
      'svc.mq.message-tracking-table': 'inbox',
      'svc.mq.relay.schedule-trigger.trigger-type': 'RUN_ONCE',
    });
  });
  afterAll(() => platform?.stop());

  it('runs the listeners before the call is answered, and keeps no outbox', async () => {
    const traceId = 'trace-in-process';

    const answer = await startChain(platform, { 'x-trace-id': traceId });
    const seen = await platform.items('seen');

    expect(answer.status).toBe(200);
    expect(topicsOf(seen)).toEqual(['chain.async', 'chain.large', 'chain.ordered', 'chain.sync']);
    expect(new Set(seen.map((item) => item.traceId))).toEqual(new Set([traceId]));
    expect(await platform.processed('chain-sync')).toMatchObject({ traceId });
    expect(await platform.items('message')).toEqual([]);
  });

  it('runs a listener of the host in the function that publishes', async () => {
    await defineEntity(platform);

    expect(topicsOf(await platform.items('seen'))).toContain('dynamic-entity-definition');
    const line = await platform.processed('dynamic-entity-definition');
    expect(line.module).toBe('entities');
  });

  it('sends refresh notices through the outbox and the bus all the same', async () => {
    await platform.api.post('/api/v1/setting/save', { body: { name: 'a.b', value: 'x' } });

    const tracking = await eventually('the notice is processed', async () => {
      const [row] = await platform.items('message_tracking');
      return row?.status === 'PROCESSED' ? row : undefined;
    });
    expect(tracking).toMatchObject({ group: 'svc-cloud-config', topic: 'iam-config-refresh' });
    expect(tracking.pk).toMatch(/^inbox#svc-cloud-config#[\w-]{43}$/);
    expect(await platform.items('message')).toMatchObject([{ status: 'SENT' }]);
  });

  it('with RUN_ONCE has run the relay once, when it was deployed', async () => {
    const run = await eventually('the relay has finished', async () =>
      (await platform.items('LOCK')).find(({ pk }) => pk === 'LOCK#messaging#relay'),
    );

    expect(run.lastFinishedAt).toBeGreaterThan(0);
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
    const done = await eventually('the job is done', async () => {
      const { body } = await stateOf();
      return body.state === 'DONE' ? body : undefined;
    });

    expect(declared.status, declared.text).toBe(201);
    expect(state).toBe('WAITING');
    expect(['WAITING', 'RUNNING']).toContain(atOnce.body.state);
    expect(done).toMatchObject({ processed: 1 });
  });

  it('calls nothing that the roles do not allow', () => {
    expect(platform.callsBeyondRoles()).toBe('');
  });
});

describe('svc.mq.enabled=false, and records below another prefix', () => {
  let platform: HostPlatform;
  beforeAll(async () => {
    platform = await deployHost(CHAIN, {
      'svc.mq.enabled': 'false',
      'svc.dynamic.api-prefix': '/data/v2',
    });
  });
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
    for (const path of ['/broker/dead-letter', '/broker/dispatch?topic=start']) {
      const answer = await fetch(`${platform.baseUrl}${path}`);
      expect(answer.status).toBe(404);
    }
  });

  it('tells changed definitions in process only', async () => {
    const answer = await defineEntity(platform);

    expect(answer.status).toBe(201);
    expect(topicsOf(await platform.items('seen'))).toEqual(['dynamic-entity-definition']);
    expect(await platform.items('message')).toEqual([]);
  });

  it('finds records below svc.dynamic.api-prefix and nowhere else', async () => {
    const { api } = platform;
    const { status, body } = await api.post('/data/v2/dynamic/customer', { body: { name: 'a' } });
    const record = `/dynamic/customer/${body.id}`;

    const statusesBelow = (prefix: string) =>
      statusesOf(
        platform,
        ['/dynamic/customer', '/customers', record].map((at) => prefix + at),
      );
    expect(status).toBe(201);
    expect(await statusesBelow('/data/v2')).toEqual([200, 200, 200]);
    expect(await statusesBelow('/api/v1')).toEqual([404, 404, 404]);
    expect(await pathsOf(platform)).toContain('/data/v2/dynamic/{entityCode}');
    expect(await pathsOf(platform)).toContain('/api/v1/entity-definitions');
  });

  it('calls nothing that the roles do not allow', () => {
    expect(platform.callsBeyondRoles()).toBe('');
  });
});

describe('svc.dynamic.enabled=false', () => {
  it('leaves no route of definitions and records, and none in the API description', async () => {
    const { status } = await defineEntity(renamed);
    const found = await statusesOf(renamed, [
      '/api/v1/entity-definitions',
      '/api/v1/entity-definitions/code/customer',
      '/api/v1/dynamic/customer',
      '/api/v1/dynamic/customer/schema',
      '/api/v1/customers',
    ]);

    expect(status).toBe(404);
    expect(found).toEqual(found.map(() => 404));
    expect((await pathsOf(renamed)).join()).not.toMatch(/dynamic|entity-definitions|entities/);
  });
});

describe('another name, no idempotency check, the layout check, and a relay that runs every two seconds', () => {
  it('do what they say', async () => {
    const rows = await eventually('everything is sent', async () => {
      const items = await renamed.items('message');
      const isSent = items.filter(({ status }) => status === 'SENT').length === 8;
      return isSent && items.some(({ pk }) => pk === 'outbox#layout') ? items : undefined;
    });

    expect(rows.every(({ pk }) => String(pk).startsWith('outbox#'))).toBe(true);
    expect(rows.find(({ pk }) => pk === 'outbox#layout')).toMatchObject({ layout: 1 });
    expect(topicsOf(await renamed.items('seen'))).toEqual(expect.arrayContaining(['chain.sync']));
    // Ordered messages are told apart all the same: their order needs it.
    const kept = await renamed.items('message_tracking');
    const unordered = kept.filter(({ group }) => group !== 'chain-ordered');
    expect(unordered.filter(({ sk }) => sk !== 'turn')).toEqual([]);
  });

  it('send what a publisher left, in the trace of its request', async () => {
    const { id: messageId, traceId } = abandoned;

    const line = await renamed.processed('chain-sync', { messageId });
    const row = (await renamed.items('message')).find(({ pk }) => pk === `outbox#${messageId}`);

    expect(line).toMatchObject({ traceId });
    expect(row).toMatchObject({ status: 'SENT', attempts: 1, traceId });
  });

  it('tell the state of the outbox in the metrics that the alarms watch', async () => {
    const line = await eventually('a run has ended', async () =>
      (await renamed.logLines('"OutboxPending"')).at(-1),
    );

    expect(line).toMatchObject({
      service: 'svc-cloud-mq',
      OutboxPending: expect.any(Number),
      OutboxOldestAgeMs: expect.any(Number),
      OutboxDead: 0,
    });
  });

  it('call nothing that the roles do not allow', () => {
    expect(renamed.callsBeyondRoles()).toBe('');
  });
});
