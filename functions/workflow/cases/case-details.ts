import type { DefinitionReader, LoadedCase } from '../definitions/definition-reader.ts';
import type { CaseFacts } from '../domain/cases/case-facts.ts';
import { type ChangedTask, caseIn, type FamilyContent } from '../domain/cases/family.ts';
import type { EndedItem } from '../domain/cases/family-change.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { CaseInstance, PlanItemView } from '../domain/cmmn/index.ts';
import { loadEngine } from '../engine.ts';
import type { EndedPlanItem } from '../store/cases/case-records.ts';
import { toProblem } from './engine-problems.ts';

/** A milestone that was reached. */
export interface ReachedMilestone {
  readonly planItemInstanceId: string;
  readonly planItemDefinitionKey: string;
  readonly name: string;
  readonly reachedAt?: string;
}

/** A case with what is open in it: of huge cases the first ones. */
export interface CaseDetails {
  readonly instance: CaseInstance;
  readonly facts: CaseFacts;
  /** Of the family that it is stored with. */
  readonly version: number;
  readonly planItems: readonly PlanItemView[];
  readonly tasks: readonly TaskRecord[];
  readonly milestones: readonly ReachedMilestone[];
  /** There are more plan items, tasks or milestones than the answer has. */
  readonly isTruncated: boolean;
}

/** Most plan items, tasks and milestones of one answer. */
export const MAX_SHOWN = 200;

/** A case of a family with its definition. */
export interface FoundCase {
  readonly instance: CaseInstance;
  readonly facts: CaseFacts;
  readonly loaded: LoadedCase;
  readonly changedTasks: readonly ChangedTask[];
}

type ReadFamily = FamilyContent & { readonly changedTasks?: readonly ChangedTask[] };

/** @throws Error when the family has no such case, or its definition has gone */
export async function caseWithDefinition(
  family: ReadFamily,
  caseInstanceId: string,
  definitions: DefinitionReader,
): Promise<FoundCase> {
  const instance = caseIn(family, caseInstanceId);
  const facts = family.facts[caseInstanceId];
  const loaded = instance && (await definitions.load(instance.definitionId));
  if (!instance || !facts || !loaded) {
    throw new Error(`The case ${caseInstanceId} is without its definition`);
  }
  return { instance, facts, loaded, changedTasks: family.changedTasks ?? [] };
}

/** The open plan items of a case, with what has been changed about their tasks since its last command. */
export async function planItemsOf({
  instance,
  loaded,
  changedTasks,
}: FoundCase): Promise<readonly PlanItemView[]> {
  const { viewPlanItems } = await loadEngine();
  const changed = new Map(changedTasks.map(({ taskId, change }) => [taskId, change.assignee]));
  try {
    return viewPlanItems(instance, loaded.definition).map((view) =>
      changed.has(view.instance.id)
        ? assignedTo(view, changed.get(view.instance.id) ?? undefined)
        : view,
    );
  } catch (error) {
    throw toProblem(error);
  }
}

const assignedTo = (view: PlanItemView, assignee: string | undefined): PlanItemView => {
  const { task } = view.instance;
  return task ? { ...view, instance: { ...view.instance, task: { ...task, assignee } } } : view;
};

/** Ids of the open tasks, in the order in which they were created. */
export const taskIdsIn = ({ instance }: FoundCase): string[] =>
  instance.planItems.filter(({ task }) => task !== undefined).map(({ id }) => id);

/** What an answer shows of a case. */
export async function detailsOf(
  found: FoundCase,
  version: number,
  tasks: readonly TaskRecord[],
  milestones: readonly ReachedMilestone[],
): Promise<CaseDetails> {
  const planItems = await planItemsOf(found);
  return {
    instance: found.instance,
    facts: found.facts,
    version,
    planItems: planItems.slice(0, MAX_SHOWN),
    tasks,
    milestones: milestones.slice(0, MAX_SHOWN),
    isTruncated: planItems.length > MAX_SHOWN || milestones.length > MAX_SHOWN,
  };
}

export const isReached = (
  { caseInstanceId, definitionType, instance }: EndedItem,
  id: string,
): boolean =>
  caseInstanceId === id && definitionType === 'milestone' && instance.state === 'completed';

export const toMilestone = (item: EndedPlanItem): ReachedMilestone => ({
  planItemInstanceId: item.id,
  planItemDefinitionKey: item.definitionKey,
  name: item.name,
  reachedAt: item.endedAt,
});

export const toFreshMilestone = ({ definitionKey, instance }: EndedItem): ReachedMilestone => ({
  planItemInstanceId: instance.id,
  planItemDefinitionKey: definitionKey,
  name: instance.name,
  reachedAt: instance.endedAt,
});
