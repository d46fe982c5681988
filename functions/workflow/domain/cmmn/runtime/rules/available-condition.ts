import type { Container, LivePlanItem } from '../run/live-case.ts';
import { wakeListOf } from '../run/live-tree.ts';
import { plan, type Run } from '../run/run.ts';
import { evaluate } from '../variables/expression-scope.ts';
import { judge } from './completion.ts';

/** Whether the listener has an available condition; one for reactivation is out of reach while the case runs. */
export function hasAvailableCondition({ planItem }: LivePlanItem): boolean {
  return planItem.isConditional;
}

/**
 * Makes listeners of the container available whose available condition has become true; only when there are
 * none, makes those unavailable whose condition has become false (extension of Flowable).
 * @returns whether anything was set in motion
 */
export function applyAvailableConditions(run: Run, container: Container): boolean {
  const listeners = wakeListOf(container).conditional;
  if (listeners.length === 0) return false;
  const rising = listeners.filter(
    (item) => item.state === 'unavailable' && isConditionTrue(run, item),
  );
  for (const item of rising) plan(run, { kind: 'initiate', item });
  if (rising.length > 0) return true;
  const falling = listeners.filter(
    (item) => item.state === 'available' && !isConditionTrue(run, item),
  );
  for (const item of falling) plan(run, { kind: 'dismiss', item });
  return falling.length > 0;
}

/** `cmmn:isStageCompletable()` inside a stage is judged now, without the listener that asks. */
function isConditionTrue(run: Run, item: LivePlanItem): boolean {
  const { definition } = item.planItem;
  const condition = 'availableCondition' in definition ? definition.availableCondition : undefined;
  if (!condition || definition.type === 'reactivateEventListener') return false;
  const { stage, caseInstance } = item;
  const isStageCompletable = stage && (() => judge(run, stage, true, item).isCompletable);
  return evaluate(run, condition, caseInstance, item, { isStageCompletable }) === true;
}
