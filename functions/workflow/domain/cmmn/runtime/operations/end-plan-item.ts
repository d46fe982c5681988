import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Cause } from '../../contract/effect.ts';
import type { ExitType } from '../../model/sentry.ts';
import { isTerminal, type PlanItemState, type PlanItemTransition } from '../../model/transition.ts';
import { collect, publishIfLast } from '../instances/aggregation.ts';
import { type Ending, repeatAtEnd } from '../instances/repetition.ts';
import { judge } from '../rules/completion.ts';
import { removeOrphanedListeners } from '../rules/orphans.ts';
import { clearMemory } from '../rules/sentry.ts';
import type { PlanItemOperation } from '../run/agenda.ts';
import { blockingPlanItem } from '../run/blocking-plan-item.ts';
import { forgetStage, rememberCompletion } from '../run/completed-before.ts';
import { isAtWork, type LivePlanItem } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';
import { move } from './transition.ts';

/** `complete` (CMMN 1.1, 8.4): the work is done; what is left of a stage is ended. */
export function complete(run: Run, operation: PlanItemOperation): void {
  end(run, operation, { to: 'completed', transition: 'complete', kind: 'complete' });
}

/** `occur` of a listener or milestone (CMMN 1.1, 8.4). */
export function occur(run: Run, operation: PlanItemOperation): void {
  end(run, operation, { to: 'completed', transition: 'occur', kind: 'occur' });
}

/** `terminate` (CMMN 1.1, 8.4): a command or the end of the parent ends the instance. */
export function terminate(run: Run, operation: PlanItemOperation): void {
  end(run, operation, { to: 'terminated', transition: 'terminate', kind: 'terminate' });
}

/** `fault` (CMMN 1.1, 8.4): the work cannot be done. */
export function fault(run: Run, operation: PlanItemOperation): void {
  end(run, operation, { to: 'failed', transition: 'fault', kind: 'fault' });
}

/**
 * `exit` (CMMN 1.1, 8.4): an exit criterion ends the instance. The exit type spares instances in some
 * states; on a stage, the exit event type decides how it ends (extensions of Flowable).
 * @throws CmmnError `STAGE_NOT_COMPLETABLE`
 */
export function exit(run: Run, operation: PlanItemOperation): void {
  const { item, exitType, exitEventType } = operation;
  const { isStage } = item.planItem;
  if (!isStage && isSpared(item.state, exitType)) {
    item.isInFlux = false;
    return;
  }
  const completes = isStage && (exitEventType === 'complete' || exitEventType === 'forceComplete');
  if (completes && exitEventType === 'complete') requireCompletable(run, item);
  end(run, operation, {
    to: completes ? 'completed' : 'terminated',
    transition: completes ? 'complete' : 'exit',
    kind: 'exit',
  });
}

/** Instances that have not started; those that a person could start only where the type says so. */
function isSpared(state: PlanItemState | undefined, exitType: ExitType | undefined): boolean {
  if (!hasExitType(exitType)) return false;
  if (state === 'enabled') return exitType === 'activeInstances';
  return state === 'available' || state === 'unavailable' || state === 'wait_repetition';
}

/** @throws CmmnError `STAGE_NOT_COMPLETABLE` when something in the stage has to be done first */
function requireCompletable(run: Run, stage: LivePlanItem): void {
  const { isCompletable, blockedBy } = judge(run, stage, true);
  if (isCompletable) return;
  throw new CmmnError(
    'STAGE_NOT_COMPLETABLE',
    `"${stage.name}" cannot be completed${blockedBy ? `: "${blockedBy.name}" is ${blockedBy.state}` : ''}.`,
    { planItemInstanceId: stage.id, blockingPlanItem: blockedBy && blockingPlanItem(blockedBy) },
  );
}

interface End {
  readonly to: 'completed' | 'terminated' | 'failed';
  readonly transition: PlanItemTransition;
  readonly kind: Ending['kind'];
}

/**
 * Steps common to all ends: children, aggregation, repetition, memory, orphaned listeners, in this order.
 * An end that was planned twice happens twice to those who wait for it, but for an exit (Flowable).
 */
function end(run: Run, operation: PlanItemOperation, { to, transition, kind }: End): void {
  const { item, exitType } = operation;
  const from = item.state;
  const wasActive = isAtWork(item);
  const isDone = kind === 'complete' || kind === 'occur';
  if (from === to && (kind === 'exit' || kind === 'fault')) {
    item.isInFlux = false;
    return;
  }
  item.endedAt = run.at;
  item.exitCriterionId = kind === 'exit' ? operation.criterionId : item.exitCriterionId;
  move(run, operation, {
    to,
    transition,
    follow: () => {
      if (to === 'completed') rememberCompletion(item);
      if (item.planItem.isStage)
        endChildren(run, item, { kind, to, criterionId: operation.criterionId });
      if (wasActive && isDone) collect(run, item);
      const isFollowed = repeatAtEnd(run, item, {
        from,
        kind,
        hasExitType: hasExitType(exitType) && to === 'terminated',
      });
      if (wasActive && !isFollowed) publishIfLast(run, item, isDone);
      clearMemory(item);
      removeOrphanedListeners(run, item);
    },
  });
}

const hasExitType = (exitType: ExitType | undefined): boolean =>
  exitType !== undefined && exitType !== 'default';

/** Why the children of a stage end that has not completed. */
const ENDED_BY: Readonly<Record<Ending['kind'], Cause>> = {
  complete: 'parentCompleted',
  occur: 'parentCompleted',
  exit: 'parentExited',
  terminate: 'parentTerminated',
  fault: 'parentFailed',
};

/** The children of a stage that ends are never completed: they exit, or terminate as the stage does. */
function endChildren(
  run: Run,
  stage: LivePlanItem,
  { kind, to, criterionId }: Pick<End, 'kind' | 'to'> & { readonly criterionId?: string },
): void {
  const cause = to === 'completed' ? 'parentCompleted' : ENDED_BY[kind];
  const ending = kind === 'terminate' || kind === 'fault' ? 'terminate' : 'exit';
  for (const child of stage.children) {
    if (!isTerminal(child.state)) plan(run, { kind: ending, item: child, criterionId, cause });
  }
  forgetStage(stage);
}
