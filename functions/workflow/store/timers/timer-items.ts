import type { Item, Key, StorableItem } from '../../../../shared/store/table.ts';
import type { TimerChange } from '../../domain/cases/family-change.ts';
import { timerPlace } from '../../domain/cases/row-changes.ts';
import { FAILED_TIMERS, OVERDUE_TIMERS, timerPartition, timersOfTenant } from '../case-keys.ts';

/** States of a timer that waits: `FAILED` fires again only on request. */
export const TIMER_STATES = ['PENDING', 'FAILED'] as const;
export type TimerState = (typeof TIMER_STATES)[number];

/** A timer that waits to be fired. */
export interface StoredTimer extends Omit<TimerChange, 'isScheduled'> {
  readonly pk: string;
  readonly sk: string;
  readonly state: TimerState;
  /** How often firing it was tried in vain. */
  readonly attempts: number;
  readonly nextTryAt?: string | undefined;
  readonly lastError?: string;
}

/** Where the row of a timer is: by its hour, or, when it was due as it was set, among the overdue ones. */
const timerKey = (timer: Pick<TimerChange, 'dueAt' | 'planItemInstanceId' | 'at'>): Key => ({
  pk: timer.dueAt <= timer.at ? OVERDUE_TIMERS : timerPartition(timer.dueAt),
  sk: timerPlace(timer),
});

/** Where the row of a timer that is withdrawn can be: one that is due may have been moved. */
export const timerKeys = (timer: TimerChange): Key[] => {
  const [own, ...moved] = timerPlaces(timer);
  return timer.dueAt <= timer.at ? [own, ...moved] : [own];
};

/** Where the row of a timer can be: by its hour, or beside the hours. */
export const timerPlaces = (
  timer: Pick<TimerChange, 'dueAt' | 'planItemInstanceId'>,
): [Key, Key, Key] => {
  const sk = timerPlace(timer);
  return [
    { pk: timerPartition(timer.dueAt), sk },
    { pk: OVERDUE_TIMERS, sk },
    { pk: FAILED_TIMERS, sk },
  ];
};

/** A timer as it is when it is set. */
export function toStoredTimer({ isScheduled: _, ...timer }: TimerChange): StoredTimer {
  return { ...timer, ...timerKey(timer), state: 'PENDING', attempts: 0 };
}

export const timerItem = (timer: TimerChange): StorableItem => itemOf(toStoredTimer(timer));

export const itemOf = (timer: StoredTimer): StorableItem => ({
  type: 'timer',
  ...timer,
  gsi1pk: timersOfTenant(timer.tenantCode, timer.state),
  gsi1sk: timer.sk,
});

export function toTimer(item: Item): StoredTimer {
  const { type: _, gsi1pk: _pk, gsi1sk: _sk, ...timer } = item;
  return timer as unknown as StoredTimer;
}
