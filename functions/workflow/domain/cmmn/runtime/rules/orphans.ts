import { type PlanItemNode, type StageNode, sourcesOf } from '../../model/case-model.ts';
import { awaitsEntry, isTerminal } from '../../model/transition.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { instancesOf } from '../run/live-tree.ts';
import { plan, type Run } from '../run/run.ts';

/**
 * Ends the event listeners that no instance waits for any more, after an instance has started, been enabled or
 * ended. Without this a stage whose exit listener was never used would keep its case open forever (Flowable).
 */
export function removeOrphanedListeners(run: Run, item: LivePlanItem): void {
  const { planItem, caseInstance } = item;
  if (planItem.itemControl.repetitionRule) return;
  const candidates = new Set<PlanItemNode>();
  collectListeners(planItem, candidates);
  if (planItem.stage && isTerminal(item.state)) {
    collectUnused(planItem.stage, caseInstance, candidates);
  }
  for (const listener of candidates) {
    const instances = listeningInstances(caseInstance, listener);
    if (instances.length === 0 || isAwaited(caseInstance, listener)) continue;
    for (const orphan of instances)
      plan(run, { kind: 'terminate', item: orphan, cause: 'orphaned' });
  }
}

function collectListeners(planItem: PlanItemNode, into: Set<PlanItemNode>): void {
  for (const criterion of [...planItem.entryCriteria, ...planItem.exitCriteria]) {
    for (const source of sourcesOf(criterion)) if (source.isEventListener) into.add(source);
  }
}

/** Listeners of the plan items in an ended stage that never got an instance. */
function collectUnused(stage: StageNode, caseInstance: LiveCase, into: Set<PlanItemNode>): void {
  for (const planItem of stage.children) {
    const hasInstance = instancesOf(caseInstance, planItem).length > 0;
    if (!hasInstance) collectListeners(planItem, into);
    if (planItem.stage && hasOnPart(planItem)) collectUnused(planItem.stage, caseInstance, into);
  }
}

const hasOnPart = (planItem: PlanItemNode): boolean =>
  [...planItem.entryCriteria, ...planItem.exitCriteria].some(({ onParts }) => onParts.length > 0);

const listeningInstances = (caseInstance: LiveCase, listener: PlanItemNode): LivePlanItem[] =>
  instancesOf(caseInstance, listener).filter(({ state }) => !isTerminal(state));

/** Whether some plan item can still be entered or left through the listener. */
function isAwaited(caseInstance: LiveCase, listener: PlanItemNode): boolean {
  for (const dependent of listener.entryDependents) {
    if (isWaiting(caseInstance, dependent, ({ state }) => awaitsEntry(state))) return true;
  }
  for (const dependent of listener.exitDependents) {
    if (isWaiting(caseInstance, dependent, ({ state }) => !isTerminal(state))) return true;
  }
  return false;
}

/** By an instance that waits or, without any instance, by a stage around it that has not ended. */
function isWaiting(
  caseInstance: LiveCase,
  dependent: PlanItemNode,
  waits: (item: LivePlanItem) => boolean,
): boolean {
  const instances = instancesOf(caseInstance, dependent);
  if (instances.length > 0) return instances.some(waits);
  for (let stage = dependent.parent.plannedBy[0]; stage; stage = stage.parent.plannedBy[0]) {
    const isOpen = instancesOf(caseInstance, stage).some(({ state }) => !isTerminal(state));
    if (isOpen) return true;
  }
  return false;
}
