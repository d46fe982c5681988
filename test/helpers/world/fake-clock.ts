import type { Clock } from '../../../shared/primitives/clock.ts';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
}

/** A clock that shows 2026-03-01T09:30:00Z, or another instant. */
export function fakeClock(start = '2026-03-01T09:30:00.000Z'): FakeClock {
  let nowMs = Date.parse(start);
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}
