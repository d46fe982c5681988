import { CmmnError } from '../../basics/cmmn-error.ts';
import type { CaseInstance, PlanItemInstance } from '../../contract/state.ts';
import type { CaseModel, PlanItemNode } from '../../model/case-model.ts';
import type { PlanItemDefinitionType } from '../../model/plan-item-definition.ts';
import type { PlanItemState } from '../../model/transition.ts';
import { isTimer } from '../../time/timer-expression.ts';
import { isEnded } from './live-case.ts';

/** Cases whose frames and parts are frozen, and the models that they are known to be of. */
const proven = new WeakMap<CaseInstance, CaseModel>();

/** Whether the case is known to be of the model. */
export const isProven = (source: CaseInstance, model: CaseModel): boolean =>
  proven.get(source) === model;

/** Records that the case is of the model, in a state that the engine can have produced. @param source frozen */
export function markProven(source: CaseInstance, model: CaseModel): void {
  if (!isProven(source, model)) proven.set(source, model);
}

/**
 * Proves what the schema of a stored case cannot: that it is a case of this model, in a state that the engine can
 * have produced.
 * @throws CmmnError `STATE_INVALID`
 */
export function proveCase(source: CaseInstance, model: CaseModel): void {
  if (isProven(source, model)) return;
  const why = wrongWithCase(source, model) ?? wrongWithItems(source, model);
  if (why === undefined) return;
  throw new CmmnError('STATE_INVALID', `The stored case "${source.id}" is wrong: ${why}.`, {
    caseInstanceId: source.id,
  });
}

function wrongWithCase(source: CaseInstance, model: CaseModel): string | undefined {
  const hasEnded = isEnded(source);
  if (source.definitionKey !== model.definition.key) return 'it is of another definition';
  if (hasEnded && source.planItems.length > 0) return 'it has ended, its instances have not';
  if (hasEnded !== (source.endedAt !== undefined)) return 'it is not clear whether it has ended';
  const named = [
    ...Object.keys(source.endedCounts),
    ...Object.values(source.completedBefore).flat(),
    ...(source.aggregations ?? []).map(({ planItemId }) => planItemId),
  ];
  const unknown = named.find((planItemId) => !model.planItems.has(planItemId));
  return unknown === undefined ? undefined : `the model has no plan item "${unknown}"`;
}

function wrongWithItems(source: CaseInstance, model: CaseModel): string | undefined {
  const stages = new Map<string, PlanItemNode>();
  for (const instance of source.planItems) {
    const node = model.planItems.get(instance.planItemId);
    if (!node) return `the model has no plan item "${instance.planItemId}"`;
    const why = wrongWith(instance, node) ?? misplaced(instance, node, stages, model);
    if (why) return `"${instance.id}" ${why}`;
    if (node.isStage) stages.set(instance.id, node);
  }
  const named = [
    ...Object.keys(source.completedBefore).filter((id) => id !== ''),
    ...(source.aggregations ?? []).flatMap(({ stageInstanceId }) => stageInstanceId ?? []),
  ];
  const unknown = named.find((id) => !stages.has(id));
  return unknown === undefined ? undefined : `there is no stage instance "${unknown}"`;
}

const LISTENER_STATES: readonly PlanItemState[] = ['available', 'unavailable', 'suspended'];

/** Facts that instances of one type alone can have. */
const FACTS = [
  ['timer', 'timerEventListener'],
  ['signalName', 'signalEventListener'],
  ['task', 'humanTask'],
  ['childCaseInstanceId', 'caseTask'],
  ['processInstanceId', 'processTask'],
  ['completable', 'stage'],
] as const satisfies readonly (readonly [keyof PlanItemInstance, PlanItemDefinitionType])[];

function wrongWith(instance: PlanItemInstance, node: PlanItemNode): string | undefined {
  const { state, suspendedFrom, timer } = instance;
  const isPossible = node.isEventListener
    ? LISTENER_STATES.includes(state) && (suspendedFrom ?? 'available') === 'available'
    : state !== 'unavailable';
  if (!isPossible) return `cannot be ${state}`;
  if ((state === 'suspended') !== (suspendedFrom !== undefined)) return 'is not clearly suspended';
  if (timer && !isTimer(timer)) return 'has no such timer';
  const foreign = FACTS.find(
    ([fact, type]) => instance[fact] !== undefined && node.definition.type !== type,
  );
  return foreign && `cannot have "${foreign[0]}"`;
}

/** An instance is in an instance of the stage of its plan item, and listed after it. */
function misplaced(
  { stageInstanceId }: PlanItemInstance,
  node: PlanItemNode,
  stages: ReadonlyMap<string, PlanItemNode>,
  { planModel }: CaseModel,
): string | undefined {
  const holder = stageInstanceId === undefined ? planModel : stages.get(stageInstanceId)?.stage;
  return holder === node.parent ? undefined : 'does not lie in its stage';
}
