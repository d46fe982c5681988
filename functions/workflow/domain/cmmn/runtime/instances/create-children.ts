import type { PlanItemNode } from '../../model/case-model.ts';
import type { ReactivationRule } from '../../model/item-control.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';
import { ruleHolds } from '../variables/expression-scope.ts';
import { instantiate } from './plan-item-instances.ts';

/**
 * Creates the missing instances of a stage, or of the case when no stage is given. In a reactivated case the
 * reactivation rules decide for each of them (Flowable).
 */
export function createChildren(
  run: Run,
  caseInstance: LiveCase,
  planItems: readonly PlanItemNode[],
  stage: LivePlanItem | undefined,
): void {
  const entered = new Set(stage?.children.map((child) => child.planItem));
  for (const planItem of planItems) {
    if (entered.has(planItem)) continue;
    const verdict = reactivationVerdict(run, caseInstance, planItem, stage);
    if (verdict === 'ignore') continue;
    const item = instantiate(run, caseInstance, planItem, stage);
    plan(run, { kind: 'create', item });
    if (verdict === 'activate') plan(run, { kind: 'activateDirectly', item });
  }
}

/** Created and activated without looking at its entry criteria; not created; or created as in a new case. */
type Verdict = 'activate' | 'ignore' | 'default';

/** The rule of the item first; where that says nothing, the one that the listener has for all. */
function reactivationVerdict(
  run: Run,
  caseInstance: LiveCase,
  { itemControl }: PlanItemNode,
  stage: LivePlanItem | undefined,
): Verdict {
  if (caseInstance.reactivatedAt === undefined) return 'default';
  const listener = reactivationListener(caseInstance)?.definition;
  const byListener =
    listener?.type === 'reactivateEventListener' ? listener.defaultReactivationRule : undefined;
  return (
    verdictOf(run, itemControl.reactivationRule, caseInstance, stage) ??
    verdictOf(run, byListener, caseInstance, stage) ??
    'default'
  );
}

/** undefined: none of the conditions decides. A condition for the default decides also when it is false. */
function verdictOf(
  run: Run,
  rule: ReactivationRule | undefined,
  caseInstance: LiveCase,
  stage: LivePlanItem | undefined,
): Verdict | undefined {
  if (ruleHolds(run, rule?.activate, caseInstance, stage)) return 'activate';
  if (ruleHolds(run, rule?.ignore, caseInstance, stage)) return 'ignore';
  if (!rule?.byDefault) return undefined;
  return ruleHolds(run, rule.byDefault, caseInstance, stage) ? 'default' : 'ignore';
}

/** The listener through which an ended case can come back. */
export const reactivationListener = ({ model }: LiveCase): PlanItemNode | undefined =>
  model.planModel.children.find(({ definition }) => definition.type === 'reactivateEventListener');
