import type { PlanItemNode } from '../../model/case-model.ts';
import { type Container, containerOf, type LiveCase, type LivePlanItem } from './live-case.ts';
import { createWakeList, type WakeList, wake } from './wake-list.ts';

/** Notes that something about the case is different from what is stored. */
export function touchCase(caseInstance: LiveCase): void {
  caseInstance.stored = undefined;
  caseInstance.revision++;
}

/** Notes that something about the instance is different from what is stored. */
export function touch(item: LivePlanItem): void {
  item.stored = undefined;
  if (item.position !== undefined) wake(wakeListOf(containerOf(item)), item);
  touchCase(item.caseInstance);
}

/** Which children of the container an evaluation has to look at. */
export function wakeListOf(container: Container): WakeList<LivePlanItem> {
  container.wakeList ??= createWakeList();
  return container.wakeList;
}

/** Hangs an instance into the tree, as the last child of its container. */
export function hang(item: LivePlanItem): void {
  const container = containerOf(item);
  const wakeList = wakeListOf(container);
  item.position = container.children.length;
  container.children.push(item);
  wake(wakeList, item);
  if (item.planItem.isConditional) wakeList.conditional.push(item);
}

/** Counts an instance among those of its case. */
export function enlist(item: LivePlanItem): void {
  const { planItems, instances } = item.caseInstance;
  planItems.push(item);
  if (instances) addTo(instances, item);
}

function addTo(instances: Map<PlanItemNode, LivePlanItem[]>, item: LivePlanItem): void {
  const known = instances.get(item.planItem);
  if (known) known.push(item);
  else instances.set(item.planItem, [item]);
}

/** The instances of a plan item in order of creation, those that ended in this command too. */
export function instancesOf(
  caseInstance: LiveCase,
  planItem: PlanItemNode,
): readonly LivePlanItem[] {
  let { instances } = caseInstance;
  if (!instances) {
    instances = new Map();
    for (const item of caseInstance.planItems) addTo(instances, item);
    caseInstance.instances = instances;
  }
  return instances.get(planItem) ?? [];
}

/** Initial facts of an instance. */
type NewPlanItem = Partial<Omit<LivePlanItem, 'task'>> & Pick<LivePlanItem, 'id' | 'createdAt'>;

/** Creates an instance and attaches it to the tree; `defer` collects it for later instead. */
export function addPlanItem(
  caseInstance: LiveCase,
  planItem: PlanItemNode,
  stage: LivePlanItem | undefined,
  facts: NewPlanItem,
  defer?: LivePlanItem[],
): LivePlanItem {
  const item = createPlanItem(caseInstance, planItem, stage, facts);
  enlist(item);
  touchCase(caseInstance);
  if (defer) defer.push(item);
  else hang(item);
  return item;
}

/** Creates an instance that is not attached yet. */
export function createPlanItem(
  caseInstance: LiveCase,
  planItem: PlanItemNode,
  stage: LivePlanItem | undefined,
  facts: NewPlanItem,
): LivePlanItem {
  return {
    isCase: false,
    id: facts.id,
    planItem,
    caseInstance,
    stage,
    children: [],
    wakeList: undefined,
    sleep: undefined,
    isListed: false,
    isFindable: false,
    position: undefined,
    createdAt: facts.createdAt,
    name: facts.name ?? '',
    state: facts.state,
    variables: facts.variables,
    satisfiedParts: facts.satisfiedParts,
    completable: facts.completable,
    enabledAt: facts.enabledAt,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    entryCriterionId: facts.entryCriterionId,
    exitCriterionId: facts.exitCriterionId,
    suspendedFrom: facts.suspendedFrom,
    isSuspendedItself: facts.isSuspendedItself,
    timer: facts.timer,
    task: undefined,
    childCaseInstanceId: facts.childCaseInstanceId,
    childCase: undefined,
    processInstanceId: facts.processInstanceId,
    signalName: facts.signalName,
    childVariables: undefined,
    momentaryParts: undefined,
    isInFlux: false,
    stored: undefined,
  };
}
