import type { PlanItemNode } from '../../model/case-model.ts';

/**
 * How a sleeping child affects the completion of its container. `ended`: it never wakes; `idle`: not at all;
 * `waits`: prevents automatic completion; `asked`: the rules of the child decide; `busy`: keeps it open.
 */
export type Sleep = 'ended' | 'idle' | 'waits' | 'asked' | 'busy';

/** A child as far as its sleep is concerned. */
interface Sleeper {
  readonly planItem: PlanItemNode;
  /** Its place among the children of its container; undefined until it is attached. */
  readonly position: number | undefined;
  /** undefined: it is awake, or not attached. */
  sleep: Sleep | undefined;
  /** It is in the list `awake`, where it stays after it has gone to sleep until the list is read. */
  isListed: boolean;
  /** It is in the lists `asleep`, where it stays after it was woken until an event reaches its plan item. */
  isFindable: boolean;
}

/** The children of a case or stage instance that an evaluation visits. */
export interface WakeList<Child extends Sleeper> {
  /** They have changed, or evaluate expressions: every evaluation visits them. */
  awake: Child[];
  /** The list above is in the order of their creation. */
  isInOrder: boolean;
  /** Only an event that their plan item waits for wakes them. */
  asleep: Map<PlanItemNode, Child[]> | undefined;
  /** How many of those asleep keep the container busy. */
  busy: number;
  /** How many of those asleep wait. */
  waits: number;
  /** Those asleep whose rules decide. */
  asked: Set<Child> | undefined;
  /** Listeners with an available condition. */
  readonly conditional: Child[];
}

export const createWakeList = <Child extends Sleeper>(): WakeList<Child> => ({
  awake: [],
  isInOrder: true,
  asleep: undefined,
  busy: 0,
  waits: 0,
  asked: undefined,
  conditional: [],
});

const positionOf = ({ position }: Sleeper): number => position ?? 0;

/** The next evaluation looks at the child. */
export function wake<Child extends Sleeper>(wakeList: WakeList<Child>, child: Child): void {
  count(wakeList, child, -1);
  child.sleep = undefined;
  if (child.isListed) return;
  child.isListed = true;
  const last = wakeList.awake.at(-1);
  if (last && positionOf(last) > positionOf(child)) wakeList.isInOrder = false;
  wakeList.awake.push(child);
}

/** Counts a child that has gone to sleep, or that is about to be woken. */
function count<Child extends Sleeper>(wakeList: WakeList<Child>, child: Child, by: 1 | -1): void {
  if (child.sleep === 'busy') wakeList.busy += by;
  else if (child.sleep === 'waits') wakeList.waits += by;
  else if (child.sleep !== 'asked') return;
  else if (by < 0) wakeList.asked?.delete(child);
  else {
    wakeList.asked ??= new Set();
    wakeList.asked.add(child);
  }
}

/** Evaluations leave the child out until it is woken. */
export function sendToSleep<Child extends Sleeper>(
  wakeList: WakeList<Child>,
  child: Child,
  as: Sleep,
): void {
  count(wakeList, child, -1);
  child.sleep = as;
  count(wakeList, child, 1);
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
      if (child.sleep && child.sleep !== 'ended') wake(wakeList, child);
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

/** The children that have not ended and whose part in the completion of the container is not counted. */
export function uncounted<Child extends Sleeper>({ awake, asked }: WakeList<Child>): Child[] {
  const uncounted = awake.filter(({ sleep }) => sleep === undefined);
  if (asked) uncounted.push(...asked);
  return uncounted;
}
