import type { DefinitionReader, LoadedCase } from '../definitions/definition-reader.ts';
import type { CaseFacts } from '../domain/cases/case-facts.ts';
import { caseIn, type FamilyContent } from '../domain/cases/family.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { CaseInstance, PlanItemView } from '../domain/cmmn/index.ts';
import { loadEngine } from '../engine.ts';
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
}

/** @throws Error when the family has no such case, or its definition has gone */
export async function caseWithDefinition(
  family: FamilyContent,
  caseInstanceId: string,
  definitions: DefinitionReader,
): Promise<FoundCase> {
  const instance = caseIn(family, caseInstanceId);
  const facts = family.facts[caseInstanceId];
  const loaded = instance && (await definitions.load(instance.definitionId));
  if (!instance || !facts || !loaded) {
    throw new Error(`The case ${caseInstanceId} is without its definition`);
  }
  return { instance, facts, loaded };
}

/** The open plan items of a case. */
export async function planItemsOf({
  instance,
  loaded,
}: FoundCase): Promise<readonly PlanItemView[]> {
  const { viewPlanItems } = await loadEngine();
  try {
    return viewPlanItems(instance, loaded.definition);
  } catch (error) {
    throw toProblem(error);
  }
}
