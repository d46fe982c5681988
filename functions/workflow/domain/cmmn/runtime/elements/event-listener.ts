import type { EventListener } from '../../model/event-listener.ts';
import { copyInstance, counterOf, counterVariables } from '../instances/plan-item-instances.ts';
import { mayRepeat } from '../instances/repetition.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { type Behavior, plan, type Run } from '../run/run.ts';
import { notifyLifecycleListeners } from '../variables/lifecycle-listeners.ts';

/** Listeners of these types go on listening while their repetition rule holds. */
type RepeatingListener = Exclude<EventListener['type'], 'timerEventListener'>;

/**
 * A listener occurs when somebody, or something, raises it (CMMN 1.1, 5.4). With a repetition rule a copy
 * occurs in its stead, so that the id to raise stays the same.
 */
const eventListener: Behavior = {
  onTrigger: raise,
};

/** Behaviors of all listeners but timers. */
export const eventListeners = {
  userEventListener: eventListener,
  eventListener,
  signalEventListener: eventListener,
  variableEventListener: eventListener,
  reactivateEventListener: eventListener,
} as const satisfies Record<RepeatingListener, Behavior>;

function raise(run: Run, item: LivePlanItem): void {
  if (!mayRepeat(run, item, item.stage)) {
    plan(run, { kind: 'occur', item });
    return;
  }
  const variables = counterVariables(item.planItem, counterOf(item) + 1);
  const copy = copyInstance(run, item, { variables });
  plan(run, { kind: 'create', item: copy, isSilent: true });
  plan(run, { kind: 'occur', item: copy });
  // To the peer the listener has been active meanwhile and is available again.
  notifyLifecycleListeners(run, item, 'active');
}
