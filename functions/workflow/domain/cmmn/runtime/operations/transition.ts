import { isPossible, type PlanItemState, type PlanItemTransition } from '../../model/transition.ts';
import type { PlanItemOperation } from '../run/agenda.ts';
import { touch } from '../run/live-tree.ts';
import { emit, factsOf, planEvaluation, type Run } from '../run/run.ts';
import { notifyLifecycleListeners } from '../variables/lifecycle-listeners.ts';

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
    run.behaviors[planItem.definition.type].onTransition?.(run, item, change.transition, operation);
  }
  item.state = change.to;
  touch(item);
  run.touched.add(caseInstance);
  if (from !== change.to) tell(run, operation, change, from);
  notifyLifecycleListeners(run, item, from);
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
  { item, criterionId, cause }: PlanItemOperation,
  { transition, to }: Move,
  from: PlanItemState | undefined,
): void {
  emit(run, item.caseInstance, {
    type: 'planItemTransition',
    ...factsOf(item),
    transition,
    from,
    to,
    cause,
    criterionId,
  });
}
