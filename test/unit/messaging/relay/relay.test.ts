import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import {
  createMessagingModule,
  createRelayModule,
} from '../../../../functions/messaging/module.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';
import { anEnvelope, aShop } from '../a-shop.ts';
import { dueRows, runUntilSettled, statuses } from './due-rows.ts';

describe('the relay', () => {
  it('sends what is due, in requests of ten, and marks it', async () => {
    const shop = aShop({ mq: { shards: 1 } });
    await dueRows(shop, 25);

    const report = await shop.relay.runTask('relay');

    expect(report).toMatchObject({ sent: 25, retried: 0, dead: 0 });
    expect(statuses(shop.rows())).toEqual({ SENT: 25 });
    expect([...shop.context.bus.requests].sort((a, b) => b - a)).toEqual([10, 10, 5]);
    expect(shop.context.bus.events[0]?.envelope.traceid).toBe('trace-1');
  });

  it('takes two table requests for each row', async () => {
    const shop = aShop({ mq: { shards: 1 } });
    await dueRows(shop, 50);

    const { requests } = await shop.context.db.meter.costOf(() => shop.relay.runTask('relay'));

    expect(requests.filter((request) => request === 'UpdateItem 1').length).toBeLessThanOrEqual(
      104,
    );
  });

  it('reads a row back when it claims it, and never when it marks it', async () => {
    const shop = aShop();
    await dueRows(shop, 3);
    const returned: unknown[] = [];
    shop.context.db.before('UpdateItem', ({ input }) => {
      const key = (input.Key as { sk: { S: string } }).sk.S;
      if (key === 'message') returned.push(input.ReturnValues);
    });

    await shop.relay.runTask('relay');

    expect(returned.sort()).toEqual(['ALL_NEW', 'ALL_NEW', 'ALL_NEW', 'NONE', 'NONE', 'NONE']);
  });

  it('leaves alone what is not due yet', async () => {
    const shop = aShop();
    shop.context.bus.mode = 'refusing';
    await shop.context.events.publish('order.placed', null, {});
    shop.context.bus.mode = 'up';

    await shop.relay.runTask('relay');
    const early = shop.context.bus.events.length;
    shop.context.clock.advance(31_001);
    await shop.relay.runTask('relay');

    expect(early).toBe(0);
    expect(shop.context.bus.events).toHaveLength(1);
  });

  it('does not send a row twice that the index still shows as due', async () => {
    const shop = aShop();
    await dueRows(shop, 5);
    shop.context.db.lag();

    await shop.relay.runTask('relay');
    await shop.relay.runTask('relay');

    expect(shop.context.bus.events).toHaveLength(5);
  });

  it('goes on with a row whose claim has run out', async () => {
    const shop = aShop();
    const [id = ''] = await dueRows(shop, 1);
    await shop.context.messaging.outbox.claim(id);

    await shop.relay.runTask('relay');
    const meanwhile = shop.context.bus.events.length;
    shop.context.clock.advance(15_001);
    await shop.relay.runTask('relay');

    expect(meanwhile).toBe(0);
    expect(shop.row(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  });

  it('does not work on a shard whose lease another holds, until that has run out', async () => {
    const shop = aShop({ mq: { shards: 1 } });
    await dueRows(shop, 3);
    const shard = 0;
    const now = shop.context.clock.now();
    await shop.context.unitOfWork(async (unit) =>
      unit.put({
        pk: `LOCK#messaging#relay#${shard}`,
        sk: 'LOCK',
        type: 'LOCK',
        owner: 'another',
        expiresAt: now + 30_000,
      }),
    );

    await shop.relay.runTask('relay');
    const meanwhile = shop.context.bus.events.length;
    shop.context.clock.advance(30_001);
    await shop.relay.runTask('relay');

    expect(meanwhile).toBe(0);
    expect(shop.context.bus.events).toHaveLength(3);
  });

  it('makes a message dead after its first send and three more, and sends the others', async () => {
    const shop = aShop();
    const [poison = ''] = await dueRows(shop, 1, { topic: 'poison' });
    await dueRows(shop, 20);
    let sends = 0;
    shop.context.bus.refusal = (topic) => {
      if (topic !== 'poison') return undefined;
      sends += 1;
      return 'InternalFailure';
    };

    await runUntilSettled(shop);

    expect(statuses(shop.rows())).toEqual({ DEAD: 1, SENT: 20 });
    expect(shop.row(poison)).toMatchObject({
      attempts: 4,
      lastError: { code: 'InternalFailure' },
      gsi1pk: 'message#dead',
      summary: { source: 'outbox', topic: 'poison', status: 'DEAD', attempts: 4 },
    });
    expect(sends).toBe(4);
  });

  it('does not count a throttled send', async () => {
    const shop = aShop();
    await dueRows(shop, 4);
    shop.context.bus.mode = 'refusing';

    for (let i = 0; i < 10; i += 1) {
      await shop.relay.runTask('relay');
      shop.context.clock.advance(1_500);
    }
    const throttled = statuses(shop.rows());
    shop.context.bus.mode = 'up';
    await runUntilSettled(shop);

    expect(throttled).toEqual({ RETRY: 4 });
    expect(statuses(shop.rows())).toEqual({ SENT: 4 });
  });

  it('loses nothing when the bus cannot be reached or answers with too few entries', async () => {
    const shop = aShop({ mq: { relay: { enabled: true, 'max-retries': 20 } } });
    await dueRows(shop, 12);
    shop.context.bus.mode = 'down';
    await shop.relay.runTask('relay');
    shop.context.bus.mode = 'up';
    const send = shop.context.bus.client.send.bind(shop.context.bus.client);
    let cut = true;
    shop.context.bus.client.send = (async (command: Parameters<typeof send>[0]) => {
      const answer = (await send(command)) as { Entries?: unknown[] };
      if (cut) answer.Entries = answer.Entries?.slice(0, 1);
      cut = false;
      return answer;
    }) as typeof send;

    await runUntilSettled(shop);

    expect(statuses(shop.rows())).toEqual({ SENT: 12 });
    const ids = shop.context.bus.events.map(({ envelope }) => envelope.id);
    expect(new Set(ids).size).toBe(12);
  });

  it('sends a message again under the same messageId when its mark was lost', async () => {
    const shop = aShop();
    const [id = ''] = await dueRows(shop, 1);
    shop.context.db.failNext('network', { operation: 'UpdateItem', after: 2, times: 1 });

    await shop.relay.runTask('relay').catch(() => undefined);
    shop.context.clock.advance(31_000);
    await runUntilSettled(shop);

    expect(shop.row(id)).toMatchObject({ status: 'SENT' });
    expect(new Set(shop.context.bus.events.map(({ envelope }) => envelope.id))).toEqual(
      new Set([id]),
    );
  });

  it('takes batches as large as configured', async () => {
    const shop = aShop({ mq: { shards: 1, relay: { enabled: true, 'batch-size': 3 } } });
    await dueRows(shop, 7);

    await shop.relay.runTask('relay');

    expect(shop.context.bus.requests).toEqual([3, 3, 1]);
  });

  it('waits with FIXED_DELAY until its delay has passed since it finished', async () => {
    const trigger = { 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '10s' };
    const shop = aShop({ mq: { relay: { enabled: true, 'schedule-trigger': trigger } } });
    await shop.relay.runTask('relay');
    await dueRows(shop, 1);
    shop.context.clock.advance(9_000);
    await shop.relay.runTask('relay');
    const early = shop.context.bus.events.length;
    shop.context.clock.advance(1_000);
    await shop.relay.runTask('relay');

    expect(early).toBe(0);
    expect(shop.context.bus.events).toHaveLength(1);
  });

  it('refuses to touch messages of a newer layout', async () => {
    const shop = aShop({ mq: { 'schema-update-enabled': true } });
    await shop.relay.runTask('relay');
    const marked = shop.context.db.items().find(({ pk }) => pk === 'message#layout');
    await shop.context.unitOfWork(async (unit) =>
      unit.put({ pk: 'message#layout', sk: 'layout', type: 'message', layout: 99 }),
    );
    const besides = aContext({
      module: 'messaging-relay',
      svc: {
        mq: { 'app-code': 'shop', relay: { enabled: true }, 'schema-update-enabled': true },
      },
      besides: shop.context,
    });
    await dueRows(shop, 1);

    expect(marked).toMatchObject({ layout: 1 });
    await expect(connect(createRelayModule, besides).runTask('relay')).rejects.toThrow('layout 99');
    await expect(
      connect(createMessagingModule, besides).call({ method: 'GET', path: '/broker/dead-letter' }),
    ).rejects.toThrow('layout 99');
    expect(statuses(shop.rows())).toEqual({ PENDING: 1 });
  });

  it('checks the layout again when the table did not answer', async () => {
    const shop = aShop({ mq: { 'schema-update-enabled': true } });
    shop.context.db.failNext('network');
    const first = shop.relay.runTask('relay');
    await expect(first).rejects.toThrow();

    await dueRows(shop, 1);
    await shop.relay.runTask('relay');

    expect(statuses(shop.rows())).toEqual({ SENT: 1 });
  });

  it('tells at the end of a run what waits, since when, and what is dead', async () => {
    const shop = aShop({ mq: { relay: { enabled: true, 'max-retries': 1 } } });
    shop.context.bus.refusal = (topic) =>
      topic === 'order.placed' ? undefined : 'InternalFailure';
    await dueRows(shop, 2, { topic: 'poison' });
    await shop.relay.runTask('relay');
    shop.context.clock.advance(5_000);
    await dueRows(shop, 3, { topic: 'sick' });
    await dueRows(shop, 4);
    await shop.relay.runTask('relay');

    // The rows are half a minute old when they are written.
    expect(shop.context.metrics.states).toEqual([
      { pending: 2, oldestAgeMs: 30_000, dead: 0 },
      { pending: 3, oldestAgeMs: 30_000, dead: 2 },
    ]);
    expect(shop.context.metrics.counts).toEqual({ Sent: 4, SendFailed: 7 });
  });
});

describe('the stream', () => {
  it('has the relay send a new message at once, and fails for nothing', async () => {
    const shop = aShop();
    await shop.context.events.asyncPublish('order.placed', { total: 42 });
    const [row] = shop.rows();
    const record = {
      eventSource: 'aws:dynamodb',
      eventName: 'INSERT',
      dynamodb: {
        NewImage: {
          pk: { S: row?.pk },
          sk: { S: row?.sk },
          gsi1sk: { S: row?.gsi1sk },
          summary: { M: { createdAt: { S: row?.createdAt } } },
        },
      },
    } as DynamoDBRecord;
    const { onStream } = createRelayModule(shop.context);

    await onStream?.([record, { eventName: 'REMOVE', dynamodb: {} } as DynamoDBRecord]);
    shop.context.db.failNext('network');
    await onStream?.([record]);

    expect(shop.rows()).toMatchObject([{ status: 'SENT', attempts: 1 }]);
    expect(shop.context.bus.events).toHaveLength(1);
  });
});

describe('the ticker', () => {
  it('sends one delayed message for each run of the running minute, one for all that are past', async () => {
    const trigger = { 'trigger-type': 'FIXED_RATE', 'fixed-rate': '15s' };
    const shop = aShop({
      mq: { relay: { enabled: true, 'schedule-trigger': trigger } },
      topology: { tickQueue: 'svc-relay-ticks' },
    });
    const delays = () => {
      const sent = shop.context.queues.messages.splice(0);
      expect(new Set(sent.map(({ queue }) => queue))).toEqual(new Set(['svc-relay-ticks']));
      return sent.map(({ delaySeconds }) => delaySeconds);
    };
    shop.context.clock.advance(2_000);
    await shop.relay.runTask('relay.ticks');
    const inTime = delays();
    shop.context.clock.advance(95_000);
    await shop.relay.runTask('relay.ticks');
    const late = delays();

    expect(inTime).toEqual([0, 13, 28, 43]);
    expect(late).toEqual([0, 8]);
  });
});

describe('the drain of a dead-letter queue', () => {
  const record = (body: string, redrives = 3): SQSRecord =>
    ({
      messageId: 'queue-1',
      body,
      messageAttributes: {
        svcRedrives: { dataType: 'Number', stringValue: String(redrives) },
      } as SQSRecord['messageAttributes'],
      eventSourceARN: 'arn:aws:sqs:eu-west-1:1:svc--billing-dead',
      attributes: { ApproximateReceiveCount: '6' },
    }) as SQSRecord;

  it('lists what it holds as dead letters of the group', async () => {
    const shop = aShop();
    const { onQueue } = createRelayModule(shop.context);

    const answer = await onQueue?.([
      record(JSON.stringify(anEnvelope({ id: 'm-1' }))),
      record('not json'),
    ]);

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(shop.tracking('billing', 'm-1')).toMatchObject({
      status: 'DEAD',
      queue: 'svc--billing',
      lastError: { code: 'MQ_QUEUE_GAVE_UP' },
    });
    expect(shop.tracking('billing', 'queue-1')).toMatchObject({
      status: 'DEAD',
      topic: 'unknown',
      envelope: 'not json',
      lastError: { code: 'MQ_NOT_A_MESSAGE' },
    });
  });

  it('puts a message back on its queue whose group has attempts left, three times at most', async () => {
    const shop = aShop();
    const { onQueue } = createRelayModule(shop.context);
    const body = JSON.stringify(anEnvelope({ id: 'm-1' }));

    await onQueue?.([record(body, 2)]);

    expect(shop.tracking('billing', 'm-1')).toBeUndefined();
    expect(shop.context.queues.messages).toMatchObject([
      { queue: 'svc--billing', body, attributes: { svcRedrives: { StringValue: '3' } } },
    ]);
  });

  it('drops what has been processed, and keeps what is being processed', async () => {
    const shop = aShop();
    const { onQueue } = createRelayModule(shop.context);
    const { tracking } = shop.context.messaging;
    const delivery = {
      ...{ group: 'billing', topic: 'order.placed', key: null },
      source: '/svc/shop',
    };
    const until = shop.context.clock.now() + 10_000;
    const done = await tracking.claim({ ...delivery, messageId: 'done' }, until);
    if (done.kind !== 'claimed') throw new Error('not claimed');
    await shop.context.unitOfWork(async (unit) =>
      tracking.stageProcessed(unit, done.claim, () => new Error('lost')),
    );
    await tracking.claim({ ...delivery, messageId: 'busy' }, until);

    const processed = await onQueue?.([record(JSON.stringify(anEnvelope({ id: 'done' })))]);
    const busy = await onQueue?.([record(JSON.stringify(anEnvelope({ id: 'busy' })))]);

    expect(processed).toEqual({ batchItemFailures: [] });
    expect(busy).toEqual({ batchItemFailures: [{ itemIdentifier: 'queue-1' }] });
    expect(shop.tracking('billing', 'done')).toMatchObject({ status: 'PROCESSED' });
  });
});
