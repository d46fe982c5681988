import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { REFRESH_TOPIC } from '../../functions/settings/index.ts';
import { epochKey } from '../../shared/refresh/epoch-items.ts';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { functionLog } from '../helpers/cloud/function-log.ts';

const SETTING = '/api/v1/setting';
const AES_SECRET = 'security.aes_secret';
const STALENESS_MS = 10_000;

const table = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsClientConfig()));
const bus = new EventBridgeClient(cloud.awsClientConfig());

let api: ApiClient;
beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'journey', roles: ['admin'] }),
  });
});

async function stored(pk: string, sk: string): Promise<Readonly<Record<string, unknown>>> {
  const TableName = cloud.outputs.tableName;
  const { Item = {} } = await table.send(
    new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }),
  );
  return Item;
}

const epoch = async (): Promise<number> =>
  Number((await stored(epochKey.pk, epochKey.sk)).epoch ?? 0);

const save = (body: Readonly<Record<string, unknown>>) =>
  api.post(`${SETTING}/save`, { body: { value: 'v', ...body } });

/** Puts a notice of another application on the bus. */
async function putNotice(id: string, data: unknown): Promise<void> {
  const Detail = JSON.stringify({
    specversion: '1.0',
    id,
    source: '/svc/other-app',
    type: REFRESH_TOPIC,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data,
  });
  const entry = {
    EventBusName: cloud.outputs.eventBusName,
    Source: 'svc.other-app',
    DetailType: REFRESH_TOPIC,
    Detail,
  };
  const { FailedEntryCount } = await bus.send(new PutEventsCommand({ Entries: [entry] }));
  expect(FailedEntryCount).toBe(0);
}

describe('a save', () => {
  it('is one step of the epoch, and its notice goes round no further', async () => {
    const before = await epoch();

    await save({ name: `refresh.${randomUUID()}` });
    await sleep(3_000);

    expect(await epoch()).toBe(before + 1);
  });
});

describe('POST /api/v1/setting/refresh', () => {
  it('raises the epoch and names it', async () => {
    const before = await epoch();

    const answer = await api.post(`${SETTING}/refresh`, { body: { key: '__REFRESH_ALL__' } });

    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ key: '__REFRESH_ALL__', epoch: before + 1 });
    expect(await epoch()).toBe(before + 1);
  });
});

describe('a notice of another application', () => {
  it('raises the epoch once, however often it comes', async () => {
    const before = await epoch();
    const id = randomUUID();

    await putNotice(id, { key: 'mail.from' });
    await putNotice(id, { key: 'mail.from' });
    await expect.poll(epoch, { timeout: 120_000, interval: 200 }).toBe(before + 1);
    await sleep(2_000);

    expect(await epoch()).toBe(before + 1);
  });

  it('without a key is dropped and holds nothing up', async () => {
    const before = await epoch();

    await putNotice(randomUUID(), { wrong: true });
    await putNotice(randomUUID(), { key: 'mail.from' });

    await expect.poll(epoch, { timeout: 120_000, interval: 200 }).toBe(before + 1);
  });
});

describe('warm environments', () => {
  const PARALLEL = 6;

  /** Saves encrypted settings in parallel environments. @returns the ids of the keys they used. */
  async function keysInUse(): Promise<ReadonlySet<string>> {
    const names = Array.from({ length: PARALLEL }, () => `warm.${randomUUID()}`);
    await Promise.all(names.map((name) => save({ name, encrypt: true, value: 'text' })));
    const items = await Promise.all(names.map((name) => stored(`setting#${name}`, 'current')));
    return new Set(items.map(({ value }) => String(value).split(':')[2] ?? ''));
  }

  it('all use a new AES key within the staleness, and read what any of them encrypted', async () => {
    const firstKey = await save({ name: AES_SECRET, value: `first passphrase ${randomUUID()}` });
    expect(firstKey.status).toBeLessThan(300);
    await sleep(STALENESS_MS);
    const before = await keysInUse();
    const name = `warm.${randomUUID()}`;
    await save({ name, encrypt: true, value: 'kept over the rotation' });

    await save({ name: AES_SECRET, value: `second passphrase ${randomUUID()}` });
    await sleep(STALENESS_MS);
    const after = await keysInUse();

    const starts = (await functionLog('settings')).filter((line) =>
      line.includes('"message":"start"'),
    );
    expect(starts.length).toBeGreaterThanOrEqual(3);
    expect([before.size, after.size]).toEqual([1, 1]);
    expect([...after]).not.toEqual([...before]);
    const revealed = await Promise.all(
      Array.from({ length: PARALLEL }, () =>
        api.get(`${SETTING}/${name}`, { query: { reveal: true } }),
      ),
    );
    expect(new Set(revealed.map(({ body }) => body.value))).toEqual(
      new Set(['kept over the rotation']),
    );
  });
});
