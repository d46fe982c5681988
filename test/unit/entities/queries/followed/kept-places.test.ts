import { describe, expect, it } from 'vitest';
import { NOTHING } from '../../../../../functions/entities/domain/search/plan-request.ts';
import { KeptPlaces } from '../../../../../functions/entities/queries/kept-places.ts';

const order = [{ field: 'name', descending: false }];
const aPlace = (key: string) => ({ id: 'r', keys: [key, key, key] });

/** Whether what is known of the first of many lists is kept, when there are others after it. */
function keepsFirst(others: number, places: readonly ReturnType<typeof aPlace>[]): boolean {
  const kept = new KeptPlaces({ now: () => 0 });
  for (let list = 0; list <= others; list += 1)
    kept.of(list, 'begun').keep(order, { ...NOTHING, places });
  return kept.of(0, 'begun').find(order) !== undefined;
}

describe('what is known of lists', () => {
  it('is kept for many of them', () => {
    expect(keepsFirst(10_000, [])).toBe(true);
    expect(
      keepsFirst(
        20,
        Array.from({ length: 1_900 }, () => aPlace('short')),
      ),
    ).toBe(true);
  });

  it('is forgotten for the first of too many, empty ones too', () => {
    expect(keepsFirst(60_001, [])).toBe(false);
  });

  it('is forgotten earlier where its keys are long', () => {
    const places = Array.from({ length: 1_900 }, () => aPlace('x'.repeat(257)));

    expect(keepsFirst(20, places)).toBe(false);
  });
});
