/** States of a plan item instance (CMMN 1.1, 8.4), with Flowable's `unavailable` and `wait_repetition`. */
export type PlanItemState =
  | 'available'
  | 'unavailable'
  | 'wait_repetition'
  | 'enabled'
  | 'disabled'
  | 'active'
  | 'suspended'
  | 'completed'
  | 'terminated'
  | 'failed';

/** Transitions of a plan item instance (CMMN 1.1, 8.4), with Flowable's `initiate` and `dismiss`. */
export const PLAN_ITEM_TRANSITIONS = [
  'create',
  'start',
  'enable',
  'disable',
  'reenable',
  'manualStart',
  'complete',
  'terminate',
  'exit',
  'fault',
  'suspend',
  'resume',
  'parentSuspend',
  'parentResume',
  'reactivate',
  'occur',
  'initiate',
  'dismiss',
] as const;
/** A transition of a plan item instance, under the name that on-parts use. */
export type PlanItemTransition = (typeof PLAN_ITEM_TRANSITIONS)[number];

/** Transitions of a case file item (CMMN 1.1, 8.3) as far as a variable has them. */
export const CASE_FILE_ITEM_TRANSITIONS = ['create', 'update', 'replace', 'delete'] as const;
/** A transition of a case file item that its variable can have. */
export type CaseFileItemTransition = (typeof CASE_FILE_ITEM_TRANSITIONS)[number];

/** Ended for good. */
export function isTerminal(state: PlanItemState | undefined): boolean {
  return state === 'completed' || state === 'terminated' || state === 'failed';
}

/** Keeps no parent open and is not looked at for exit: ended, `unavailable`, `disabled`, `wait_repetition`. */
export function isEndish(state: PlanItemState | undefined): boolean {
  return (
    state === 'unavailable' ||
    state === 'disabled' ||
    state === 'wait_repetition' ||
    isTerminal(state)
  );
}

/** Entry criteria are looked at. */
export function awaitsEntry(state: PlanItemState | undefined): boolean {
  return state === 'available' || state === 'wait_repetition';
}

type Possible = Readonly<Partial<Record<PlanItemState, readonly PlanItemTransition[]>>>;

/** The transitions that each state allows, for tasks, stages and milestones (CMMN 1.1, 8.4). */
const OF_TASKS: Possible = {
  wait_repetition: ['create', 'start', 'enable', 'exit', 'terminate'],
  available: ['start', 'enable', 'exit', 'terminate', 'occur', 'suspend', 'parentSuspend'],
  enabled: ['disable', 'start', 'exit', 'terminate', 'suspend', 'parentSuspend'],
  disabled: ['enable', 'exit', 'terminate', 'suspend', 'parentSuspend'],
  active: ['complete', 'occur', 'terminate', 'exit', 'fault', 'suspend', 'parentSuspend'],
  suspended: ['resume', 'parentResume', 'exit', 'terminate'],
};

/** The same for event listeners (CMMN 1.1, 8.4). */
const OF_LISTENERS: Possible = {
  unavailable: ['initiate', 'terminate', 'exit'],
  available: ['occur', 'dismiss', 'terminate', 'exit', 'suspend', 'parentSuspend'],
  suspended: ['resume', 'parentResume', 'terminate', 'exit'],
};

/** Whether the standard (or Flowable's extension of it) lets an instance leave its state by this transition. */
export function isPossible(
  state: PlanItemState | undefined,
  transition: PlanItemTransition,
  isEventListener: boolean,
): boolean {
  if (state === undefined) return transition === 'create';
  return (isEventListener ? OF_LISTENERS : OF_TASKS)[state]?.includes(transition) ?? false;
}
