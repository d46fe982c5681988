import type { ProblemElement } from '../basics/problem.ts';
import type { CaseDefinition } from '../model/case-definition.ts';
import type { PlanItem } from '../model/plan-item.ts';
import type { PlanItemDefinition, Stage } from '../model/plan-item-definition.ts';
import type { Criterion, OnPart, Sentry } from '../model/sentry.ts';

/** A plan item where it stands, with its definition as far as there is one. */
export interface PlacedItem {
  readonly item: PlanItem;
  /** The stage that holds it. */
  readonly stage: Stage;
  /** The definition that it names, wherever that is. */
  readonly definition: PlanItemDefinition | undefined;
  readonly isInScope: boolean;
}

/** A criterion with its owner; without one it is the plan model's. */
export interface PlacedCriterion {
  readonly kind: 'entry' | 'exit';
  readonly criterion: Criterion;
  readonly owner: PlacedItem | undefined;
  readonly sentry: Sentry | undefined;
}

/** Everything in a case, flat, for rules that look at all of a kind. */
export interface CaseOutline {
  readonly definition: CaseDefinition;
  readonly stages: readonly Stage[];
  readonly planItems: readonly PlacedItem[];
  readonly planItemsById: ReadonlyMap<string, PlacedItem>;
  readonly criteria: readonly PlacedCriterion[];
  readonly sentries: readonly Sentry[];
  readonly sentriesById: ReadonlyMap<string, Sentry>;
  readonly definitions: readonly PlanItemDefinition[];
}

/** Lays out a case. References that lead nowhere are undefined. */
export function outlineOf(definition: CaseDefinition): CaseOutline {
  const { planModel } = definition;
  const stages = stagesIn(planModel);
  const definitions = stages.flatMap((stage) => stage.definitions);
  const sentries = stages.flatMap((stage) => stage.sentries);
  const sentriesById = new Map(sentries.map((sentry) => [sentry.id, sentry]));
  const planItems = placeItems(planModel, definitions);
  return {
    definition,
    stages,
    planItems,
    planItemsById: new Map(planItems.map((placed) => [placed.item.id, placed])),
    criteria: placeCriteria(definition, planItems, sentriesById),
    sentries,
    sentriesById,
    definitions,
  };
}

function stagesIn(stage: Stage): Stage[] {
  const inner = stage.definitions.filter((candidate) => candidate.type === 'stage');
  return [stage, ...inner.flatMap(stagesIn)];
}

function placeItems(planModel: Stage, definitions: readonly PlanItemDefinition[]): PlacedItem[] {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const scope = new Set<PlanItemDefinition>();
  const placed: PlacedItem[] = [];
  const visit = (stage: Stage): void => {
    for (const definition of stage.definitions) scope.add(definition);
    for (const item of [...stage.planItems, ...plannableItems(stage)]) {
      const definition = byId.get(item.definitionRef);
      placed.push({ item, stage, definition, isInScope: !definition || scope.has(definition) });
    }
    for (const inner of stage.definitions) if (inner.type === 'stage') visit(inner);
    for (const definition of stage.definitions) scope.delete(definition);
  };
  visit(planModel);
  return placed;
}

/** Items of the planning tables of a stage and of the human tasks defined in it. */
function plannableItems(stage: Stage): readonly PlanItem[] {
  const ofTasks = stage.definitions.flatMap((definition) =>
    definition.type === 'humanTask' ? (definition.planningTable?.items ?? []) : [],
  );
  return [...(stage.planningTable?.items ?? []), ...ofTasks];
}

function placeCriteria(
  { planModel }: CaseDefinition,
  planItems: readonly PlacedItem[],
  sentriesById: ReadonlyMap<string, Sentry>,
): PlacedCriterion[] {
  const place = (
    kind: PlacedCriterion['kind'],
    criteria: readonly Criterion[],
    owner?: PlacedItem,
  ): PlacedCriterion[] =>
    criteria.map((criterion) => ({
      kind,
      criterion,
      owner,
      sentry: sentriesById.get(criterion.sentryRef),
    }));
  return [
    ...place('exit', planModel.exitCriteria),
    ...planItems.flatMap((owner) => [
      ...place('entry', owner.item.entryCriteria, owner),
      ...place('exit', owner.item.exitCriteria, owner),
    ]),
  ];
}

/** Sources of the on-parts that wait for plan items. */
export const planItemSources = (onParts: readonly OnPart[]): string[] =>
  onParts.flatMap((part) => (part.kind === 'planItem' ? [part.sourceRef] : []));

/** The plan item as a problem names it. */
export const asItem = ({ item, definition }: PlacedItem): ProblemElement => ({
  id: item.id,
  type: item.discretionary ? 'discretionaryItem' : 'planItem',
  name: item.name ?? definition?.name,
});

/** The definition as a problem names it. */
export const asDefinition = ({ id, type, name }: PlanItemDefinition): ProblemElement => ({
  id,
  type,
  name,
});

/** The sentry as a problem names it. */
export const asSentry = ({ id, name }: Sentry): ProblemElement => ({ id, type: 'sentry', name });

/** The criterion as a problem names it. */
export const asCriterion = ({ kind, criterion }: PlacedCriterion): ProblemElement => ({
  id: criterion.id,
  type: `${kind}Criterion`,
  name: criterion.name,
});
