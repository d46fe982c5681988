import { openOverviews } from '../instances/aggregation-overview.ts';
import { counterOf, counterVariables } from '../instances/plan-item-instances.ts';
import { repeatAtActivation } from '../instances/repetition.ts';
import { hasAvailableCondition } from '../rules/available-condition.ts';
import { removeOrphanedListeners } from '../rules/orphans.ts';
import { clearMemory } from '../rules/sentry.ts';
import type { PlanItemOperation } from '../run/agenda.ts';
import { containerOf, type LiveCase, type LivePlanItem } from '../run/live-case.ts';
import { touch } from '../run/live-tree.ts';
import { plan, type Run, withCause } from '../run/run.ts';
import { ruleHolds } from '../variables/expression-scope.ts';
import { move } from './transition.ts';

/**
 * `create` (CMMN 1.1, 8.4): available; a listener with a condition waits for that first, unless it
 * continues a repeating timer.
 */
export function create(run: Run, operation: PlanItemOperation): void {
  const { item } = operation;
  if (item.state !== undefined) return;
  const goesOn = item.timer !== undefined;
  const isHeldBack =
    (hasAvailableCondition(item) && !goesOn) ||
    item.planItem.definition.type === 'reactivateEventListener';
  giveCounter(run, item);
  move(run, operation, { to: isHeldBack ? 'unavailable' : 'available', transition: 'create' });
}

/** `reactivate`: the listener that brings a case back, or an item that waits for it, is available again (Flowable). */
export function reactivate(run: Run, operation: PlanItemOperation): void {
  giveCounter(run, operation.item);
  move(run, operation, { to: 'available', transition: 'reactivate' });
}

/** The first instance of a repetition; its copies bring their counters along. */
function giveCounter(run: Run, item: LivePlanItem): void {
  if (counterOf(item) !== 0) return;
  openOverviews(run, item);
  const counter = counterVariables(item.planItem, 1);
  if (counter) item.variables = { ...item.variables, ...counter };
}

/** `create` of an instance that repeats another one: it waits for its turn, unless it belongs to an element of a collection. */
export function createRepeated(run: Run, operation: PlanItemOperation): void {
  const isForElement = operation.item.planItem.itemControl.repetitionRule?.collection;
  const to = isForElement ? 'available' : 'wait_repetition';
  move(run, operation, { to, transition: 'create' });
}

/** Entry criteria are satisfied: by the manual activation rule to enabled, else to active (5.4). */
export function activate(run: Run, { item, criterionId, cause }: PlanItemOperation): void {
  const { manualActivationRule } = item.planItem.itemControl;
  const isManual = ruleHolds(run, manualActivationRule, item.caseInstance, item);
  clearMemory(item);
  plan(run, { kind: isManual ? 'enable' : 'start', item, criterionId, cause });
}

/** A reactivation rule activates the item: its entry criteria are not asked, its collection is. */
export function activateDirectly(run: Run, { item }: PlanItemOperation): void {
  const isOverCollection = item.planItem.itemControl.repetitionRule?.collection !== undefined;
  const verdict = repeatAtActivation(run, item, containerOf(item), undefined);
  item.isInFlux = false;
  if (verdict === 'activate' || !isOverCollection) {
    plan(run, { kind: 'activate', item, cause: 'reactivation' });
  }
}

/** `enable` and `reenable` (CMMN 1.1, 8.4): a person may start the instance. */
export function enable(run: Run, operation: PlanItemOperation): void {
  const { item } = operation;
  if (item.state === 'enabled') return;
  item.enabledAt = run.at;
  item.entryCriterionId = operation.criterionId ?? item.entryCriterionId;
  clearMemory(item);
  move(run, operation, {
    to: 'enabled',
    transition: 'enable',
    follow: () => removeOrphanedListeners(run, item),
  });
}

/** `disable` (CMMN 1.1, 8.4): a person does not want it now. */
export function disable(run: Run, operation: PlanItemOperation): void {
  if (operation.item.state === 'disabled') return;
  move(run, operation, { to: 'disabled', transition: 'disable' });
}

/** `start` (CMMN 1.1, 8.4): the work begins. */
export function start(run: Run, operation: PlanItemOperation): void {
  const { item } = operation;
  if (item.state === 'active') return;
  item.startedAt = run.at;
  item.endedAt = undefined;
  item.entryCriterionId = operation.criterionId ?? item.entryCriterionId;
  clearMemory(item);
  move(run, operation, {
    to: 'active',
    transition: 'start',
    follow: () => {
      run.behaviors[item.planItem.definition.type].onStart?.(run, item);
      removeOrphanedListeners(run, item);
    },
  });
}

/** The available condition of a listener has become true (extension of Flowable). */
export function initiate(run: Run, operation: PlanItemOperation): void {
  if (operation.item.state === 'available') return;
  move(run, operation, { to: 'available', transition: 'initiate' });
}

/** The available condition of a listener has become false (extension of Flowable). */
export function dismiss(run: Run, operation: PlanItemOperation): void {
  if (operation.item.state === 'unavailable') return;
  move(run, operation, { to: 'unavailable', transition: 'dismiss' });
}

/** `suspend` and `parentSuspend` (CMMN 1.1, 8.4): the instance and all below it rest. */
export function suspend(run: Run, operation: PlanItemOperation): void {
  const { item } = operation;
  const transition = operation.kind === 'suspend' ? 'suspend' : 'parentSuspend';
  if (item.state === 'suspended') return;
  item.suspendedFrom = item.state;
  item.isSuspendedItself = transition === 'suspend' || undefined;
  move(run, operation, {
    to: 'suspended',
    transition,
    follow: () => {
      for (const child of item.children) {
        if (canRest(child.state)) plan(run, { kind: 'parentSuspend', item: child });
      }
    },
  });
}

/** An item that was suspended itself stays suspended when its container is resumed. */
export const resumesWithParent = ({ state, isSuspendedItself }: LivePlanItem | LiveCase): boolean =>
  state === 'suspended' && !isSuspendedItself;

/** States from which an instance can be suspended. */
export const canRest = (state: PlanItemOperation['item']['state']): boolean =>
  state === 'available' || state === 'enabled' || state === 'disabled' || state === 'active';

/**
 * `resume` and `parentResume` (CMMN 1.1, 8.4): back to the state before. A timer that has become due
 * meanwhile fires at once.
 */
export function resume(run: Run, operation: PlanItemOperation): void {
  const { item } = operation;
  if (item.state !== 'suspended') return;
  const to = item.suspendedFrom ?? 'active';
  move(run, operation, {
    to,
    transition: operation.kind === 'resume' ? 'resume' : 'parentResume',
    follow: () => {
      for (const child of item.children) {
        if (resumesWithParent(child)) plan(run, { kind: 'parentResume', item: child });
      }
    },
  });
  item.suspendedFrom = undefined;
  item.isSuspendedItself = undefined;
  touch(item);
  const isOverdue = item.timer && Date.parse(item.timer.dueAt) <= run.environment.now;
  if (!isOverdue) return;
  withCause(run, 'timer', () =>
    run.behaviors[item.planItem.definition.type].onTrigger?.(run, item),
  );
}
