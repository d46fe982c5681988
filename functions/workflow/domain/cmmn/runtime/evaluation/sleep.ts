import type { CriterionNode, PlanItemNode } from '../../model/case-model.ts';
import { awaitsEntry, isEndish, isTerminal } from '../../model/transition.ts';
import { needsEvent } from '../rules/sentry.ts';
import type { StandardEvent } from '../run/agenda.ts';
import type { Container, LivePlanItem } from '../run/live-case.ts';
import { wakeListOf } from '../run/live-tree.ts';
import { type Sleep, sendToSleep, wakeAll, wakeful } from '../run/wake-list.ts';

const NOBODY: readonly never[] = [];

/** The children that the event, or what has changed, can set in motion. */
export function childrenToEvaluate(
  container: Container,
  event: StandardEvent | undefined,
): readonly LivePlanItem[] {
  const wakeList = wakeListOf(container);
  if (event) {
    const { model } = container.isCase ? container : container.caseInstance;
    const hearing =
      event.kind === 'planItem'
        ? event.item.planItem.heard.get(event.transition)
        : model.heardVariables.get(event.variableName);
    wakeAll(wakeList, hearing ?? NOBODY);
  }
  return wakeful(wakeList);
}

/** After its evaluation an instance sleeps, if evaluating it again without an event would have the same result. */
export function letSleep(container: Container, child: LivePlanItem): void {
  const sleep = sleepOf(child);
  if (sleep) sendToSleep(wakeListOf(container), child, sleep);
}

function sleepOf(child: LivePlanItem): Sleep | undefined {
  const { state, planItem } = child;
  const { entryCriteria, exitCriteria, isEventListener } = planItem;
  if (state === undefined) return undefined;
  if (isTerminal(state)) return 'ended';
  const isEntered = awaitsEntry(state) && !isEventListener;
  if (isEntered && (entryCriteria.length === 0 || !allNeedEvents(child, entryCriteria))) {
    return undefined;
  }
  if (!isEndish(state) && !allNeedEvents(child, exitCriteria)) return undefined;
  return state === 'active' || state === 'suspended' ? sleepAtWork(child) : sleepAtRest(child);
}

function sleepAtWork({ state, planItem }: LivePlanItem): Sleep | undefined {
  const rule = planItem.itemControl.parentCompletionRule;
  const isAskedAgain =
    (planItem.isStage && state === 'active') || rule === 'ignoreAfterFirstCompletion';
  if (isAskedAgain) return undefined;
  return rule === 'ignore' ? 'idle' : 'busy';
}

function sleepAtRest({ state, planItem }: LivePlanItem): Sleep {
  if (isEndish(state) || planItem.itemControl.parentCompletionRule === 'ignore') return 'idle';
  return isJudgedByState(planItem) ? 'waits' : 'asked';
}

/** Whether no rule of the plan item says what an idle instance means to the completion of its container. */
const isJudgedByState = ({ isStage, itemControl }: PlanItemNode): boolean =>
  !isStage &&
  !itemControl.requiredRule &&
  !itemControl.completionNeutralRule &&
  !itemControl.parentCompletionRule;

const allNeedEvents = (child: LivePlanItem, criteria: readonly CriterionNode[]): boolean =>
  criteria.every((criterion) => needsEvent(child, criterion));
