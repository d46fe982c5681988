import { describe, expect, it } from 'vitest';
import type { Place } from '../../../../shared/messaging/outbox/lanes.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { aShop } from '../a-shop.ts';

const lane = { group: 'stock', topic: 'stock.moved', key: 'A' };
const gone = () => new Error('is no dead letter any more');

function aLane() {
  const { context } = aShop();
  const { lanes } = context.messaging;
  const placeOf = (sequence: number): Place => ({ ...lane, sequence, after: sequence - 1 });
  return {
    lanes,
    item: () => context.db.items().find(({ passed }) => passed !== undefined),
    moveTo: (sequence: number) => lanes.moveTo(placeOf(sequence)),
    give: (sequence: number) =>
      context.unitOfWork((unit) => lanes.stagePassed(unit, placeOf(sequence), gone)),
  };
}

describe('places that are given up before their turn', () => {
  it.each([
    ['in their order', (at: number) => at + 2],
    ['the last one first', (at: number) => 301 - at],
    ['in any order', (at: number) => ((at * 7) % 300) + 2],
  ])('take no more room the more they are: %s', async (_order, sequenceAt) => {
    const { lanes, item, give, moveTo } = aLane();

    for (let at = 0; at < 300; at += 1) await give(sequenceAt(at));
    const before = await lanes.done(lane);
    const noted = item()?.passed;
    await moveTo(1);

    expect(before).toBe(0);
    expect(noted).toEqual([[1, 301]]);
    expect(await lanes.done(lane)).toBe(301);
  });

  it('are forgotten when the key has come by', async () => {
    const { item, give, moveTo } = aLane();
    for (let sequence = 3; sequence < 90; sequence += 3) {
      await give(sequence);
      await moveTo(sequence - 1);
    }

    expect(item()?.passed).toEqual([
      [83, 84],
      [86, 87],
    ]);
  });

  it('are all noted when they are given up at once', async () => {
    const { lanes, give, moveTo } = aLane();

    await Promise.all([2, 3, 4, 5].map(give));
    await moveTo(1);

    expect(await lanes.done(lane)).toBe(5);
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'are passed in their turn, whatever comes between: %i',
    async (seed) => {
      const random = seededRandom(seed);
      const { lanes, give, moveTo } = aLane();
      const left = new Set(Array.from({ length: 20 }, (_, at) => at + 1));
      const first = () => Math.min(21, ...left);

      while (left.size > 0) {
        const isTurn = random() < 0.3;
        const sequence = isTurn ? first() : ([...left][Math.floor(random() * left.size)] ?? 0);
        await (isTurn ? moveTo : give)(sequence);
        left.delete(sequence);
        expect(await lanes.done(lane)).toBe(first() - 1);
      }
    },
  );
});
