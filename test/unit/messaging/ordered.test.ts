import { describe, expect, it } from 'vitest';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { aShop, type Shop } from './a-shop.ts';

const ordered = (onDead: 'continue' | 'block' = 'continue') => ({
  orderedTopics: { 'stock.moved': { queues: ['svc--stock.fifo'], onDead } },
});

const sequencesIn = ({ context }: Shop, key: string): number[] =>
  context.queues.messages
    .map(({ body }) => JSON.parse(body) as MessageEnvelope)
    .filter(({ subject }) => subject === key)
    .map(({ sequence }) => Number(sequence));

async function relayUntilSettled(shop: Shop): Promise<void> {
  for (let i = 0; i < 30; i += 1) {
    await shop.relay.runTask('relay');
    shop.context.clock.advance(6_000);
  }
}

describe('an ordered topic', () => {
  it('goes to the queue of its group, grouped by key, without the bus', async () => {
    const shop = aShop({ topology: ordered() });

    const { messageId, status } = await shop.context.events.publish('stock.moved', 'A', { by: 1 });

    expect(status).toBe('SENT');
    expect(shop.context.bus.events).toEqual([]);
    expect(shop.context.queues.messages).toMatchObject([
      { queue: 'svc--stock.fifo', deduplicationId: messageId, groupId: expect.any(String) },
    ]);
  });

  it('lays a large body into the bucket as any other', async () => {
    const shop = aShop({ topology: ordered(), mq: { 'payload-inline-limit': 2_048 } });

    const { messageId } = await shop.context.events.publish('stock.moved', 'A', {
      text: 'x'.repeat(4_000),
    });

    const [message] = shop.context.queues.messages;
    expect(JSON.parse(message?.body ?? '{}')).toMatchObject({
      sequence: '1',
      dataref: `s3://svc-cloud-bucket/outbox/2026/03/${messageId}`,
      datasha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      datasize: 4_011,
    });
  });

  it('numbers the messages of a key without a gap, also several of one unit and many at once', async () => {
    const shop = aShop({ topology: ordered() });

    await shop.context.unitOfWork(async () => {
      for (const key of ['A', 'B', 'A', 'A'])
        await shop.context.events.publish('stock.moved', key, {});
    });
    await Promise.all([1, 2, 3].map(() => shop.context.events.publish('stock.moved', 'A', {})));
    await relayUntilSettled(shop);

    expect(sequencesIn(shop, 'A')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(sequencesIn(shop, 'B')).toEqual([1]);
  });

  it('keeps the order when a send fails in the middle', async () => {
    const shop = aShop({ topology: ordered() });
    await shop.context.events.publish('stock.moved', 'A', {});
    shop.context.queues.failure = new Error('no connection');
    await shop.context.events.publish('stock.moved', 'A', {});
    shop.context.queues.failure = undefined;
    const third = await shop.context.events.publish('stock.moved', 'A', {});
    const afterThird = sequencesIn(shop, 'A');

    await relayUntilSettled(shop);

    expect(third.status).toBe('PENDING');
    expect(afterThird).toEqual([1]);
    expect(sequencesIn(shop, 'A')).toEqual([1, 2, 3]);
    expect(shop.rows().every(({ status }) => status === 'SENT')).toBe(true);
  });

  it.each([
    ['continue', [2, 3]],
    ['block', []],
  ] as const)('with onDead=%s sends %j after a dead one', async (onDead, expected) => {
    const shop = aShop({ topology: ordered(onDead) });
    shop.context.queues.failure = new Error('refused');
    const first = await shop.context.events.publish('stock.moved', 'A', {});
    await shop.context.events.publish('stock.moved', 'A', {});
    await shop.context.events.publish('stock.moved', 'A', {});
    for (let i = 0; i < 40 && shop.row(first.messageId)?.status !== 'DEAD'; i += 1) {
      shop.context.clock.advance(1_001);
      await shop.relay.runTask('relay');
    }

    shop.context.queues.failure = undefined;
    await relayUntilSettled(shop);

    expect(shop.row(first.messageId)).toMatchObject({ status: 'DEAD' });
    expect(sequencesIn(shop, 'A')).toEqual(expected);
  });

  it('goes on from a requeued dead letter that blocked it', async () => {
    const shop = aShop({ topology: ordered('block') });
    shop.context.queues.failure = new Error('refused');
    const first = await shop.context.events.publish('stock.moved', 'A', {});
    await shop.context.events.publish('stock.moved', 'A', {});
    for (let i = 0; i < 40 && shop.row(first.messageId)?.status !== 'DEAD'; i += 1) {
      shop.context.clock.advance(1_001);
      await shop.relay.runTask('relay');
    }
    shop.context.queues.failure = undefined;

    await shop.messaging.call({
      method: 'POST',
      path: `/broker/dead-letter/${first.messageId}/requeue`,
    });
    await relayUntilSettled(shop);

    expect(sequencesIn(shop, 'A')).toEqual([1, 2]);
  });
});
