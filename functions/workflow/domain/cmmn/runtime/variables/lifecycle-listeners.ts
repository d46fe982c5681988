import type { PlanItemState } from '../../model/transition.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { evaluate } from './expression-scope.ts';

/** Runs the lifecycle listeners of the definition that wait for this change of state (extension of Flowable). */
export function notifyLifecycleListeners(
  run: Run,
  item: LivePlanItem,
  from: PlanItemState | undefined,
): void {
  if (from === item.state) return;
  for (const listener of item.planItem.definition.lifecycleListeners ?? []) {
    const { expression, sourceState, targetState } = listener;
    if (sourceState && sourceState !== from) continue;
    if (targetState && targetState !== item.state) continue;
    evaluate(run, expression, item.caseInstance, item, { mayWrite: true });
  }
}
