import { describe, expect, it } from 'vitest';
import { DeletionForecast } from '../../../../functions/entities/domain/transfer/deletion-forecast.ts';

const forecast = (waiting: Readonly<Record<string, readonly string[]>>, ...staying: string[]) => {
  const made = new DeletionForecast();
  for (const [id, others] of Object.entries(waiting)) made.waits(id, others);
  for (const id of staying) made.stays(id);
  return made;
};

describe('a forecast of a deletion', () => {
  it.each([
    ['nobody that waits for records that go', { a: ['b', 'c'], b: ['c'] }, [], []],
    ['who waits for one that stays', { a: ['b'], b: ['c'], d: ['e'] }, ['c'], ['b', 'a']],
    ['who waits in a circle, and for it', { a: ['b'], b: ['a'], c: ['b'] }, [], ['a', 'b', 'c']],
  ] as const)('has %s', (_who, waiting, staying, kept) => {
    const made = forecast(waiting, ...staying);

    expect(made.settle(100)).toEqual(kept);
    expect(made.isExact).toBe(true);
  });

  it('goes on from its notes, and says when they had no room', () => {
    const made = forecast({ a: ['b'], b: ['c'] }, 'c');

    expect(new DeletionForecast(made.notes(1_000)).settle(100)).toEqual(['b', 'a']);
    expect(made.isExact).toBe(true);
    expect(new DeletionForecast(made.notes(10)).isExact).toBe(false);
  });

  it('is not exact for a line that is longer than a deletion tries', () => {
    const line = Object.fromEntries(
      Array.from({ length: 5 }, (_each, at) => [`${at}`, [`${at + 1}`]]),
    );

    for (const [tries, isExact] of [
      [10, true],
      [3, false],
    ] as const) {
      const made = forecast(line);
      expect(made.settle(tries)).toEqual([]);
      expect(made.isExact).toBe(isExact);
    }
  });
});
