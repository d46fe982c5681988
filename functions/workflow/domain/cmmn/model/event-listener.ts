import type { Expression } from '../expression/expression.ts';
import type { Definition } from './definition.ts';
import type { ReactivationRule } from './item-control.ts';
import type { PlanItemOnPart } from './sentry.ts';

interface Listener extends Definition {
  /** While false, the listener is `unavailable` (extension of Flowable). */
  readonly availableCondition?: Expression;
}

/** A person raises it (CMMN 1.1, 5.4). */
interface UserEventListener extends Listener {
  readonly type: 'userEventListener';
  /** Roles that may raise it; none = everybody. */
  readonly authorizedRoleRefs?: readonly string[];
}

/** Occurs when time has passed (CMMN 1.1, 5.4). */
export interface TimerEventListener extends Listener {
  readonly type: 'timerEventListener';
  readonly timerExpression: Expression;
  /** The time counts from this event, not from the creation. */
  readonly startTrigger?: PlanItemOnPart;
}

/** A listener without a type of its own, raised through the engine (CMMN 1.1, 5.4). */
interface GenericEventListener extends Listener {
  readonly type: 'eventListener';
}

/** Occurs when a signal of its name is sent (extension of Flowable). */
interface SignalEventListener extends Listener {
  readonly type: 'signalEventListener';
  readonly signalRef: Expression;
}

/** Changes of a variable that a listener reacts to. */
export const VARIABLE_CHANGE_TYPES = [
  'all',
  'create',
  'update',
  'update-create',
  'delete',
] as const;
/** Changes of its variable that a listener reacts to. */
export type VariableChangeType = (typeof VARIABLE_CHANGE_TYPES)[number];

/** Occurs when a variable of the case changes (extension of Flowable). */
interface VariableEventListener extends Listener {
  readonly type: 'variableEventListener';
  readonly variableName: string;
  readonly variableChangeType: VariableChangeType;
}

/** Brings an ended case back (extension of Flowable; the transition is CMMN 1.1, 8.4 `re-activate`). */
interface ReactivateEventListener extends Listener {
  readonly type: 'reactivateEventListener';
  readonly defaultReactivationRule?: ReactivationRule;
}

/** Any listener (CMMN 1.1, 5.4). */
export type EventListener =
  | UserEventListener
  | TimerEventListener
  | GenericEventListener
  | SignalEventListener
  | VariableEventListener
  | ReactivateEventListener;
