import type { CriterionNode } from '../../model/case-model.ts';
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

/** An instance that has been looked at sleeps, when looking at it again without an event would tell the same. */
export function letSleep(container: Container, child: LivePlanItem): void {
  const sleep = sleepOf(child);
  if (sleep) sendToSleep(wakeListOf(container), child, sleep);
}

function sleepOf(child: LivePlanItem): Sleep | undefined {
  const { state, planItem } = child;
  const { entryCriteria, exitCriteria, isEventListener, isStage } = planItem;
  if (state === undefined) return undefined;
  if (isTerminal(state)) return 'ended';
  const isEntered = awaitsEntry(state) && !isEventListener;
  if (isEntered && (entryCriteria.length === 0 || !allNeedEvents(child, entryCriteria))) {
    return undefined;
  }
  if (!isEndish(state) && !allNeedEvents(child, exitCriteria)) return undefined;
  if (state !== 'active' && state !== 'suspended') return 'idle';
  const rule = planItem.itemControl.parentCompletionRule;
  const isAskedAgain = (isStage && state === 'active') || rule === 'ignoreAfterFirstCompletion';
  if (isAskedAgain) return undefined;
  return rule === 'ignore' ? 'idle' : 'busy';
}

const allNeedEvents = (child: LivePlanItem, criteria: readonly CriterionNode[]): boolean =>
  criteria.every((criterion) => needsEvent(child, criterion));
