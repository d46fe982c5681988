import { awaitsEntry, isEndish } from '../../model/transition.ts';
import { applyAvailableConditions } from '../rules/available-condition.ts';
import { isAutoComplete, judgeEvaluated } from '../rules/completion.ts';
import { isHeard, satisfiedCriterion } from '../rules/sentry.ts';
import { countVisits, type Evaluation, type StandardEvent } from '../run/agenda.ts';
import { setCompletable } from '../run/completable.ts';
import { completedBefore } from '../run/completed-before.ts';
import type { Container, LiveCase, LivePlanItem } from '../run/live-case.ts';
import { hang, wakeListOf } from '../run/live-tree.ts';
import { plan, type Run } from '../run/run.ts';
import { activateIfEntered } from './activation.ts';
import { enterAcrossBorders } from './cross-border.ts';
import { childrenToEvaluate, letSleep } from './sleep.ts';
import { startTimerAtTrigger } from './timer-start.ts';

interface Pass {
  readonly run: Run;
  readonly event: StandardEvent | undefined;
  readonly completion: boolean;
}

/**
 * Looks at a case after an event, or at the end of a command: exit criteria of the plan model, then the plan
 * items from the outside in, then whether the case is complete (CMMN 1.1, 8.5 and 8.6.1).
 */
export function evaluateCase(run: Run, evaluation: Evaluation): void {
  const { caseInstance, event, completion } = evaluation;
  if (caseInstance.state !== 'active') return;
  if (!isHeard(event) && isQuiet(caseInstance, completion)) return;
  const before = caseInstance.revision;
  const { exitCriteria } = caseInstance.model;
  const criterion = satisfiedCriterion(run, caseInstance, exitCriteria, event);
  if (criterion) {
    const { id: criterionId, exitEventType } = criterion;
    run.touched.add(caseInstance);
    plan(run, {
      kind: 'terminateCase',
      caseInstance,
      criterionId,
      exitEventType,
      cause: 'criterion',
    });
    return;
  }
  const isBusy = evaluateContainer({ run, event, completion }, caseInstance);
  if (completion) completeIfDone(run, caseInstance, isBusy);
  if (caseInstance.revision === before) caseInstance.quiet = { revision: before, completion };
  else run.touched.add(caseInstance);
}

/** Nothing has changed since an evaluation that looked at the same things found nothing to do. */
function isQuiet({ quiet, revision }: LiveCase, completion: boolean): boolean {
  return quiet?.revision === revision && (quiet.completion || !completion);
}

function completeIfDone(run: Run, caseInstance: LiveCase, isBusy: boolean): void {
  const isAuto = isAutoComplete(run, caseInstance);
  let judgement = judgeEvaluated(run, caseInstance, isAuto);
  if (setCompletable(run, caseInstance, judgement.isCompletable)) {
    if (applyAvailableConditions(run, caseInstance)) {
      judgement = judgeEvaluated(run, caseInstance, isAuto);
      setCompletable(run, caseInstance, judgement.isCompletable);
    }
  }
  if (judgement.shouldComplete && !isBusy) {
    plan(run, { kind: 'completeCase', caseInstance, cause: 'autoComplete' });
  }
}

/**
 * Evaluates the children of the case or of a stage instance that are not asleep, in order of their creation.
 * @returns whether something was set in motion or is active
 */
function evaluateContainer(pass: Pass, container: Container): boolean {
  const { run, event } = pass;
  const created: LivePlanItem[] = [];
  const children = childrenToEvaluate(container, event);
  countVisits(run.agenda, 1 + children.length);
  let isBusy = wakeListOf(container).busy > 0;
  for (const child of children) {
    if (evaluateChild(pass, container, child, created)) isBusy = true;
    letSleep(container, child);
  }
  if (applyAvailableConditions(run, container)) isBusy = true;
  if (event?.kind === 'planItem') enterAcrossBorders(run, event);
  created.forEach(hang);
  return isBusy;
}

function evaluateChild(
  pass: Pass,
  container: Container,
  child: LivePlanItem,
  created: LivePlanItem[],
): boolean {
  const { run, event } = pass;
  const { state } = child;
  let isBusy = state === undefined;
  if (awaitsEntry(state) && activateIfEntered(run, child, container, event, created)) isBusy = true;
  if (isEndish(state)) return isBusy;
  if (event && child.planItem.startTrigger) startTimerAtTrigger(run, child, event);
  if (exitIfSatisfied(pass, child)) return true;
  if (state !== 'active' && state !== 'suspended') return isBusy;
  if (child.planItem.isStage && state === 'active') return evaluateStage(pass, child) || isBusy;
  return isBusy || !isIgnoredWhileActive(child);
}

/** Exit criteria (CMMN 1.1, 5.4) of every instance that has not ended. */
function exitIfSatisfied({ run, event }: Pass, child: LivePlanItem): boolean {
  const { exitCriteria } = child.planItem;
  if (exitCriteria.length === 0) return false;
  const criterion = satisfiedCriterion(run, child, exitCriteria, event);
  if (!criterion) return false;
  const { id: criterionId, exitType, exitEventType } = criterion;
  plan(run, {
    kind: 'exit',
    item: child,
    criterionId,
    exitType,
    exitEventType,
    cause: 'criterion',
  });
  return true;
}

/** Descends into an active stage and judges it when nothing in it is busy. */
function evaluateStage(pass: Pass, stage: LivePlanItem): boolean {
  const { run, completion } = pass;
  if (stage.isInFlux) {
    setCompletable(run, stage, false);
    return false;
  }
  if (evaluateContainer(pass, stage)) {
    setCompletable(run, stage, false);
    return true;
  }
  const isAuto = isAutoComplete(run, stage);
  if (isAuto && !completion) return false;
  const { isCompletable, shouldComplete } = judgeEvaluated(run, stage, isAuto);
  if (isCompletable) setCompletable(run, stage, true);
  if (shouldComplete) plan(run, { kind: 'complete', item: stage, cause: 'autoComplete' });
  return shouldComplete;
}

/** Active instances that keep no parent busy, because the model says that they do not count. */
function isIgnoredWhileActive(child: LivePlanItem): boolean {
  const rule = child.planItem.itemControl.parentCompletionRule;
  return rule === 'ignore' || (rule === 'ignoreAfterFirstCompletion' && completedBefore(child));
}
