import { scheduleTimer } from '../elements/timer-event-listener.ts';
import type { StandardEvent } from '../run/agenda.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';

/** Starts the clock of an available timer whose start trigger has happened (CMMN 1.1, 5.4). */
export function startTimerAtTrigger(run: Run, item: LivePlanItem, event: StandardEvent): void {
  const trigger = item.planItem.startTrigger;
  if (!trigger || item.timer || item.state !== 'available' || event.kind !== 'planItem') return;
  const isMeant =
    event.item.planItem === trigger.source && event.transition === trigger.standardEvent;
  const isInReach =
    event.item.planItem.parent !== item.planItem.parent || event.item.stage === item.stage;
  if (isMeant && isInReach) scheduleTimer(run, item);
}
