import { CmmnError } from '../../basics/cmmn-error.ts';
import { createChildren, reactivationListener } from '../instances/create-children.ts';
import { instantiate } from '../instances/plan-item-instances.ts';
import type { CaseOperation } from '../run/agenda.ts';
import { standAlone } from '../run/family.ts';
import type { LiveCase } from '../run/live-case.ts';
import { touchCase } from '../run/live-tree.ts';
import { caseFactsOf, emit, plan, planEvaluation, type Run } from '../run/run.ts';
import { evaluate, isTrue } from '../variables/expression-scope.ts';

/**
 * Brings an ended case back through its reactivation listener (CMMN 1.1, 8.4 `re-activate`; Flowable).
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
  standAlone(caseInstance);
  caseInstance.state = 'active';
  caseInstance.endedAt = undefined;
  caseInstance.reactivatedAt = run.at;
  caseInstance.completable = false;
  touchCase(caseInstance);
  emit(run, caseInstance, { type: 'caseReactivated', ...caseFactsOf(caseInstance) });
  plan(run, { kind: 'reactivatePlanModel', caseInstance });
}

/**
 * Brings back the listener and the items that wait to be entered through it, lets it occur, and creates the plan
 * items again as their reactivation rules say: a new listener among them, for the next time.
 */
export function reactivatePlanModel(
  run: Run,
  { caseInstance }: Extract<CaseOperation, { kind: 'reactivatePlanModel' }>,
): void {
  const listener = reactivationListener(caseInstance);
  if (!listener) return;
  const { children } = caseInstance.model.planModel;
  const item = instantiate(run, caseInstance, listener, undefined);
  plan(run, { kind: 'reactivate', item });
  for (const planItem of children) {
    if (!listener.entryDependents.has(planItem)) continue;
    const dependent = instantiate(run, caseInstance, planItem, undefined);
    plan(run, { kind: 'reactivate', item: dependent });
  }
  plan(run, { kind: 'occur', item });
  const others = children.filter((planItem) => !listener.entryDependents.has(planItem));
  createChildren(run, caseInstance, others, undefined);
  run.touched.add(caseInstance);
  planEvaluation(run, caseInstance);
}
