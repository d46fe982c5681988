import { describe, expect, it } from 'vitest';
import { TOPIC, Warehouse } from './a-warehouse.ts';

const STEP_MS = 10 * 60_000;
const STEPS_PER_DAY = 144;
const QUEUES = ['svc--stock.fifo', 'svc--audit.fifo'];

/** The queues deliver what they can for some days; nobody drains their dead-letter queues. */
async function pass(house: Warehouse, days: number): Promise<void> {
  for (let step = 0; step < days * STEPS_PER_DAY; step += 1) {
    for (const queue of QUEUES) await house.deliver(queue);
    house.shop.context.clock.advance(STEP_MS);
  }
}

describe('a message that waits for a dead one, while there is no relay', () => {
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
