import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createSettingsServices } from '../../../functions/settings/index.ts';
import {
  brokerListener,
  type HandleMessage,
  type Listener,
  type ListenerContext,
  messageListener,
} from '../../../shared/messaging/consuming/listener.ts';
import type { Message } from '../../../shared/messaging/wire/event-publisher.ts';
import {
  NonRetryableError,
  RetryLaterError,
} from '../../../shared/messaging/wire/messaging-error.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { anEnvelope, aShop, type Shop } from './a-shop.ts';

const ORDER_ITEM = { pk: 'HOST#bill#A-1', sk: 'bill' };

/** A listener that bills an order in the transaction of the message, and may do something before. */
function billing(before: HandleMessage = async () => undefined): Listener {
  return messageListener({ topic: 'order.placed', group: 'billing' }, async (message, context) => {
    await before(message, context);
    context.uow.update(ORDER_ITEM, { expression: 'ADD bills :one', values: { ':one': 1 } });
  });
}

const billsIn = ({ context }: Shop) =>
  context.db.items().find(({ pk }) => pk === ORDER_ITEM.pk)?.bills ?? 0;

describe('a listener', () => {
  it('gets the message as it was published', async () => {
    const seen: [Message, ListenerContext][] = [];
    const { messaging } = aShop({
      listeners: [billing(async (message, context) => void seen.push([message, context]))],
    });

    await messaging.deliver(anEnvelope({ id: 'm-1', svcheaders: { by: 'mai' } }));

    expect(seen).toMatchObject([
      [
        {
          messageId: 'm-1',
          topic: 'order.placed',
          key: 'A-1',
          payload: { total: 42 },
          headers: { by: 'mai' },
          source: '/svc/shop',
        },
        { attempt: 1, traceId: 'trace-of-the-publisher' },
      ],
    ]);
  });

  it('reads settings that follow refreshes, and items of its own', async () => {
    const seen: unknown[] = [];
    const shop = aShop({
      listeners: [
        billing(async (_message, { settings, items }) => {
          seen.push([
            await settings.getValue('shop.currency'),
            (await items.get(ORDER_ITEM))?.bills,
          ]);
        }),
      ],
    });
    const { settingService } = createSettingsServices(shop.context);
    const save = (value: string) =>
      settingService.save({ name: 'shop.currency', value }, systemPrincipal);

    await save('VND');
    await shop.messaging.deliver(anEnvelope({ id: 'm-1' }));
    await save('EUR');
    shop.context.clock.advance(11_000);
    await shop.messaging.deliver(anEnvelope({ id: 'm-2' }));

    expect(seen).toEqual([
      ['VND', undefined],
      ['EUR', 1],
    ]);
  });

  it('has its writes and the mark of the message in one transaction', async () => {
    const shop = aShop({ listeners: [billing()] });

    const failed = await shop.messaging.deliver(anEnvelope({ id: 'm-1' }));

    expect(failed).toEqual([]);
    expect(billsIn(shop)).toBe(1);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'PROCESSED', attempts: 1 });
    expect(shop.tracking('billing', 'm-1')).not.toHaveProperty('lockedUntil');
  });

  it('runs in the trace of the request that published', async () => {
    const { messaging, context } = aShop({ listeners: [billing()] });

    await messaging.deliver(anEnvelope());

    expect(context.log.named('message')).toMatchObject([{ traceId: 'trace-of-the-publisher' }]);
  });

  it('has its effect once when the message is delivered again, also at the same time', async () => {
    const shop = aShop({ listeners: [billing()] });
    const envelope = anEnvelope({ id: 'm-1' });

    await Promise.all([1, 2, 3, 4, 5].map(() => shop.messaging.deliver(envelope)));
    await shop.messaging.deliver(envelope, envelope);

    expect(billsIn(shop)).toBe(1);
  });

  it('gets a body from the bucket, and a changed one never', async () => {
    const seen: unknown[] = [];
    const shop = aShop({
      listeners: [billing(async ({ payload }) => void seen.push(payload))],
      mq: { 'payload-inline-limit': 1_024 },
    });
    await shop.context.events.publish('order.placed', 'A-1', { text: 'x'.repeat(5_000) });
    const [event] = shop.context.bus.events;
    if (!event) throw new Error('nothing was sent');

    await shop.messaging.deliver(event.envelope);
    for (const key of shop.context.payloads.objects.keys()) {
      shop.context.payloads.objects.set(key, '{"text":"forged"}');
    }
    await shop.messaging.deliver({ ...event.envelope, id: 'm-2' });

    expect(seen).toEqual([{ text: 'x'.repeat(5_000) }]);
    expect(shop.tracking('billing', 'm-2')).toMatchObject({
      status: 'DEAD',
      lastError: { code: 'MQ_PAYLOAD_CORRUPT' },
    });
  });
});

describe('a body that cannot be read at the moment', () => {
  it('brings the message back, and nothing is dead', async () => {
    const shop = aShop({ listeners: [billing()], mq: { 'payload-inline-limit': 1_024 } });
    await shop.context.events.publish('order.placed', 'A-1', { text: 'x'.repeat(5_000) });
    const [event] = shop.context.bus.events;
    if (!event) throw new Error('nothing was sent');
    const bodies = [...shop.context.payloads.objects];
    shop.context.payloads.objects.clear();

    const failed = await shop.messaging.deliver(event.envelope);
    for (const [key, body] of bodies) shop.context.payloads.objects.set(key, body);
    const repeated = await shop.messaging.deliver(event.envelope);

    expect([failed, repeated]).toEqual([['queue-0'], []]);
    expect(billsIn(shop)).toBe(1);
  });
});

describe('a listener that fails', () => {
  it('gets the message again, writes nothing, and backs off', async () => {
    let failures = 2;
    const shop = aShop({
      listeners: [
        billing(async () => {
          failures -= 1;
          if (failures >= 0) throw new Error('no connection');
        }),
      ],
    });
    const envelope = anEnvelope({ id: 'm-1' });

    const first = await shop.messaging.deliver(envelope);
    const afterFirst = shop.tracking('billing', 'm-1');
    const second = await shop.messaging.deliver(envelope);
    const third = await shop.messaging.deliver(envelope);

    expect([first, second, third]).toEqual([['queue-0'], ['queue-0'], []]);
    expect(afterFirst).toMatchObject({ status: 'FAILED', lastError: { message: 'no connection' } });
    expect(shop.context.queues.postponed.map(({ seconds }) => seconds)).toEqual([1, 2]);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'PROCESSED', attempts: 3 });
    expect(billsIn(shop)).toBe(1);
  });

  it('makes the message dead after its retries, with the reason and the message', async () => {
    const shop = aShop({
      listeners: [billing(() => Promise.reject(new Error('always')))],
      mq: { idempotent: { 'max-retries': 2 } },
    });
    const envelope = anEnvelope({ id: 'm-1' });

    const answers: (readonly string[])[] = [];
    for (let i = 0; i < 3; i += 1) answers.push(await shop.messaging.deliver(envelope));

    expect(answers).toEqual([['queue-0'], ['queue-0'], []]);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({
      status: 'DEAD',
      attempts: 3,
      lastError: { code: 'Error', message: 'always' },
      queue: 'svc--billing',
    });
    expect(billsIn(shop)).toBe(0);
  });

  it('leaves a trace that expires, but a dead letter that does not', async () => {
    const shop = aShop({
      listeners: [billing(() => Promise.reject(new Error('always')))],
      mq: { idempotent: { 'max-retries': 1 } },
    });
    const envelope = anEnvelope({ id: 'm-1' });

    await shop.messaging.deliver(envelope);
    const failed = shop.tracking('billing', 'm-1');
    await shop.messaging.deliver(envelope);

    const fortnight = Math.floor(shop.context.clock.now() / 1_000) + 14 * 86_400;
    expect(failed).toMatchObject({ status: 'FAILED', ttl: fortnight });
    expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'DEAD' });
    expect(shop.tracking('billing', 'm-1')).not.toHaveProperty('ttl');
  });

  it('may say that trying again does not help', async () => {
    const refuse = () =>
      Promise.reject(new NonRetryableError('unknown customer', { code: 'NO_CUSTOMER' }));
    const shop = aShop({ listeners: [billing(refuse)] });

    const failed = await shop.messaging.deliver(anEnvelope({ id: 'm-1' }));

    expect(failed).toEqual([]);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({
      status: 'DEAD',
      attempts: 1,
      lastError: { code: 'NO_CUSTOMER' },
    });
  });

  it('may say when to try again', async () => {
    const shop = aShop({ listeners: [billing(() => Promise.reject(new RetryLaterError(90_000)))] });

    await shop.messaging.deliver(anEnvelope());

    expect(shop.context.queues.postponed).toEqual([{ queue: 'svc--billing', seconds: 90 }]);
  });

  it('does not hold up the other messages of the batch', async () => {
    const shop = aShop({
      listeners: [
        billing(async ({ messageId }) => {
          if (messageId === 'poison') throw new Error('poison');
        }),
      ],
    });

    const failed = await shop.messaging.deliver(
      anEnvelope({ id: 'a' }),
      anEnvelope({ id: 'poison' }),
      anEnvelope({ id: 'b' }),
    );

    expect(failed).toEqual(['queue-1']);
    expect(billsIn(shop)).toBe(2);
  });
});

describe('a lease', () => {
  it('keeps a second environment away from a message that is being processed', async () => {
    const busy = Promise.withResolvers<void>();
    const shop = aShop({ listeners: [billing(() => busy.promise)] });
    const envelope = anEnvelope({ id: 'm-1' });

    const first = shop.messaging.deliver(envelope);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = await shop.messaging.deliver(envelope);
    busy.resolve();

    expect(second).toEqual(['queue-0']);
    expect(await first).toEqual([]);
    expect(billsIn(shop)).toBe(1);
  });

  it('that has run out is taken over, and who comes too late writes nothing', async () => {
    const gates = [Promise.withResolvers<void>(), undefined];
    const shop = aShop({ listeners: [billing(async () => gates.shift()?.promise)] });
    const [gate] = gates;
    const envelope = anEnvelope({ id: 'm-1' });

    const late = shop.messaging.deliver(envelope);
    await new Promise((resolve) => setTimeout(resolve, 20));
    shop.context.clock.advance(40_000);
    const takenOver = await shop.messaging.deliver(envelope);
    gate?.resolve();

    expect(takenOver).toEqual([]);
    expect(await late).toEqual(['queue-0']);
    expect(billsIn(shop)).toBe(1);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'PROCESSED', attempts: 2 });
  });
});

/** Leaves the traces of an environment that died while it processed a message. */
async function crashOn(shop: Shop, messageId: string): Promise<void> {
  const { tracking } = shop.context.messaging;
  const delivery = {
    group: 'billing',
    messageId,
    topic: 'order.placed',
    source: '/svc/shop',
    key: 'A-1',
  };
  const until = shop.context.clock.now() + 1_000;
  const { kind } = await tracking.claim(delivery, until);
  if (kind === 'suspect') await tracking.takeOver(delivery, until);
  shop.context.clock.advance(2_000);
}

describe('a message that may have taken its process down', () => {
  it('is processed after all others of its batch', async () => {
    const order: string[] = [];
    const shop = aShop({
      listeners: [billing(async ({ messageId }) => void order.push(messageId))],
    });
    await crashOn(shop, 'suspect');

    const failed = await shop.messaging.deliver(
      anEnvelope({ id: 'suspect' }),
      anEnvelope({ id: 'a' }),
      anEnvelope({ id: 'b' }),
    );

    expect(failed).toEqual([]);
    expect(order).toEqual(['a', 'b', 'suspect']);
    expect(billsIn(shop)).toBe(3);
  });

  it('is dead when it did so on each of its attempts, and is not tried once more', async () => {
    let calls = 0;
    const shop = aShop({
      listeners: [
        billing(async () => {
          calls += 1;
        }),
      ],
    });
    for (let i = 0; i < 4; i += 1) await crashOn(shop, 'killer');

    const failed = await shop.messaging.deliver(anEnvelope({ id: 'killer' }));

    expect(failed).toEqual([]);
    expect(calls).toBe(0);
    expect(shop.tracking('billing', 'killer')).toMatchObject({
      status: 'DEAD',
      attempts: 4,
      lastError: { code: 'MQ_LISTENER_CRASHED' },
    });
  });
});

describe('brokerListener', () => {
  const byOrder = (handle: HandleMessage<{ orderId?: string }>) =>
    brokerListener(
      {
        topics: ['order.placed', 'order.changed'],
        groupId: 'stock',
        messageId: '$.payload.orderId',
        traceId: '$.headers.trace',
      },
      handle,
    );

  it('processes a message of a topic once for each messageId that its expression finds', async () => {
    const seen: string[] = [];
    const { messaging } = aShop({
      listeners: [byOrder(async ({ messageId }) => void seen.push(messageId))],
    });
    const order = { data: { orderId: 'O-1' } };

    await messaging.deliver(anEnvelope(order), anEnvelope(order));
    await messaging.deliver(anEnvelope({ ...order, type: 'order.changed' }));

    expect(seen).toEqual(['O-1', 'O-1']);
  });

  it('makes a message without a messageId dead, and does not process it', async () => {
    let calls = 0;
    const { messaging, tracking } = aShop({
      listeners: [
        byOrder(async () => {
          calls += 1;
        }),
      ],
    });

    const failed = await messaging.deliver(anEnvelope({ id: 'm-1', data: {} }));

    expect(failed).toEqual([]);
    expect(calls).toBe(0);
    expect(tracking('stock', 'm-1')).toMatchObject({
      status: 'DEAD',
      lastError: { code: 'MQ_MESSAGE_ID_EMPTY' },
    });
  });

  it('takes the traceId from where its expression says', async () => {
    const seen: string[] = [];
    const { messaging, context } = aShop({
      listeners: [byOrder(async (_, { traceId }) => void seen.push(traceId))],
    });

    await messaging.deliver(
      anEnvelope({ data: { orderId: '1' }, svcheaders: { trace: 'from-header' } }),
    );

    expect(seen).toEqual(['from-header']);
    expect(context.log.named('message')).toMatchObject([{ traceId: 'from-header' }]);
  });

  it.each([undefined, '', null])('is refused with messageId %s', (messageId) => {
    const options = { topics: 'a', groupId: 'g', messageId: messageId as unknown as '$.x' };

    expect(() => brokerListener(options, async () => undefined)).toThrow(
      expect.objectContaining({ code: 'MQ_LISTENER_MESSAGE_ID_REQUIRED' }),
    );
  });
});

describe('a broker listener that is declared wrongly', () => {
  it('does not compile without a messageId, nor start', () => {
    // @ts-expect-error messageId is required and has no default
    const declare = () => brokerListener({ topics: 'a', groupId: 'g' }, async () => undefined);

    expect(declare).toThrow('MQ_LISTENER_MESSAGE_ID_REQUIRED');
  });

  it.each([
    [{ topics: [], groupId: 'g', messageId: '$.key' }, 'MQ_LISTENER_INVALID'],
    [{ topics: '', groupId: 'g', messageId: '$.key' }, 'MQ_LISTENER_INVALID'],
    [{ topics: 'a', messageId: '$.key' }, 'MQ_LISTENER_INVALID'],
    [{ topics: 'a', groupId: 'g', messageId: 'key' }, 'MQ_EXPRESSION_INVALID'],
    [{ topics: 'a', groupId: 'g', messageId: 42 }, 'MQ_EXPRESSION_INVALID'],
    [{ topics: 'a', groupId: 'g', messageId: '$.key', traceId: '$.' }, 'MQ_EXPRESSION_INVALID'],
  ])('%j is refused with %s', (options, code) => {
    const wrong = options as unknown as Parameters<typeof brokerListener>[0];

    expect(() => brokerListener(wrong, async () => undefined)).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe('a schema', () => {
  it('gives the listener a parsed payload, and refuses any other at once', async () => {
    const seen: unknown[] = [];
    const listener = messageListener(
      { topic: 'order.placed', group: 'billing', schema: z.object({ total: z.number() }) },
      async ({ payload }) => void seen.push(payload),
    );
    const { messaging, tracking } = aShop({ listeners: [listener] });

    const failed = await messaging.deliver(
      anEnvelope({ data: { total: 1, extra: true } }),
      anEnvelope({ id: 'm-2', data: { total: 'one' } }),
    );

    expect(failed).toEqual([]);
    expect(seen).toEqual([{ total: 1 }]);
    expect(tracking('billing', 'm-2')).toMatchObject({
      status: 'DEAD',
      lastError: { code: 'MQ_PAYLOAD_INVALID' },
    });
  });
});

describe('listeners', () => {
  it('cannot share topic and group', () => {
    expect(() => aShop({ listeners: [billing(), billing()] })).toThrow(
      'Two listeners share topic "order.placed" and group "billing"',
    );
  });

  it.each(['', 'with space', 'x'.repeat(41), 'a-dead', 'a/b'])(
    'cannot have the group "%s"',
    (group) => {
      expect(() => messageListener({ topic: 'a', group }, async () => undefined)).toThrow(
        expect.objectContaining({ code: 'MQ_LISTENER_INVALID' }),
      );
    },
  );
});

describe('without the idempotency check', () => {
  it('the listener is called for each delivery, and nothing is tracked', async () => {
    const shop = aShop({ listeners: [billing()], mq: { idempotent: { enabled: false } } });
    const envelope = anEnvelope({ id: 'm-1' });

    await shop.messaging.deliver(envelope);
    await shop.messaging.deliver(envelope);

    expect(billsIn(shop)).toBe(2);
    expect(shop.tracking('billing', 'm-1')).toBeUndefined();
  });
});

describe('other table names', () => {
  it('are those of the items', async () => {
    const shop = aShop({
      listeners: [billing()],
      mq: { 'message-table': 'outbox', 'message-tracking-table': 'inbox' },
    });

    await shop.context.events.publish('order.placed', 'A-1', {});
    await shop.messaging.deliver(anEnvelope({ id: 'm-1' }));

    const keys = shop.context.db.items().map(({ pk, sk }) => `${pk} ${sk}`);
    expect(keys.filter((key) => /^inbox#billing#\S+ inbox$/.test(key))).toHaveLength(1);
    expect(keys.filter((key) => /^outbox#\S+ outbox$/.test(key))).toHaveLength(1);
  });
});
