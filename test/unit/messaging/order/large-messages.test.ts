import { describe, expect, it } from 'vitest';
import { TOPIC, Warehouse } from './a-warehouse.ts';

describe('a large message of an ordered key', () => {
  it('waits for its turn, however many of its characters are escaped', async () => {
    const ids = new Set<string>();
    const house = new Warehouse({
      fails: (_group, id) => ids.has(id),
      mq: { 'payload-inline-limit': 262_144 },
    });
    const { events } = house.shop.context;
    const [first = ''] = await house.publish('A');
    ids.add(first);
    const { messageId } = await events.publish(TOPIC, 'A', { text: '"'.repeat(125_000) });
    await house.settle(10);
    const waiting = house.shop.rows().filter(({ status }) => status !== 'SENT');
    ids.clear();

    for (const { id } of await house.deadLetters()) await house.requeue(id);
    await house.settle(10);

    expect(waiting.map((row) => row.messageId)).toEqual([messageId, messageId]);
    expect(house.seen('stock', 'A')).toEqual([first, messageId]);
  });

  it('lets its key go on when it is discarded without its body', async () => {
    const ids = new Set<string>();
    const house = new Warehouse({
      fails: (_group, id) => ids.has(id),
      mq: { idempotent: { 'max-retries': 0 } },
    });
    const { events, payloads } = house.shop.context;
    const { messageId } = await events.publish(TOPIC, 'A', { text: 'x'.repeat(150_000) });
    ids.add(messageId);
    const later = await house.publish('A', 2);
    payloads.failure = new Error('slow down');
    await house.settle(20);
    payloads.failure = undefined;
    const before = house.seen('stock', 'A');
    const dead = await house.deadLetters();

    const requeued = await Promise.all(dead.map(({ id }) => house.requeue(id)));
    const discarded = await Promise.all(dead.map(({ id }) => house.discard(id)));
    await house.settle(10);

    expect(before).toEqual([]);
    expect(requeued.map(({ body }) => body.code)).toEqual(['MQ_BODY_MISSING', 'MQ_BODY_MISSING']);
    expect(discarded.map(({ status }) => status)).toEqual([204, 204]);
    expect(house.seen('stock', 'A')).toEqual(later);
  });
});
