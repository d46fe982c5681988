import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { memoryDynamoDb } from '../../helpers/memory-dynamodb/memory-dynamodb.ts';

const TableName = 'svc-cloud';
const Key = { pk: 'p', sk: 'a' };
const put = (more: object = {}) => new PutCommand({ TableName, Item: { ...Key, ...more } });
const get = (ConsistentRead = true) => new GetCommand({ TableName, Key, ConsistentRead });
const transaction = (ClientRequestToken?: string) =>
  new TransactWriteCommand({
    TransactItems: [
      { Put: { TableName, Item: { ...Key, n: 1 } } },
      { Put: { TableName, Item: { ...Key, sk: 'b' } } },
    ],
    ClientRequestToken,
  });

describe('faults of the memory table', () => {
  it('cancels a transaction by a conflict', async () => {
    const { client, failNext, items } = memoryDynamoDb();
    failNext('conflict');

    const error = await client.send(transaction()).catch((cause: unknown) => cause);

    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error).toMatchObject({
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    });
    expect(items()).toEqual([]);
  });

  it.each([
    ['conflict', { name: 'TransactionConflictException' }],
    ['throttling', { name: 'ProvisionedThroughputExceededException' }],
    ['internal', { name: 'InternalServerError', $fault: 'server' }],
    ['network', { code: 'ECONNREFUSED' }],
  ] as const)('fails one put by %s and then works', async (fault, error) => {
    const { client, failNext, items } = memoryDynamoDb();
    failNext(fault, { operation: 'PutItem' });

    const first = client.send(put());

    await expect(first).rejects.toMatchObject(error);
    await client.send(put());
    expect(items()).toEqual([Key]);
  });

  it('does the work when only the answer is lost, and once for each token', async () => {
    const { client, failNext, items, meter } = memoryDynamoDb({ maxAttempts: 3 });
    failNext('answer-lost');

    await client.send(transaction('token'));

    expect(items()).toHaveLength(2);
    expect(meter.total().requests).toEqual(['TransactWriteItems 2', 'TransactWriteItems 2']);
  });

  it('fails as often as asked, after as many as asked', async () => {
    const { client, failNext } = memoryDynamoDb();
    failNext('network', { times: 2, after: 1 });

    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => client.send(get())));

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
  });

  it('fails by chance, the same requests for the same seed, and never a read by a conflict', async () => {
    const outcomesOf = async (seed: number) => {
      const { client, failAtRandom, stopFailing } = memoryDynamoDb();
      failAtRandom({ share: 0.3, seed });
      const codes: string[] = [];
      for (let i = 0; i < 100; i += 1) {
        const request = i % 2 === 0 ? client.send(get()) : client.send(put({ n: i }));
        await request.then(
          () => codes.push('ok'),
          ({ name }: Error) => codes.push(`${i % 2 === 0 ? 'read' : 'write'} ${name}`),
        );
      }
      stopFailing();
      await client.send(get());
      return codes;
    };

    const [one, again, other] = [await outcomesOf(1), await outcomesOf(1), await outcomesOf(2)];

    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    expect(new Set(one)).toEqual(
      new Set([
        'ok',
        'read ProvisionedThroughputExceededException',
        'write ProvisionedThroughputExceededException',
        'write TransactionConflictException',
      ]),
    );
  });

  it('forgets failures', async () => {
    const { client, failNext, stopFailing } = memoryDynamoDb();
    failNext('network', { times: Number.POSITIVE_INFINITY });

    stopFailing();

    await expect(client.send(get())).resolves.toBeDefined();
  });
});

describe('reads of the memory table', () => {
  it('lag behind when they are eventually consistent', async () => {
    const { client, lag, catchUp } = memoryDynamoDb();
    await client.send(put({ n: 1, gsi1pk: 'g', gsi1sk: '1' }));
    lag();
    await client.send(put({ n: 2, gsi1pk: 'g', gsi1sk: '2' }));
    const index = new QueryCommand({
      TableName,
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :v',
      ExpressionAttributeValues: { ':v': 'g' },
    });

    const [strong, weak, entries] = [
      await client.send(get()),
      await client.send(get(false)),
      await client.send(index),
    ];

    expect([strong.Item?.n, weak.Item?.n, entries.Items?.[0]?.gsi1sk]).toEqual([2, 1, '1']);
    catchUp();
    expect((await client.send(get(false))).Item?.n).toBe(2);
  });

  it('lag behind by some writes', async () => {
    const { client, lagBehind, catchUp } = memoryDynamoDb();
    await client.send(put({ n: 1 }));
    lagBehind(2);
    const seen: unknown[] = [];
    for (const n of [2, 3, 4, 5]) {
      await client.send(put({ n }));
      seen.push((await client.send(get(false))).Item?.n);
    }
    catchUp();

    expect(seen).toEqual([1, 1, 2, 3]);
    expect((await client.send(get(false))).Item?.n).toBe(5);
  });

  it('refuses what the platform never does', async () => {
    const { client } = memoryDynamoDb();

    await expect(client.send(new ScanCommand({ TableName }))).rejects.toThrow('no Scan');
  });
});

describe('the meter of the memory table', () => {
  it('counts requests and units', async () => {
    const { client, meter } = memoryDynamoDb();

    const cost = await meter.costOf(async () => {
      await client.send(get());
      await client.send(get(false));
      await client.send(transaction());
    });

    expect(cost).toEqual({
      requests: ['GetItem', 'GetItem', 'TransactWriteItems 2'],
      readUnits: 1.5,
      writeUnits: 4,
    });
  });

  it('charges a condition that fails', async () => {
    const { client, meter } = memoryDynamoDb();
    const refused = new PutCommand({
      TableName,
      Item: Key,
      ConditionExpression: 'attribute_exists(pk)',
    });

    const cost = await meter.costOf(() => client.send(refused).catch(() => undefined));

    expect(cost).toEqual({ requests: ['PutItem 1'], readUnits: 0, writeUnits: 1 });
  });

  it('starts again after a reset', async () => {
    const { client, meter } = memoryDynamoDb();
    await client.send(get());

    meter.reset();

    expect(meter.total()).toEqual({ requests: [], readUnits: 0, writeUnits: 0 });
  });
});

describe('hooks of the memory table', () => {
  it('run before a request, until they are taken off', async () => {
    const { client, before } = memoryDynamoDb();
    const seen: string[] = [];
    const takeOff = before('GetItem', ({ operation }) => void seen.push(operation));

    await client.send(get());
    takeOff();
    await client.send(get());

    expect(seen).toEqual(['GetItem']);
  });
});
