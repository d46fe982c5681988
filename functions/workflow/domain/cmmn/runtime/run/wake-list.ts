import type { PlanItemNode } from '../../model/case-model.ts';

/** How a child sleeps: for good, without keeping its container busy, or keeping it busy. */
export type Sleep = 'ended' | 'idle' | 'busy';

/** A child as far as its sleep is concerned. */
interface Sleeper {
  readonly planItem: PlanItemNode;
  /** Its place among the children of its container; undefined as long as it hangs nowhere. */
  readonly position: number | undefined;
  /** undefined: it is awake, or hangs nowhere. */
  sleep: Sleep | undefined;
  /** It is in the list `awake`, where it stays after it has gone to sleep until the list is read. */
  isListed: boolean;
  /** It is in the lists `asleep`, where it stays after it has been woken until its plan item hears something. */
  isFindable: boolean;
}

/** Which children of a case or stage instance an evaluation has to look at. */
export interface WakeList<Child extends Sleeper> {
  /** Something about them has changed, or they ask expressions: every evaluation looks at them. */
  awake: Child[];
  /** The list above is in the order of their creation. */
  isInOrder: boolean;
  /** Nothing but an event that the plan item hears can set them in motion. */
  asleep: Map<PlanItemNode, Child[]> | undefined;
  /** How many of those asleep keep the container busy. */
  busy: number;
  /** Listeners with an available condition. */
  readonly conditional: Child[];
}

export const createWakeList = <Child extends Sleeper>(): WakeList<Child> => ({
  awake: [],
  isInOrder: true,
  asleep: undefined,
  busy: 0,
  conditional: [],
});

const positionOf = ({ position }: Sleeper): number => position ?? 0;

/** The next evaluation looks at the child. */
export function wake<Child extends Sleeper>(wakeList: WakeList<Child>, child: Child): void {
  if (child.sleep === 'busy') wakeList.busy--;
  child.sleep = undefined;
  if (child.isListed) return;
  child.isListed = true;
  const last = wakeList.awake.at(-1);
  if (last && positionOf(last) > positionOf(child)) wakeList.isInOrder = false;
  wakeList.awake.push(child);
}

/** Evaluations leave the child out until it is woken. */
export function sendToSleep<Child extends Sleeper>(
  wakeList: WakeList<Child>,
  child: Child,
  as: Sleep,
): void {
  if (as === 'busy' && child.sleep !== 'busy') wakeList.busy++;
  child.sleep = as;
  if (as === 'ended' || child.isFindable || !child.planItem.hearsEvents) return;
  child.isFindable = true;
  wakeList.asleep ??= new Map();
  const sleepers = wakeList.asleep.get(child.planItem);
  if (sleepers) sleepers.push(child);
  else wakeList.asleep.set(child.planItem, [child]);
}

/** Wakes the instances of the plan items. */
export function wakeAll<Child extends Sleeper>(
  wakeList: WakeList<Child>,
  planItems: Iterable<PlanItemNode>,
): void {
  const { asleep } = wakeList;
  if (!asleep) return;
  for (const planItem of planItems) {
    const sleepers = asleep.get(planItem);
    if (!sleepers) continue;
    asleep.delete(planItem);
    for (const child of sleepers) {
      child.isFindable = false;
      if (child.sleep === 'idle' || child.sleep === 'busy') wake(wakeList, child);
    }
  }
}

/** The children to look at, in the order of their creation. */
export function wakeful<Child extends Sleeper>(wakeList: WakeList<Child>): readonly Child[] {
  const awake: Child[] = [];
  for (const child of wakeList.awake) {
    if (child.sleep === undefined) awake.push(child);
    else child.isListed = false;
  }
  if (!wakeList.isInOrder) awake.sort((left, right) => positionOf(left) - positionOf(right));
  wakeList.isInOrder = true;
  wakeList.awake = awake;
  return [...awake];
}
