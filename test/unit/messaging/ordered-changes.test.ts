import { describe, expect, it } from 'vitest';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { aShop, type Shop, type ShopOptions } from './a-shop.ts';

const TOPIC = 'stock.moved';
const ordered = (onDead: 'continue' | 'block' = 'block', ...topics: string[]) => ({
  orderedTopics: Object.fromEntries(
    [TOPIC, ...topics].map((topic) => [topic, { queues: ['svc--stock.fifo'], onDead }]),
  ),
});

const onQueues = ({ context }: Shop): MessageEnvelope[] =>
  context.queues.messages.map(({ body }) => JSON.parse(body) as MessageEnvelope);

const sequencesIn = (shop: Shop, key = 'A'): number[] =>
  onQueues(shop)
    .filter(({ subject }) => subject === key)
    .map(({ sequence }) => Number(sequence));

async function relayUntilSettled({ relay, context }: Shop, runs = 30): Promise<void> {
  for (let i = 0; i < runs; i += 1) {
    await relay.runTask('relay');
    context.clock.advance(6_000);
  }
}

/** A shop whose first message of key A is dead, and two more wait behind it. */
async function aBlockedShop(options: ShopOptions = {}): Promise<{ shop: Shop; dead: string }> {
  const shop = aShop({ topology: ordered(), ...options });
  shop.context.queues.failure = new Error('refused');
  const { messageId } = await shop.context.events.publish(TOPIC, 'A', {});
  for (let i = 0; i < 2; i += 1) await shop.context.events.publish(TOPIC, 'A', {});
  await relayUntilSettled(shop);
  shop.context.queues.failure = undefined;
  expect(shop.row(messageId)?.status).toBe('DEAD');
  return { shop, dead: messageId };
}

const discard = ({ messaging }: Shop, id: string) =>
  messaging.call({ method: 'DELETE', path: `/broker/dead-letter/${id}` });

const requeue = ({ messaging }: Shop, id: string) =>
  messaging.call({ method: 'POST', path: `/broker/dead-letter/${id}/requeue` });

describe('a key that waits for a dead message', () => {
  it('goes on when that one is discarded, and does not take it back', async () => {
    const { shop, dead } = await aBlockedShop();

    const { status } = await discard(shop, dead);
    await relayUntilSettled(shop);
    const again = await requeue(shop, dead);

    expect(status).toBe(204);
    expect(sequencesIn(shop)).toEqual([2, 3]);
    expect(again).toMatchObject({ status: 409, body: { code: 'MQ_NOT_DEAD' } });
  });

  it('takes later messages only when the table has moved it on', async () => {
    const { shop, dead } = await aBlockedShop();
    shop.context.db.failNext('network', { operation: 'TransactWriteItems' });

    const { status } = await discard(shop, dead);
    await relayUntilSettled(shop, 3);

    expect(status).toBeGreaterThanOrEqual(500);
    expect(shop.row(dead)?.status).toBe('DEAD');
    expect(sequencesIn(shop)).toEqual([]);
  });

  it('stays where it is when a dead message is discarded that was passed before', async () => {
    const { shop, dead } = await aBlockedShop({ topology: ordered('continue') });
    await relayUntilSettled(shop, 3);
    shop.context.queues.failure = undefined;

    await discard(shop, dead);
    const { status } = await shop.context.events.publish(TOPIC, 'A', {});

    expect(status).toBe('SENT');
    expect(sequencesIn(shop).at(-1)).toBe(4);
  });

  it('waits too when its publisher has buried it without a relay', async () => {
    const shop = aShop({ topology: ordered(), mq: { relay: { enabled: true, 'max-retries': 0 } } });
    shop.context.queues.failure = new Error('refused');
    const { messageId } = await shop.context.events.publish(TOPIC, 'A', {});
    shop.context.queues.failure = undefined;

    const { status } = await shop.context.events.publish(TOPIC, 'A', {});
    await relayUntilSettled(shop);

    expect(shop.row(messageId)?.status).toBe('DEAD');
    expect(status).toBe('PENDING');
    expect(sequencesIn(shop)).toEqual([]);
  });
});

describe('a message that waits while `ordered` is changed', () => {
  it('goes over the bus, in its turn, when its topic is not ordered any more', async () => {
    const before = aShop({ topology: ordered() });
    before.context.queues.failure = new Error('no connection');
    for (let i = 1; i <= 3; i += 1) await before.context.events.publish(TOPIC, 'A', { i });
    const after = aShop({ before });

    await relayUntilSettled(after);

    expect(after.context.queues.messages).toEqual([]);
    expect(after.context.bus.events.map(({ envelope }) => envelope.data)).toEqual([
      { i: 1 },
      { i: 2 },
      { i: 3 },
    ]);
    expect(after.rows().every(({ status }) => status === 'SENT')).toBe(true);
  });

  it('goes to the queues of the groups when its topic is ordered now', async () => {
    const before = aShop();
    before.context.bus.mode = 'down';
    const { messageId } = await before.context.events.publish(TOPIC, 'A', { i: 1 });
    before.context.bus.mode = 'up';
    const after = aShop({ before, topology: ordered() });

    await relayUntilSettled(after);

    expect(after.context.bus.events).toEqual([]);
    expect(after.context.queues.messages).toMatchObject([
      { queue: 'svc--stock.fifo', deduplicationId: messageId, groupId: expect.any(String) },
    ]);
    expect(onQueues(after)).toMatchObject([{ id: messageId, data: { i: 1 } }]);
    expect(after.row(messageId)?.status).toBe('SENT');
  });
});

describe('keys of ordered topics', () => {
  it('share no head and no message group, whatever their texts are', async () => {
    const pairs = [
      ['a#b', 'c'],
      ['a', 'b#c'],
      ['a%23b', 'c'],
    ] as const;
    const shop = aShop({ topology: ordered('block', ...pairs.map(([topic]) => topic)) });

    await shop.context.unitOfWork(async () => {
      for (const [topic, key] of pairs) await shop.context.events.publish(topic, key, {});
    });

    expect(onQueues(shop).map(({ type, sequence }) => [type, sequence])).toEqual([
      ['a#b', '1'],
      ['a', '1'],
      ['a%23b', '1'],
    ]);
    expect(new Set(shop.context.queues.messages.map(({ groupId }) => groupId)).size).toBe(3);
    expect(shop.context.db.items().filter(({ sk }) => sk === 'head')).toHaveLength(3);
  });

  it('names the message that each group got before, also when the topic has a new group', async () => {
    const before = aShop({ topology: ordered() });
    await before.context.events.publish(TOPIC, 'A', {});
    await before.context.events.publish(TOPIC, 'A', {});
    const queues = ['svc--stock.fifo', 'svc--audit.fifo'];
    const topology = { orderedTopics: { [TOPIC]: { queues, onDead: 'block' as const } } };
    const after = aShop({ before, topology });

    await after.context.events.publish(TOPIC, 'A', {});
    await after.context.events.publish(TOPIC, 'A', {});

    expect(onQueues(after).map(({ sequence, svcafter }) => [sequence, svcafter])).toEqual([
      ['1', {}],
      ['2', { stock: 1 }],
      ['3', { stock: 2 }],
      ['3', { stock: 2 }],
      ['4', { stock: 3, audit: 3 }],
      ['4', { stock: 3, audit: 3 }],
    ]);
  });
});
