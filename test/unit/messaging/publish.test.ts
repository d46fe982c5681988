import { describe, expect, it } from 'vitest';
import { queueName } from '../../../shared/messaging/wire/topology.ts';
import { runInContext } from '../../../shared/primitives/request-context.ts';
import { anEnvelope, aShop } from './a-shop.ts';

const order = { pk: 'HOST#order#A-1', sk: 'order', type: 'order' };

/** Largest event of a bus and largest message of a queue, all of it. */
const MAX_MESSAGE_BYTES = 262_144;

/** What a queue gets of an event. @see EventBridge, "AWS service event metadata" */
const busEvent = (type: string, source: string, detail: object) => ({
  version: '0',
  id: '17793124-05d4-b198-2fde-7ededc63b103',
  'detail-type': type,
  source,
  account: '123456789012',
  time: '2026-03-01T09:00:00Z',
  region: 'ap-southeast-2',
  resources: [],
  detail,
});

describe('publish', () => {
  it('writes the message in the transaction of the unit, sends it after the commit and marks it', async () => {
    const { context, row } = aShop();
    let eventsBeforeCommit = -1;

    const { messageId, status } = await context.unitOfWork(async (unit) => {
      unit.put(order);
      const result = await context.events.publish(
        'order.placed',
        'A-1',
        { total: 42 },
        { by: 'mai' },
      );
      eventsBeforeCommit = context.bus.events.length;
      return result;
    });

    expect(status).toBe('PENDING');
    expect(eventsBeforeCommit).toBe(0);
    expect(row(messageId)).toMatchObject({ status: 'SENT', attempts: 1, kind: 'sync' });
    expect(row(messageId)).not.toHaveProperty('gsi1pk');
    expect(context.bus.events).toMatchObject([
      {
        bus: 'svc-cloud-bus',
        source: 'svc.shop',
        type: 'order.placed',
        envelope: {
          specversion: '1.0',
          id: messageId,
          source: '/svc/shop',
          type: 'order.placed',
          subject: 'A-1',
          svcheaders: { by: 'mai' },
          data: { total: 42 },
        },
      },
    ]);
  });

  it('is one put and one mark outside of a unit: four write units for a small message', async () => {
    const { context } = aShop();

    const cost = await context.db.meter.costOf(() =>
      context.events.publish('order.placed', null, 1),
    );

    expect(cost).toEqual({
      requests: ['PutItem 1', 'UpdateItem 1'],
      readUnits: 0,
      writeUnits: 4,
    });
  });

  it('adds three write units to the transaction of a unit, and two for the mark', async () => {
    const { context } = aShop();

    const cost = await context.db.meter.costOf(() =>
      context.unitOfWork(async (unit) => {
        unit.put({ pk: 'p', sk: 'order', type: 'order' });
        await context.events.publish('order.placed', null, 1);
      }),
    );

    expect(cost).toEqual({
      requests: ['TransactWriteItems 2', 'UpdateItem 1'],
      readUnits: 0,
      writeUnits: 2 + 5,
    });
  });

  it('outside of a unit is a unit of its own and tells whether the bus has it', async () => {
    const { context, row } = aShop();

    const sent = await context.events.publish('order.placed', 'A-1', {});
    context.bus.mode = 'down';
    const pending = await context.events.publish('order.placed', 'A-1', {});

    expect(sent.status).toBe('SENT');
    expect(pending.status).toBe('PENDING');
    expect(row(pending.messageId)).toMatchObject({ status: 'RETRY', attempts: 1 });
  });

  it('publishes nothing when the unit fails', async () => {
    const { context, rows } = aShop();

    const unit = context.unitOfWork(async () => {
      await context.events.publish('order.placed', 'A-1', {});
      throw new Error('no stock');
    });

    await expect(unit).rejects.toThrow('no stock');
    expect(rows()).toEqual([]);
    expect(context.bus.events).toEqual([]);
  });

  it('publishes once when the unit is run again after a conflict', async () => {
    const { context, rows } = aShop();
    context.db.failNext('conflict', { operation: 'TransactWriteItems' });

    await context.unitOfWork(async (unit) => {
      unit.put(order);
      await context.events.publish('order.placed', 'A-1', {});
    });

    expect(rows()).toHaveLength(1);
    expect(context.bus.events).toHaveLength(1);
  });

  it('leaves the row to its publisher until the invocation has ended', async () => {
    const { context, row } = aShop();
    context.bus.mode = 'refusing';
    const now = context.clock.now();

    const short = await context.events.publish('a', null, {});
    const long = await runInContext({ traceId: 't', deadline: now + 60_000 }, () =>
      context.events.publish('a', null, {}),
    );

    expect(row(short.messageId)?.gsi1sk).toMatch(String(now + 15_000));
    expect(row(long.messageId)?.gsi1sk).toMatch(String(now + 61_000));
  });

  it('puts up to ten messages of a unit into one request', async () => {
    const { context } = aShop();

    await context.unitOfWork(async () => {
      for (let i = 0; i < 23; i += 1) await context.events.publish('order.placed', `A-${i}`, { i });
    });

    expect(context.bus.requests.sort((a, b) => b - a)).toEqual([10, 10, 3]);
  });

  it('fills a request no further than the bus accepts', async () => {
    const { context, rows } = aShop();
    const text = 'x'.repeat(100_000);

    await context.unitOfWork(async () => {
      for (let i = 0; i < 5; i += 1) await context.events.publish('order.placed', null, { text });
    });

    expect(context.bus.requests.sort((a, b) => b - a)).toEqual([2, 2, 1]);
    expect(rows().every(({ status }) => status === 'SENT')).toBe(true);
  });

  it('marks those messages of a unit as sent that the bus took', async () => {
    const { context, rows } = aShop();
    context.bus.refusal = (topic) => (topic === 'poison' ? 'InternalFailure' : undefined);

    await context.unitOfWork(async () => {
      for (const topic of ['order.placed', 'poison', 'order.paid']) {
        await context.events.publish(topic, null, {});
      }
    });

    expect(rows()).toMatchObject([
      { topic: 'order.placed', status: 'SENT', attempts: 1 },
      { topic: 'poison', status: 'RETRY', attempts: 1, lastError: { code: 'InternalFailure' } },
      { topic: 'order.paid', status: 'SENT', attempts: 1 },
    ]);
  });

  it('does not count a send that the bus throttled', async () => {
    const { context, row } = aShop();
    context.bus.mode = 'refusing';

    const { messageId, status } = await context.events.publish('order.placed', null, {});

    expect(status).toBe('PENDING');
    expect(row(messageId)).toMatchObject({ status: 'PENDING', attempts: 0 });
  });

  it('takes the trace of the request along', async () => {
    const { context, rows } = aShop();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

    await runInContext({ traceId, traceparent }, () => context.events.publish('a', null, {}));

    expect(rows()).toMatchObject([{ traceId, traceparent }]);
    expect(context.bus.events[0]?.envelope).toMatchObject({ traceid: traceId, traceparent });
  });

  it('lays a body that is too large to travel into the bucket, before the commit', async () => {
    const { context, row } = aShop({ mq: { 'payload-inline-limit': 4_096 } });
    const payload = { text: 'x'.repeat(2_000_000) };

    const { messageId } = await context.events.publish('order.placed', 'A-1', payload);

    const [event] = context.bus.events;
    expect(row(messageId)?.payloadRef).toMatchObject({ size: 2_000_011 });
    expect(event?.envelope.data).toBeUndefined();
    expect(event?.envelope.dataref).toBe(`s3://svc-cloud-bucket/outbox/2026/03/${messageId}`);
    expect(event?.envelope.datasha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([false, true])(
    'leaves room for all that bus and queues add to the largest one, ordered: %s',
    async (isOrdered) => {
      const topic = '\u{8A02}'.repeat(128);
      const groups = Array.from({ length: 25 }, (_, i) => `group-${i}`.padEnd(40, 'x'));
      const queues = groups.map((group) => queueName('svc-cloud', group, { isOrdered }));
      const { context, rows } = aShop({
        mq: { 'app-code': 'a'.repeat(63), 'payload-inline-limit': MAX_MESSAGE_BYTES },
        topology: isOrdered ? { orderedTopics: { [topic]: { queues, onDead: 'block' } } } : {},
      });
      const key = '\u{9375}'.repeat(512);
      const headers = { note: '\u{6CE8}'.repeat(2_500) };
      const texts = Array.from({ length: 24 }, (_, i) => 'x'.repeat(252_000 - 200 * i));
      for (const text of texts) await context.events.publish(topic, key, { text }, headers);

      const sizes = isOrdered
        ? context.queues.messages.map(({ body }) => Buffer.byteLength(body))
        : context.bus.events.map(({ type = '', source = '', envelope }) =>
            Buffer.byteLength(JSON.stringify(busEvent(type, source, envelope))),
          );

      const inBucket = rows().filter(({ payloadRef }) => payloadRef).length;
      expect(inBucket).toBeGreaterThan(0);
      expect(inBucket).toBeLessThan(texts.length);
      expect(sizes).toHaveLength(texts.length * (isOrdered ? groups.length : 1));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    },
  );

  it('lays bodies into the bucket that are too much for one transaction together', async () => {
    const { context, rows } = aShop();
    const text = 'x'.repeat(150_000);

    await context.unitOfWork(async () => {
      for (let i = 0; i < 40; i += 1) await context.events.publish('order.placed', null, { text });
    });

    const inRows = rows().filter(({ payload }) => payload !== undefined);
    expect(rows().every(({ status }) => status === 'SENT')).toBe(true);
    expect(inRows).toHaveLength(13);
    expect(context.payloads.objects.size).toBe(27);
  });

  it('refuses more than 100 writes before any of them', async () => {
    const { context, rows } = aShop();

    const unit = context.unitOfWork(async () => {
      for (let i = 0; i < 101; i += 1) await context.events.publish('order.placed', null, { i });
    });

    await expect(unit).rejects.toMatchObject({ code: 'UNIT_TOO_LARGE', status: 422 });
    expect(rows()).toEqual([]);
    expect(context.bus.events).toEqual([]);
  });

  const circle: Record<string, unknown> = {};
  circle.self = circle;

  it.each([
    ['', null, {}, undefined, 'MQ_TOPIC_INVALID'],
    ['t'.repeat(129), null, {}, undefined, 'MQ_TOPIC_INVALID'],
    ['a', 'k'.repeat(513), {}, undefined, 'MQ_KEY_INVALID'],
    ['a', null, undefined, undefined, 'MQ_PAYLOAD_NOT_JSON'],
    ['a', null, 1n, undefined, 'MQ_PAYLOAD_NOT_JSON'],
    ['a', null, circle, undefined, 'MQ_PAYLOAD_NOT_JSON'],
    ['a', null, {}, { h: 1 as unknown as string }, 'MQ_HEADERS_INVALID'],
  ])('refuses topic "%s", key %s', async (topic, key, payload, headers, code) => {
    const { context, rows } = aShop();

    await expect(context.events.publish(topic, key, payload, headers)).rejects.toMatchObject({
      code,
    });
    expect(rows()).toEqual([]);
  });

  describe('500 units at once', () => {
    const UNITS = Array.from({ length: 500 }, (_, unit) => unit);

    it('of one topic and key meet no conflict: no two of them write the same item', async () => {
      const { context, rows } = aShop();
      context.db.holdTransactions(20);

      await Promise.all(
        UNITS.map((i) =>
          context.unitOfWork(async (unit) => {
            unit.put({ ...order, pk: `HOST#order#${i}` });
            await context.events.publish('order.placed', 'A-1', { i });
          }),
        ),
      );

      const transactions = context.db.meter.requests.filter(
        ({ operation }) => operation === 'TransactWriteItems',
      );
      expect(transactions).toHaveLength(UNITS.length);
      expect(rows().filter(({ status }) => status === 'SENT')).toHaveLength(UNITS.length);
    });

    it('would meet one if there were an item that all of them write', async () => {
      const { context } = aShop();
      context.db.holdTransactions(20);

      const units = UNITS.slice(0, 50).map((i) =>
        context.unitOfWork(async (unit) => {
          unit.update(
            { pk: 'HOST#counter', sk: 'counter' },
            { expression: 'ADD published :one', values: { ':one': 1 } },
          );
          await context.events.publish('order.placed', 'A-1', { i });
        }),
      );

      const failed = (await Promise.allSettled(units)).filter(
        ({ status }) => status === 'rejected',
      );
      expect(failed).not.toHaveLength(0);
      expect(failed).toMatchObject(failed.map(() => ({ reason: { code: 'CONCURRENT_UPDATE' } })));
    });
  });
});

describe('asyncPublish', () => {
  it('only writes the outbox, due at once', async () => {
    const { context, rows } = aShop();

    await context.events.asyncPublish('order.placed', { total: 42 });

    expect(rows()).toMatchObject([{ status: 'PENDING', kind: 'async', key: null }]);
    expect(rows()[0]?.gsi1sk).toMatch(String(context.clock.now()));
    expect(context.bus.events).toEqual([]);
  });

  it('warns once, and counts each message, when there is no relay', async () => {
    const { context } = aShop({ mq: { relay: { enabled: false } } });

    await context.events.asyncPublish('order.placed', {});
    await context.events.asyncPublish('order.placed', {});

    expect(context.log.named('Messages stay in the outbox: svc.mq.relay.enabled is false')).toEqual(
      [expect.objectContaining({ topic: 'order.placed' })],
    );
    expect(context.metrics.counts).toMatchObject({ WithoutRelay: 2 });
  });

  it('counts what a bus has not taken when there is no relay, and nothing that it has', async () => {
    const { context } = aShop({ mq: { relay: { enabled: false } } });
    await context.events.publish('order.placed', 'A-1', {});
    context.bus.mode = 'down';

    await context.events.publish('order.placed', 'A-2', {});

    expect(context.metrics.counts).toMatchObject({ WithoutRelay: 1 });
  });
});

describe('a listener that publishes', () => {
  it('does so in the transaction that marks its message as processed', async () => {
    const { messageListener } = await import('../../../shared/messaging/consuming/listener.ts');
    const listener = messageListener(
      { topic: 'order.placed', group: 'billing' },
      async (_, ctx) => {
        await ctx.events.publish('invoice.sent', 'A-1', {});
      },
    );
    const { context, messaging, rows } = aShop({ listeners: [listener] });
    let writes: unknown[] = [];
    context.db.before('TransactWriteItems', ({ input }) => {
      writes = input.TransactItems as unknown[];
    });

    const failed = await messaging.deliver(anEnvelope());

    expect(failed).toEqual([]);
    expect(writes).toHaveLength(2);
    expect(rows()).toMatchObject([{ topic: 'invoice.sent', traceId: 'trace-of-the-publisher' }]);
  });
});
