import type { PlanItemNode } from '../../model/case-model.ts';

/** A child as far as its sleep is concerned. */
interface Sleeper {
  readonly planItem: PlanItemNode;
  /** Its place among the children of its container; undefined as long as it hangs nowhere. */
  readonly position: number | undefined;
}

/** How a child sleeps: for good, without keeping its container busy, or keeping it busy. */
export type Sleep = 'ended' | 'idle' | 'busy';

/** Which children of a case or stage instance an evaluation has to look at. */
export interface WakeList<Child extends Sleeper> {
  /** Something about them has changed, or they ask expressions: every evaluation looks at them. */
  readonly awake: Set<Child>;
  /** Nothing but an event that the plan item hears can set them in motion; those that have ended are left out. */
  readonly asleep: Map<PlanItemNode, Set<Child>>;
  /** Those asleep that keep the container busy. */
  readonly busy: Set<Child>;
  /** Listeners with an available condition. */
  readonly conditional: Child[];
}

export const createWakeList = <Child extends Sleeper>(): WakeList<Child> => ({
  awake: new Set(),
  asleep: new Map(),
  busy: new Set(),
  conditional: [],
});

/** The next evaluation looks at the child. */
export function wake<Child extends Sleeper>(
  { awake, asleep, busy }: WakeList<Child>,
  child: Child,
): void {
  awake.add(child);
  asleep.get(child.planItem)?.delete(child);
  busy.delete(child);
}

/** Evaluations leave the child out until it is woken. */
export function sendToSleep<Child extends Sleeper>(
  { awake, asleep, busy }: WakeList<Child>,
  child: Child,
  as: Sleep,
): void {
  awake.delete(child);
  if (as === 'busy') busy.add(child);
  if (as === 'ended') return;
  const sleepers = asleep.get(child.planItem);
  if (sleepers) sleepers.add(child);
  else asleep.set(child.planItem, new Set([child]));
}

/** Wakes the instances of the plan items. */
export function wakeAll<Child extends Sleeper>(
  wakeList: WakeList<Child>,
  planItems: Iterable<PlanItemNode>,
): void {
  for (const planItem of planItems) {
    for (const child of [...(wakeList.asleep.get(planItem) ?? [])]) wake(wakeList, child);
  }
}

/** The children to look at, in the order of their creation. */
export const wakeful = <Child extends Sleeper>({ awake }: WakeList<Child>): Child[] =>
  [...awake].sort((left, right) => (left.position ?? 0) - (right.position ?? 0));
