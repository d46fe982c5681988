import { timerPlace } from '../domain/cases/row-changes.ts';
import { type StoredTimer, toStoredTimer } from '../store/timers/timer-items.ts';
import type { Firing } from './timer-firing.ts';

/** How a round of firings went. */
export interface FiringCounts {
  readonly fired: number;
  readonly failed: number;
}

export interface FiringRound {
  readonly fire: (timer: StoredTimer) => Promise<Firing>;
  /** Until when timers of the tenant are due. */
  readonly dueUntil: (tenantCode: string) => string;
  /** Whether there is no time or allowance left. */
  readonly isOver: () => boolean;
}

/**
 * Fires timers in order of due time. What a firing sets and is due already has its turn among them, and what it
 * withdraws is left out.
 */
export async function fireInOrder(
  timers: readonly StoredTimer[],
  { fire, dueUntil, isOver }: FiringRound,
): Promise<FiringCounts> {
  const waiting = new Map(timers.map((timer) => [timerPlace(timer), timer]));
  const counts = { fired: 0, failed: 0 };
  for (let next = firstOf(waiting); next && !isOver(); next = firstOf(waiting)) {
    waiting.delete(timerPlace(next));
    const firing = await fire(next);
    if (firing.outcome === 'failed') counts.failed += 1;
    if (firing.outcome !== 'fired') continue;
    counts.fired += 1;
    for (const change of firing.timers) {
      const place = timerPlace(change);
      if (!change.isScheduled) waiting.delete(place);
      else if (change.dueAt <= dueUntil(change.tenantCode)) {
        waiting.set(place, toStoredTimer(change));
      }
    }
  }
  return counts;
}

/** Timers of the same instant go in the order of their ids, which is that of their creation. */
function firstOf(waiting: ReadonlyMap<string, StoredTimer>): StoredTimer | undefined {
  let first: string | undefined;
  for (const place of waiting.keys()) if (first === undefined || place < first) first = place;
  return first === undefined ? undefined : waiting.get(first);
}
