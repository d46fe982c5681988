import { freezeFrame, freezePlanItem } from '../../contract/freeze-case.ts';
import {
  type CaseInstance,
  type PlanItemInstance,
  STATE_FORMAT_VERSION,
} from '../../contract/state.ts';
import type { CaseModel } from '../../model/case-model.ts';
import { nameText } from '../../model/case-model.ts';
import { isTerminal } from '../../model/transition.ts';
import { storeCompletions } from './completed-before.ts';
import { isEnded, type LiveCase, type LivePlanItem } from './live-case.ts';
import { createPlanItem, enlist, hang } from './live-tree.ts';
import { markProven } from './prove-case.ts';
import { loadTask, storeTask } from './stored-task.ts';

/** Brings a stored case of this model to life. */
export function loadCase(source: CaseInstance, model: CaseModel): LiveCase {
  const live: LiveCase = {
    isCase: true,
    id: source.id,
    model,
    source,
    children: [],
    wakeList: undefined,
    planItems: [],
    instances: undefined,
    changes: [],
    familyId: source.familyId,
    parent: source.parent,
    name: source.name,
    businessStatus: source.businessStatus,
    state: source.state,
    completable: source.completable,
    variables: source.variables,
    satisfiedParts: source.satisfiedParts,
    completions: new Map(),
    endedCounts: source.endedCounts,
    aggregations: source.aggregations ?? [],
    overviewRevision: undefined,
    hiddenOverviews: undefined,
    endedAt: source.endedAt,
    reactivatedAt: source.reactivatedAt,
    isSuspendedItself: source.isSuspendedItself,
    momentaryParts: undefined,
    stored: source,
    revision: 0,
    quiet: undefined,
    caseTask: undefined,
    isDetached: false,
  };
  const byId = new Map<string, LivePlanItem>();
  for (const stored of source.planItems) {
    const planItem = model.planItems.get(stored.planItemId);
    if (!planItem) continue;
    const stage = stored.stageInstanceId ? byId.get(stored.stageInstanceId) : undefined;
    const item = createPlanItem(live, planItem, stage, stored);
    item.name = stored.name ?? nameText(planItem);
    const { definition } = planItem;
    if (stored.task && definition.type === 'humanTask')
      item.task = loadTask(stored.task, definition, stored.startedAt);
    item.stored = stored;
    enlist(item);
    hang(item);
    if (item.planItem.isStage) byId.set(item.id, item);
  }
  return live;
}

/** The form of a live case that is stored: without the instances that have ended, keys always in this order. */
export function storeCase(live: LiveCase): CaseInstance {
  const { source } = live;
  const stored: CaseInstance = {
    formatVersion: STATE_FORMAT_VERSION,
    id: source.id,
    familyId: live.familyId,
    definitionId: source.definitionId,
    definitionKey: source.definitionKey,
    tenantId: source.tenantId,
    name: live.name,
    businessKey: source.businessKey,
    businessStatus: live.businessStatus,
    state: live.state,
    completable: live.completable,
    variables: live.variables,
    planItems: live.planItems.filter((item) => !isTerminal(item.state)).map(storePlanItem),
    satisfiedParts: live.satisfiedParts,
    parent: live.parent,
    depth: source.depth,
    completedBefore: storeCompletions(live),
    endedCounts: live.endedCounts,
    aggregations: openAggregations(live),
    startedBy: source.startedBy,
    startedAt: source.startedAt,
    endedAt: live.endedAt,
    reactivatedAt: live.reactivatedAt,
    isSuspendedItself: live.isSuspendedItself,
  };
  markProven(freezeFrame(stored), live.model);
  return stored;
}

/** Aggregations of stages that are still open; those of ended stages and cases are dropped. */
function openAggregations({
  state,
  aggregations,
  planItems,
}: LiveCase): CaseInstance['aggregations'] {
  if (aggregations.length === 0 || isEnded({ state })) return undefined;
  const open = new Set(planItems.flatMap((item) => (isTerminal(item.state) ? [] : item.id)));
  const kept = aggregations.filter(
    ({ stageInstanceId }) => stageInstanceId === undefined || open.has(stageInstanceId),
  );
  return kept.length > 0 ? kept : undefined;
}

/** The form of an instance that is stored, or handed out when it has ended. */
export function storePlanItem(item: LivePlanItem): PlanItemInstance {
  if (item.stored) return item.stored;
  const { definition } = item.planItem;
  item.stored = freezePlanItem({
    id: item.id,
    planItemId: item.planItem.id,
    name: item.name === nameText(item.planItem) ? undefined : item.name,
    state: item.state ?? 'available',
    stageInstanceId: item.stage?.id,
    variables: item.variables,
    satisfiedParts: item.satisfiedParts?.length ? item.satisfiedParts : undefined,
    completable: item.completable,
    createdAt: item.createdAt,
    enabledAt: item.enabledAt,
    startedAt: item.startedAt,
    endedAt: item.endedAt,
    entryCriterionId: item.entryCriterionId,
    exitCriterionId: item.exitCriterionId,
    suspendedFrom: item.suspendedFrom,
    isSuspendedItself: item.isSuspendedItself,
    timer: item.timer,
    task:
      item.task && definition.type === 'humanTask'
        ? storeTask(item.task, definition, item.startedAt)
        : undefined,
    childCaseInstanceId: item.childCaseInstanceId,
    processInstanceId: item.processInstanceId,
    signalName: item.signalName,
  });
  return item.stored;
}
