import { CmmnError } from '../../basics/cmmn-error.ts';
import type { PlanItemNode } from '../../model/case-model.ts';
import type { ReactivationRule } from '../../model/item-control.ts';
import { instantiate } from '../instances/plan-item-instances.ts';
import type { CaseOperation } from '../run/agenda.ts';
import type { LiveCase } from '../run/live-case.ts';
import { touchCase } from '../run/live-case.ts';
import { emit, plan, planEvaluation, type Run } from '../run/run.ts';
import { evaluate, isTrue, ruleHolds } from '../variables/expression-scope.ts';

/**
 * Brings an ended case back through its reactivation listener (CMMN 1.1, 8.4 `re-activate`; the peer).
 * @throws CmmnError `CASE_NOT_REACTIVATABLE` without a listener, or while its available condition is not true
 */
export function reactivateCase(run: Run, caseInstance: LiveCase): void {
  const definition = reactivationListener(caseInstance)?.definition;
  const condition =
    definition?.type === 'reactivateEventListener' ? definition.availableCondition : undefined;
  if (!definition || (condition && !isTrue(evaluate(run, condition, caseInstance)))) {
    const message = definition
      ? 'The reactivation listener of the case is not available.'
      : 'The model of the case has no reactivation listener.';
    throw new CmmnError('CASE_NOT_REACTIVATABLE', message, { caseInstanceId: caseInstance.id });
  }
  caseInstance.state = 'active';
  caseInstance.endedAt = undefined;
  caseInstance.completable = false;
  touchCase(caseInstance);
  emit(run, caseInstance, { type: 'caseReactivated' });
  plan(run, { kind: 'reactivatePlanModel', caseInstance });
}

const reactivationListener = ({ model }: LiveCase): PlanItemNode | undefined =>
  model.planModel.children.find(({ definition }) => definition.type === 'reactivateEventListener');

/**
 * Creates the plan items again as their reactivation rules say. Items that wait for the listener itself are
 * always created; at last the listener occurs.
 */
export function reactivatePlanModel(
  run: Run,
  { caseInstance }: Extract<CaseOperation, { kind: 'reactivatePlanModel' }>,
): void {
  const listener = reactivationListener(caseInstance);
  if (listener?.definition.type !== 'reactivateEventListener') return;
  const { defaultReactivationRule } = listener.definition;
  run.touched.add(caseInstance);
  for (const planItem of caseInstance.model.planModel.children) {
    if (planItem === listener) continue;
    const isWaiting =
      listener.entryDependents.has(planItem) || listener.exitDependents.has(planItem);
    const rule = isWaiting
      ? undefined
      : (planItem.itemControl.reactivationRule ?? defaultReactivationRule);
    recreate(run, caseInstance, planItem, rule);
  }
  const item = instantiate(run, caseInstance, listener, undefined);
  plan(run, { kind: 'create', item });
  plan(run, { kind: 'occur', item });
  planEvaluation(run, caseInstance);
}

function recreate(
  run: Run,
  caseInstance: LiveCase,
  planItem: PlanItemNode,
  rule: ReactivationRule | undefined,
): void {
  const activates = ruleHolds(run, rule?.activate, caseInstance);
  if (!activates && ruleHolds(run, rule?.ignore, caseInstance)) return;
  const item = instantiate(run, caseInstance, planItem, undefined);
  plan(run, { kind: 'create', item });
  if (activates) plan(run, { kind: 'activate', item });
}
