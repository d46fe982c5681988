import { setTimeout as sleep } from 'node:timers/promises';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { runInContext } from '../../../shared/primitives/request-context.ts';
import { aContext, connect } from '../../helpers/world/a-context.ts';
import { aShop, type ShopOptions } from './a-shop.ts';
import { runUntilSettled, statuses } from './relay/due-rows.ts';

const order = { pk: 'HOST#order#A-1', sk: 'order', type: 'order' };
const ordered = {
  orderedTopics: { 'stock.moved': { queues: ['svc--stock.fifo'], onDead: 'block' as const } },
};
const proxied = { 'broker-template-proxy-enabled': true };

/** A shop that waits for an answer of the broker for a moment only. */
const anImpatientShop = (options: ShopOptions = {}) => aShop({ ...options, sendingMs: 40 });

describe('a broker that hangs', () => {
  it('does not fail the committed unit, which leaves its messages to the relay', async () => {
    const shop = anImpatientShop();
    shop.context.bus.mode = 'hanging';

    await shop.context.unitOfWork(async (unit) => {
      unit.put(order);
      for (let i = 0; i < 23; i += 1)
        await shop.context.events.publish('order.placed', null, { i });
    });
    const stored = shop.context.db.items().filter(({ type }) => type === 'order');
    const waiting = shop.rows().map(({ status, attempts, lastError }) => ({
      ...{ status, attempts, code: lastError?.code },
    }));
    shop.context.bus.mode = 'up';
    shop.context.clock.advance(20_000);
    await runUntilSettled(shop);

    expect(stored).toEqual([order]);
    expect(waiting).toEqual(
      new Array(23).fill({ status: 'RETRY', attempts: 1, code: 'MQ_SEND_TIMED_OUT' }),
    );
    expect(statuses(shop.rows())).toEqual({ SENT: 23 });
  });

  it('costs an invocation one wait, whatever the number of its units', async () => {
    const shop = anImpatientShop();
    shop.context.bus.mode = 'hanging';
    const deadline = shop.context.clock.now() + 20_000;
    const publishTwice = (until: number) =>
      runInContext({ traceId: 't', deadline: until }, async () => {
        await shop.context.events.publish('order.placed', null, {});
        return shop.context.events.publish('order.placed', null, {});
      });

    const { status, messageId } = await publishTwice(deadline);
    const first = shop.context.bus.hung;
    await publishTwice(deadline + 1);

    expect(status).toBe('PENDING');
    expect(shop.row(messageId)).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(first).toBe(1);
    expect(shop.context.bus.hung).toBe(2);
  });

  it('is asked again by a long invocation after a while', async () => {
    const shop = anImpatientShop();
    shop.context.bus.mode = 'hanging';
    await shop.context.events.publish('order.placed', null, {});
    shop.context.bus.mode = 'up';
    const early = await shop.context.events.publish('order.placed', null, {});
    shop.context.clock.advance(30_000);

    const late = await shop.context.events.publish('order.placed', null, {});

    expect(early.status).toBe('PENDING');
    expect(late.status).toBe('SENT');
  });

  it('is not asked at all when the invocation is about to end', async () => {
    const shop = aShop();
    shop.context.bus.mode = 'hanging';
    const deadline = shop.context.clock.now() + 400;

    const { status } = await runInContext({ traceId: 't', deadline }, () =>
      shop.context.events.publish('order.placed', null, {}),
    );

    expect(status).toBe('PENDING');
    expect(shop.context.bus.hung).toBe(0);
  });

  it('as a queue of an ordered topic holds up one message, and those behind it', async () => {
    const shop = anImpatientShop({ topology: ordered });
    shop.context.queues.hangs = true;

    await shop.context.unitOfWork(async () => {
      for (let i = 0; i < 3; i += 1) await shop.context.events.publish('stock.moved', 'A', { i });
    });
    const attempts = shop.rows().map((row) => row.attempts);
    shop.context.queues.hangs = false;
    shop.context.clock.advance(20_000);
    await runUntilSettled(shop);

    expect(attempts).toEqual([1, 0, 0]);
    expect(shop.context.queues.messages).toHaveLength(3);
  });
});

describe('a broker that refuses a request', () => {
  it('is asked for each entry by itself: none is refused for its neighbour', async () => {
    const shop = aShop();
    shop.context.bus.denial = (topic) => (topic === 'odd' ? 'ValidationException' : undefined);

    await shop.context.unitOfWork(async () => {
      for (const topic of ['a', 'b', 'odd', 'c', 'd', 'e']) {
        await shop.context.events.publish(topic, null, {});
      }
    });

    expect(shop.rows().map(({ topic, status }) => `${topic} ${status}`)).toEqual([
      ...['a SENT', 'b SENT', 'odd RETRY', 'c SENT', 'd SENT', 'e SENT'],
    ]);
  });

  it('does not meet entries of broker clients together with messages of the platform', async () => {
    const shop = aShop({ mq: { ...proxied, relay: { enabled: true, 'max-retries': 0 } } });
    const { eventBridge } = await shop.context.messaging.tools().brokerClients();
    shop.context.bus.denial = (topic) => (topic === 'theirs' ? 'AccessDeniedException' : undefined);

    await shop.context.unitOfWork(async () => {
      for (let i = 0; i < 5; i += 1) await shop.context.events.publish('ours', null, { i });
      const event = { Source: 'erp', Detail: '{}', EventBusName: 'foreign' };
      await eventBridge.send(
        new PutEventsCommand({
          Entries: [
            { ...event, DetailType: 'theirs' },
            { ...event, DetailType: 'allowed' },
          ],
        }),
      );
    });

    expect(statuses(shop.rows().filter(({ topic }) => topic === 'ours'))).toEqual({ SENT: 5 });
    expect(shop.rows().find(({ topic }) => topic === 'allowed')).toMatchObject({ status: 'SENT' });
    expect(shop.rows().find(({ topic }) => topic === 'theirs')).toMatchObject({
      status: 'DEAD',
      lastError: { code: 'AccessDeniedException' },
    });
    expect(shop.context.bus.requests.sort()).toEqual([1, 5]);
  });
});

describe('a mark that fails', () => {
  it('changes neither the result nor the marks of other messages', async () => {
    const shop = aShop();
    shop.context.db.failNext('network', { operation: 'UpdateItem' });

    await shop.context.unitOfWork(async () => {
      for (let i = 0; i < 3; i += 1) await shop.context.events.publish('order.placed', null, { i });
    });
    shop.context.db.failNext('network', { operation: 'UpdateItem' });
    const { status } = await shop.context.events.publish('order.placed', null, {});

    expect(status).toBe('SENT');
    expect(statuses(shop.rows())).toEqual({ SENT: 2, PENDING: 2 });
    expect(shop.context.bus.events).toHaveLength(4);
  });
});

describe('a publish at the end of a unit', () => {
  it('from a late beforeCommit hook is stored like any other', async () => {
    const shop = aShop({ topology: ordered });
    const { events, unitOfWork } = shop.context;

    await unitOfWork(async (unit) => {
      unit.beforeCommit(async () => {
        unit.beforeCommit(async () => {
          await events.publish('stock.moved', 'A', 2);
        });
        await events.publish('order.placed', null, 'from the hook');
      });
      await events.publish('stock.moved', 'A', 1);
      await events.publish('order.placed', null, 'from the work');
    });

    expect(statuses(shop.rows())).toEqual({ SENT: 4 });
    expect(shop.context.bus.events.map(({ envelope }) => envelope.data)).toEqual([
      'from the work',
      'from the hook',
    ]);
    expect(
      shop.context.queues.messages.map(
        ({ body }) => (JSON.parse(body) as MessageEnvelope).sequence,
      ),
    ).toEqual(['1', '2']);
  });

  it('is stored when it was called in the unit, awaited or not', async () => {
    const shop = aShop();
    const { events, unitOfWork } = shop.context;
    const started: Promise<unknown>[] = [];

    await unitOfWork(async (unit) => {
      unit.put(order);
      started.push(events.publish('order.placed', null, {}));
    });

    await Promise.all(started);
    expect(statuses(shop.rows())).toEqual({ SENT: 1 });
  });

  it.each([
    ['committed', undefined],
    ['failed', new Error('no stock')],
  ])('is refused after the unit has %s', async (_end, failure) => {
    const shop = aShop();
    const { events, unitOfWork } = shop.context;
    let late: Promise<unknown> = Promise.resolve();
    let lateWrite: Promise<unknown> = Promise.resolve();

    await unitOfWork(async (unit) => {
      await events.publish('order.placed', null, {});
      late = sleep(20).then(() => events.publish('order.paid', null, {}));
      lateWrite = sleep(20).then(() => unitOfWork(async (joined) => joined.put(order)));
      for (const each of [late, lateWrite]) each.catch(() => undefined);
      unit.put({ ...order, sk: 'other' });
      if (failure) throw failure;
    }).catch(() => undefined);

    await expect(late).rejects.toMatchObject({ code: 'UNIT_ENDED' });
    await expect(lateWrite).rejects.toMatchObject({ code: 'UNIT_ENDED' });
    expect(shop.rows().filter(({ topic }) => topic === 'order.paid')).toEqual([]);
  });

  it('is refused on the transport spring too', async () => {
    const context = aContext({ module: 'orders' });
    let late: Promise<unknown> = Promise.resolve();

    await context.unitOfWork(async () => {
      late = sleep(5).then(() => context.events.publish('order.paid', null, {}));
      late.catch(() => undefined);
    });

    await expect(late).rejects.toMatchObject({ code: 'UNIT_ENDED' });
  });
});

describe('a publish outside of a unit that is not awaited', () => {
  it('is stored before the invocation ends', async () => {
    const context = aContext({ module: 'orders', svc: { mq: { transport: 'broker' } } });
    context.db.before('PutItem', () => sleep(30));
    const started: Promise<unknown>[] = [];
    const connected = connect(
      () => ({
        routes: [],
        tasks: {
          run: async () => void started.push(context.events.publish('order.placed', null, {})),
        },
      }),
      context,
    );

    await connected.runTask('run');

    expect(context.db.items()).toMatchObject([{ type: 'message', status: 'SENT' }]);
    await Promise.all(started);
  });
});

describe('proxied sends to a FIFO queue', () => {
  const QueueUrl = 'http://q/1/orders.fifo';
  const aSend = (body: string, group = 'A') =>
    new SendMessageCommand({
      QueueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: body,
    });
  const bodiesOf = (shop: ReturnType<typeof aShop>, group = 'A') =>
    shop.context.queues.messages.filter(({ groupId }) => groupId === group).map(({ body }) => body);

  it('arrive in the order of their calls, however long each takes', async () => {
    const shop = aShop({ mq: proxied });
    const { sqs } = await shop.context.messaging.tools().brokerClients();
    shop.context.queues.takes = ({ body }) => (body === 'one' ? 30 : 0);

    await shop.context.unitOfWork(async () => {
      await sqs.send(aSend('one'));
      await sqs.send(aSend('other', 'B'));
      const Entries = ['two', 'three'].map((body) => ({
        ...{ Id: body, MessageBody: body, MessageGroupId: 'A', MessageDeduplicationId: body },
      }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    });

    expect(bodiesOf(shop)).toEqual(['one', 'two', 'three']);
    expect(bodiesOf(shop, 'B')).toEqual(['other']);
    expect(statuses(shop.rows())).toEqual({ SENT: 4 });
  });

  it('wait for one of their group that failed, until the relay has sent it', async () => {
    const shop = aShop({ mq: proxied });
    const { sqs } = await shop.context.messaging.tools().brokerClients();
    let refusals = 1;
    shop.context.queues.refusal = ({ body }) => {
      if (body !== 'two' || refusals === 0) return undefined;
      refusals -= 1;
      return new Error('no connection');
    };
    await shop.context.unitOfWork(async () => {
      for (const body of ['one', 'two', 'three']) await sqs.send(aSend(body));
    });
    await sqs.send(aSend('four'));
    const before = bodiesOf(shop);

    shop.context.clock.advance(20_000);
    await runUntilSettled(shop);

    expect(before).toEqual(['one']);
    expect(bodiesOf(shop)).toEqual(['one', 'two', 'three', 'four']);
    expect(shop.rows().map(({ key, sequence }) => `${key} ${sequence}`)).toEqual([
      ...['A 1', 'A 2', 'A 3', 'A 4'],
    ]);
  });
});
