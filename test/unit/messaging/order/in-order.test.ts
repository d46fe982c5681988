import { describe, expect, it } from 'vitest';
import { TOPIC, Warehouse } from './a-warehouse.ts';

const FIFO = 'svc--stock.fifo';

/** Fails the listeners of one group for some messages, as long as the test wants it. */
function failing() {
  const ids = new Set<string>();
  return { ids, fails: (group: string, id: string) => group === 'stock' && ids.has(id) };
}

describe('a group whose listener fails', () => {
  it('sees everything in order after a long outage, and nobody is dead for another', async () => {
    let isDown = true;
    const mq = { idempotent: { 'max-retries': 50 } };
    const house = new Warehouse({ fails: () => isDown, mq });
    const ids = await house.publish('A', 12);
    await house.settle(20);
    expect(house.seen('stock', 'A')).toEqual([]);

    isDown = false;
    await house.settle();

    expect(house.seen('stock', 'A')).toEqual(ids);
    expect(await house.deadLetters()).toEqual([]);
  });

  it('keeps the order when its queue gives messages up, through dead-letter queue and drain', async () => {
    let isDown = true;
    const mq = { idempotent: { 'max-retries': 50 } };
    const house = new Warehouse({ fails: () => isDown, mq, maxReceives: 6 });
    const ids = await house.publish('A', 12);
    await house.settle(10);

    isDown = false;
    await house.settle();

    expect(house.seen('stock', 'A')).toEqual(ids);
    expect(await house.deadLetters()).toEqual([]);
  });

  it('gets the messages behind the failed one together with it', async () => {
    const { ids, fails } = failing();
    const house = new Warehouse({ fails });
    const [first = ''] = await house.publish('A', 5);
    ids.add(first);
    await house.deliver(FIFO);
    ids.clear();
    const early = await house.deliver(FIFO);

    house.shop.context.clock.advance(1_000);
    await house.deliver(FIFO);

    expect(early).toBe(false);
    expect(house.seen('stock', 'A')).toHaveLength(5);
  });
});

/** Five messages; the second one is dead in the group `stock`. */
async function aHouseWithADeadOne(onDead: 'continue' | 'block' = 'block') {
  const { ids, fails } = failing();
  const house = new Warehouse({ fails, onDead });
  const all = await house.publish('A', 5);
  ids.add(all[1] ?? '');
  await house.settle(10);
  ids.clear();
  const [dead] = await house.deadLetters();
  return { house, all, dead: dead?.id ?? '', others: all.filter((id) => id !== all[1]) };
}

describe('a key behind a dead message of a group', () => {
  it('waits, for this group only, and holds nothing in its queue', async () => {
    const { house, all } = await aHouseWithADeadOne();

    expect(house.seen('stock', 'A')).toEqual(all.slice(0, 1));
    expect(house.seen('audit', 'A')).toEqual(all);
    expect(house.queues.names).toEqual([]);
  });

  it('goes on in order after a requeue', async () => {
    const { house, all, dead } = await aHouseWithADeadOne();
    const later = await house.publish('A', 2);

    const { status } = await house.requeue(dead);
    await house.settle();

    expect(status).toBe(202);
    expect(house.seen('stock', 'A')).toEqual([...all, ...later]);
  });

  it('goes on without it after a discard', async () => {
    const { house, others, dead } = await aHouseWithADeadOne();
    const later = await house.publish('A', 2);

    const { status } = await house.discard(dead);
    await house.settle();
    const again = await house.requeue(dead);

    expect(status).toBe(204);
    expect(house.seen('stock', 'A')).toEqual([...others, ...later]);
    expect(again).toMatchObject({ status: 409, body: { code: 'MQ_NOT_DEAD' } });
  });

  it('waits for it in the queue of its group after the topic is ordered no more', async () => {
    const { house, all, dead } = await aHouseWithADeadOne();
    house.redeploy(false);

    await house.requeue(dead);
    await house.settle();

    expect(house.seen('stock', 'A')).toEqual(all);
  });

  it('does not wait under `continue`', async () => {
    const { house, all, others, dead } = await aHouseWithADeadOne('continue');
    const passed = house.seen('stock', 'A');

    await house.requeue(dead);
    await house.settle();

    expect(passed).toEqual(others);
    expect(house.seen('stock', 'A')).toEqual([...others, all[1]]);
  });
});

describe('a message that was passed before it was sent', () => {
  it('comes late, and lets nothing pass a message that is not done', async () => {
    const { ids, fails } = failing();
    const house = new Warehouse({ fails, onDead: 'continue', maxReceives: 1 });
    const { queues, clock, messaging } = house.shop.context;
    const [first = ''] = await house.publish('A');
    ids.add(first);
    queues.failure = new Error('refused');
    const [passed = ''] = await house.publish('A');
    for (let i = 0; i < 5; i += 1) {
      await house.shop.relay.runTask('relay');
      clock.advance(61_000);
    }
    queues.failure = undefined;
    const rest = await house.publish('A', 2);
    // The second receive moves them all to the dead-letter queue.
    await house.deliver(FIFO);
    clock.advance(2_000);
    await house.deliver(FIFO);

    const [dead] = await house.deadLetters();
    await house.requeue(dead?.id ?? '');
    await house.shop.relay.runTask('relay');
    await house.deliver(FIFO);
    const done = await messaging.lanes.done({ group: 'stock', topic: TOPIC, key: 'A' });
    const seen = house.seen('stock', 'A');
    ids.clear();
    await house.settle();

    expect(dead?.messageId).toBe(passed);
    expect([seen, done]).toEqual([[passed], 0]);
    expect(house.seen('stock', 'A')).toEqual([passed, first, ...rest]);
  });
});

describe('a key whose message is in no queue any more', () => {
  const DAY_MS = 24 * 3_600_000;

  it('goes on when it has waited longer than queues keep a message', async () => {
    const house = new Warehouse();
    const [, ...rest] = await house.publish('A', 3);
    house.queues.delete(FIFO, house.queues.receive(FIFO).slice(0, 1));
    await house.settle(10);
    const early = house.seen('stock', 'A');

    house.shop.context.clock.advance(15 * DAY_MS);
    await house.settle(10);

    expect(early).toEqual([]);
    expect(house.seen('stock', 'A')).toEqual(rest);
  });

  it('waits on when a dead letter holds it', async () => {
    const { house, all, dead } = await aHouseWithADeadOne();
    house.shop.context.clock.advance(40 * DAY_MS);
    await house.settle(10);
    const waiting = house.seen('stock', 'A');

    await house.requeue(dead);
    await house.settle(10);

    expect(waiting).toEqual(all.slice(0, 1));
    expect(house.seen('stock', 'A')).toEqual(all);
  });
});

describe('an ordered message', () => {
  it('costs one read and one write more than any other, in each group', async () => {
    const house = new Warehouse();
    await house.publish('A');

    const { requests } = await house.shop.context.db.meter.costOf(() => house.deliver(FIFO));

    expect(requests).toEqual(['GetItem', 'UpdateItem 1', 'TransactWriteItems 2', 'UpdateItem 1']);
  });
});

describe('what nobody takes in an ordered queue', () => {
  it('is dead in the end, and its key goes on', async () => {
    const house = new Warehouse({ onDead: 'continue' });
    const groupId = 'A';
    await house.queues.send({ queue: FIFO, body: 'no message', groupId, deduplicationId: '1' });

    await house.settle();

    expect(await house.deadLetters()).toMatchObject([{ group: 'stock' }]);
    expect(house.queues.names).toEqual([]);
  });
});
