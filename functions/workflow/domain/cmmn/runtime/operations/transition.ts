import { isPossible, type PlanItemState, type PlanItemTransition } from '../../model/transition.ts';
import type { PlanItemOperation } from '../run/agenda.ts';
import { type LivePlanItem, touch } from '../run/live-case.ts';
import { emit, factsOf, planEvaluation, type Run } from '../run/run.ts';
import { evaluate } from '../variables/expression-scope.ts';

/** A change of state: what an operation does to its instance. */
export interface Move {
  readonly to: PlanItemState;
  readonly transition: PlanItemTransition;
  /** What follows once the state has changed. */
  readonly follow?: () => void;
}

/**
 * Changes the state of a plan item instance. The order is the same for every transition: what the type adds,
 * the new state, lifecycle listeners, an evaluation of everybody who waits for the event, what follows.
 */
export function move(run: Run, operation: PlanItemOperation, change: Move): void {
  const { item } = operation;
  const { planItem, caseInstance } = item;
  const from = change.transition === 'create' ? undefined : item.state;
  if (isPossible(item.state, change.transition, planItem.isEventListener)) {
    run.behaviors[planItem.definition.type].onTransition?.(run, item, change.transition);
  }
  item.state = change.to;
  touch(item);
  run.touched.add(caseInstance);
  if (from !== change.to) tell(run, operation, change, from);
  notifyListeners(run, item, from);
  if (!operation.isSilent) {
    planEvaluation(run, caseInstance, {
      kind: 'planItem',
      item,
      transition: change.transition,
      exitCriterionId: change.transition === 'exit' ? operation.criterionId : undefined,
    });
  }
  change.follow?.();
  item.isInFlux = false;
}

function tell(
  run: Run,
  { item, criterionId }: PlanItemOperation,
  { transition, to }: Move,
  from: PlanItemState | undefined,
): void {
  emit(run, item.caseInstance, {
    type: 'planItemTransition',
    ...factsOf(item),
    transition,
    from,
    to,
    criterionId,
  });
}

/** Runs the lifecycle listeners of the definition that wait for this change of state. */
function notifyListeners(run: Run, item: LivePlanItem, from: PlanItemState | undefined): void {
  for (const listener of item.planItem.definition.lifecycleListeners ?? []) {
    const { expression, sourceState, targetState } = listener;
    if (sourceState && sourceState !== from) continue;
    if (targetState && targetState !== item.state) continue;
    evaluate(run, expression, item.caseInstance, item, { mayWrite: true });
  }
}
