import { describe, expect, it } from 'vitest';
import { TOPIC, Warehouse } from './a-warehouse.ts';

const STEP_MS = 20 * 60_000;
const STEPS_PER_DAY = 72;
const QUEUES = ['svc--stock.fifo', 'svc--audit.fifo'];

/** The queues deliver what they can for some days; nobody drains their dead-letter queues. */
async function pass(house: Warehouse, days: number): Promise<void> {
  for (let step = 0; step < days * STEPS_PER_DAY; step += 1) {
    for (const queue of QUEUES) await house.deliver(queue);
    house.shop.context.clock.advance(STEP_MS);
  }
}

/** A key whose first message is dead, and the others with it, as time has passed; then there is a relay. */
async function withLetters() {
  const relay = { enabled: false };
  const failing = new Set<string>();
  const house = new Warehouse({ mq: { relay }, fails: (_group, id) => failing.has(id) });
  const { events } = house.shop.context;
  const ids: string[] = [];
  for (let i = 0; i < 4; i += 1) ids.push((await events.publish(TOPIC, 'A', {})).messageId);
  failing.add(ids[0] ?? '');
  await pass(house, 14);
  failing.clear();
  relay.enabled = true;
  house.redeploy(true);
  const letters = await house.deadLetters();
  const settle = async (how: 'requeue' | 'discard', places: readonly number[]) => {
    const messageIds = places.map((at) => ids[at]);
    for (const messageId of messageIds) {
      const found = letters.filter((each) => each.messageId === messageId);
      for (const { id } of found) await house[how](id);
    }
    await house.settle(5);
    return house.seen('stock', 'A');
  };
  return { ids, settle };
}

describe('a message that waits for a dead one, while there is no relay', () => {
  it.each([
    ['before the one that it waits for is requeued', [1], 'requeue', [0, 2, 3]],
    ['with the one behind it, before that', [2, 1], 'requeue', [0, 3]],
    ['before the one that it waits for is discarded', [1, 2], 'discard', [3]],
  ] as const)('may be discarded %s, and holds up none', async (_when, discarded, how, left) => {
    const { ids, settle } = await withLetters();
    await settle('discard', discarded);
    const early = await settle('requeue', [3]);

    await settle(how, [0]);
    const seen = await settle('requeue', left);

    expect(early).toEqual([]);
    expect(seen).toEqual(left.map((at) => ids[at]));
  });

  it('is listed before its queue forgets it, and comes in its turn once there is one', async () => {
    const relay = { enabled: false };
    const failing = new Set<string>();
    const house = new Warehouse({ mq: { relay }, fails: (_group, id) => failing.has(id) });
    const { context } = house.shop;
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1)
      ids.push((await context.events.publish(TOPIC, 'A', {})).messageId);
    failing.add(ids[0] ?? '');

    await pass(house, 12);
    const waiting = house.queues.names;
    await pass(house, 2);
    const left = house.queues.names;
    failing.clear();
    relay.enabled = true;
    house.redeploy(true);
    const letters = await house.deadLetters();
    for (const { id } of letters) await house.requeue(id);
    await house.settle();

    expect(waiting).toEqual(QUEUES);
    expect(left).toEqual([]);
    expect(letters).toHaveLength(6);
    expect(house.seen('stock', 'A')).toEqual(ids);
    expect(house.seen('audit', 'A')).toEqual(ids);
  });
});
