import type { PlanItemDefinition } from '../../model/plan-item-definition.ts';
import type { LivePlanItem } from '../run/live-case.ts';
import { type Behavior, plan, type Run } from '../run/run.ts';
import { evaluate, isTrue } from '../variables/expression-scope.ts';

/** Whether the task keeps its instance active until it is done (CMMN 1.1, 5.4: `isBlocking`). */
export function isBlocking(run: Run, item: LivePlanItem): boolean {
  const definition: PlanItemDefinition = item.planItem.definition;
  if (!('isBlocking' in definition)) return true;
  const { isBlockingExpression } = definition;
  if (!isBlockingExpression) return definition.isBlocking;
  return isTrue(evaluate(run, isBlockingExpression, item.caseInstance, item));
}

/** A task without a type waits until it is triggered; one that does not block completes at once. */
export const task: Behavior = {
  onStart(run, item) {
    if (!isBlocking(run, item)) plan(run, { kind: 'complete', item });
  },
  onTrigger(run, item) {
    plan(run, { kind: 'complete', item });
  },
};
