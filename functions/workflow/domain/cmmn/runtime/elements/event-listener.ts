import type { EventListener } from '../../model/event-listener.ts';
import type { Behavior } from '../run/run.ts';
import { raiseListener } from './raise-listener.ts';
import { signalEventListener } from './signal-event-listener.ts';

/** Listeners of these types keep listening while their repetition rule holds. */
type RepeatingListener = Exclude<EventListener['type'], 'timerEventListener'>;

/**
 * A listener occurs when a user or another system raises it (CMMN 1.1, 5.4).
 */
const eventListener: Behavior = {
  onTrigger: raiseListener,
};

/** Behaviors of all listeners but timers. */
export const eventListeners = {
  userEventListener: eventListener,
  eventListener,
  signalEventListener,
  variableEventListener: eventListener,
  reactivateEventListener: eventListener,
} as const satisfies Record<RepeatingListener, Behavior>;
