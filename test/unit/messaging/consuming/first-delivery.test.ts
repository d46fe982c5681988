import { describe, expect, it } from 'vitest';
import {
  type HandleMessage,
  type Listener,
  messageListener,
} from '../../../../shared/messaging/consuming/listener.ts';
import { NonRetryableError } from '../../../../shared/messaging/wire/messaging-error.ts';
import { anEnvelope, aShop, type Shop } from '../a-shop.ts';
import { deliver, deliverAll } from './queue-records.ts';

const BILL = { pk: 'HOST#bill', sk: 'bill' };

/** A listener all of whose effects are writes of its unit: it bills. */
function billing(before: HandleMessage = async () => undefined, transactional = true): Listener {
  return messageListener(
    { topic: 'order.placed', group: 'billing', transactional },
    async (message, context) => {
      await before(message, context);
      context.uow.update(BILL, { expression: 'ADD bills :one', values: { ':one': 1 } });
    },
  );
}

const billsIn = ({ context }: Shop) =>
  context.db.items().find(({ pk }) => pk === BILL.pk)?.bills ?? 0;

const nothing = messageListener(
  { topic: 'order.placed', group: 'billing', transactional: true },
  async () => undefined,
);

describe('what a message costs', () => {
  const cost = (shop: Shop, work: () => Promise<unknown>) => shop.context.db.meter.costOf(work);

  it('is three requests and four write units to publish it, the bus included', async () => {
    const shop = aShop();

    const { requests, writeUnits } = await cost(shop, () =>
      shop.context.events.publish('order.placed', 'A-1', { total: 42 }),
    );

    expect(requests.length + shop.context.bus.requests.length).toBe(3);
    expect(writeUnits).toBe(4);
  });

  it('is one request and two write units to consume it by a transactional listener', async () => {
    const shop = aShop({ listeners: [nothing] });

    const first = await cost(shop, () => deliver(shop, anEnvelope()));

    expect(first).toEqual({ requests: ['TransactWriteItems 1'], readUnits: 0, writeUnits: 2 });
  });

  it('is one request also with the effects of the listener, each at two units', async () => {
    const shop = aShop({ listeners: [billing()] });

    const first = await cost(shop, () => deliver(shop, anEnvelope()));

    expect(first).toEqual({ requests: ['TransactWriteItems 2'], readUnits: 0, writeUnits: 4 });
  });

  it('is a claim more for any other listener', async () => {
    const shop = aShop({ listeners: [billing(undefined, false)] });

    const first = await cost(shop, () => deliver(shop, anEnvelope()));

    expect(first.requests).toEqual(['UpdateItem 1', 'TransactWriteItems 2']);
    expect(first.writeUnits).toBe(5);
  });
});

describe('the first delivery to a transactional listener', () => {
  it('has its effects and the mark in one transaction', async () => {
    const shop = aShop({ listeners: [billing()] });

    await deliver(shop, anEnvelope({ id: 'm-1' }));

    expect(billsIn(shop)).toBe(1);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({
      status: 'PROCESSED',
      attempts: 1,
      topic: 'order.placed',
      source: '/svc/shop',
      ttl: Math.floor(shop.context.clock.now() / 1_000) + 14 * 86_400,
    });
  });

  it('has its effects once, also when five come at once or one comes later', async () => {
    const shop = aShop({ listeners: [billing()] });
    const envelope = anEnvelope();

    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => deliver(shop, envelope)));
    answers.push(await deliver(shop, envelope), await deliver(shop, envelope, { receives: 2 }));

    expect(answers).toEqual(answers.map(() => false));
    expect(billsIn(shop)).toBe(1);
  });

  it('skips a duplicate whose own writes are refused', async () => {
    const shop = aShop({
      listeners: [
        billing(async ({ messageId }, { uow }) => {
          uow.add({ pk: `HOST#seen#${messageId}`, sk: 'seen', type: 'seen' });
        }),
      ],
    });
    const envelope = anEnvelope();

    const answers = [await deliver(shop, envelope), await deliver(shop, envelope)];

    expect(answers).toEqual([false, false]);
    expect(billsIn(shop)).toBe(1);
  });

  it('counts as an attempt when it fails, and writes nothing', async () => {
    const attempts: number[] = [];
    const shop = aShop({
      listeners: [
        billing(async (_, { attempt }) => {
          attempts.push(attempt);
          throw new Error('down');
        }),
      ],
    });

    const deliveries = await deliverAll(shop, anEnvelope({ id: 'm-1' }));

    expect(deliveries).toBe(4);
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(billsIn(shop)).toBe(0);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({
      status: 'DEAD',
      attempts: 4,
      lastError: { message: 'down' },
    });
  });

  it('is the last one when the listener says so', async () => {
    const shop = aShop({ listeners: [billing(() => Promise.reject(new NonRetryableError('no')))] });

    const comesBack = await deliver(shop, anEnvelope({ id: 'm-1' }));

    expect(comesBack).toBe(false);
    expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'DEAD', attempts: 1 });
  });

  it('leaves a message alone that another environment is processing', async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    let calls = 0;
    const shop = aShop({
      listeners: [
        billing(async () => {
          calls += 1;
          started.resolve();
          if (calls === 1) await gate.promise;
        }),
      ],
    });
    const envelope = anEnvelope();

    const claimed = deliver(shop, envelope, { receives: 2 });
    await started.promise;
    const resent = await deliver(shop, envelope);
    gate.resolve();

    expect(resent).toBe(true);
    expect(await claimed).toBe(false);
    expect(billsIn(shop)).toBe(1);
  });

  it.each(['network', 'answer-lost', 'conflict', 'throttling', 'internal'] as const)(
    'has its effects once when its transaction meets %s',
    async (fault) => {
      const shop = aShop({ listeners: [billing()] });
      shop.context.db.failNext(fault, { operation: 'TransactWriteItems' });

      await deliverAll(shop, anEnvelope({ id: 'm-1' }));

      expect(billsIn(shop)).toBe(1);
      expect(shop.tracking('billing', 'm-1')).toMatchObject({ status: 'PROCESSED' });
    },
  );
});

describe('a delivery that is not the first', () => {
  it.each([
    ['it was received before', { receives: 2 }],
    ['it came back from a dead-letter queue', { returns: 1 }],
    ['it was requeued', { returns: 0 }],
  ])('is claimed beforehand: %s', async (_, facts) => {
    const shop = aShop({ listeners: [billing()] });

    const { requests } = await shop.context.db.meter.costOf(() =>
      deliver(shop, anEnvelope(), facts),
    );

    expect(requests.filter((request) => request !== 'GetItem')).toEqual([
      'UpdateItem 1',
      'TransactWriteItems 2',
    ]);
  });
});
