import type { CaseDefinition } from '../model/case-definition.ts';
import type { PlanItemNode, StageNode } from '../model/case-model.ts';
import type { ParentCompletionType, RepetitionRule, Rule } from '../model/item-control.ts';
import { caseModelOf } from '../model/link-case-model.ts';
import type { PlanItemDefinitionType } from '../model/plan-item-definition.ts';
import type { Criterion, Sentry, TriggerMode } from '../model/sentry.ts';

/** A rule of a plan item: its condition, or null when it always holds. */
export interface SnapshotRule {
  readonly condition: string | null;
}

/** A repetition rule. */
export interface SnapshotRepetition extends SnapshotRule {
  readonly maxInstanceCount?: number;
  readonly collection?: string;
  readonly elementVariable?: string;
  readonly elementIndexVariable?: string;
  readonly counterVariable: string;
}

/** An entry or exit criterion. */
export interface SnapshotCriterion {
  readonly id: string;
  readonly sentryId: string;
  readonly exitType?: string;
  readonly exitEventType?: string;
}

/** A plan item with what its definition says about it, expressions as they are written. */
export interface SnapshotPlanItem {
  readonly id: string;
  readonly definitionKey: string;
  readonly name: string;
  readonly type: PlanItemDefinitionType;
  /** Definition of the stage (or plan model) that holds it. */
  readonly stageId: string;
  /** Plan item of that stage; absent at the top level. */
  readonly parentPlanItemId?: string;
  readonly isDiscretionary: boolean;
  readonly entryCriteria: readonly SnapshotCriterion[];
  readonly exitCriteria: readonly SnapshotCriterion[];
  readonly required: SnapshotRule | null;
  readonly manualActivation: SnapshotRule | null;
  readonly repetition: SnapshotRepetition | null;
  readonly completionNeutral: SnapshotRule | null;
  readonly parentCompletion?: ParentCompletionType;
  readonly autoComplete?: boolean;
  readonly assignee?: string;
  readonly candidateUsers?: readonly string[];
  readonly candidateGroups?: readonly string[];
  readonly formKey?: string;
  readonly displayOrder?: number;
  readonly includeInStageOverview?: boolean;
}

/** A sentry. */
export interface SnapshotSentry {
  readonly id: string;
  readonly name?: string;
  readonly stageId: string;
  readonly triggerMode: TriggerMode;
  readonly onParts: readonly {
    readonly sourcePlanItemId?: string;
    readonly sourceDefinitionKey?: string;
    readonly variableName?: string;
    readonly standardEvent: string;
  }[];
  readonly ifPart: string | null;
}

/** A case definition as a flat list: for drawing it and for showing the progress of an instance. */
export interface CaseSnapshot {
  readonly key: string;
  readonly name?: string;
  readonly exitCriteria: readonly SnapshotCriterion[];
  /** A stage before what is in it; else in the order of the model. */
  readonly planItems: readonly SnapshotPlanItem[];
  readonly sentries: readonly SnapshotSentry[];
}

/** Flattens a case definition that the validator has found no error in. */
export function snapshotOf(definition: CaseDefinition): CaseSnapshot {
  const { planModel, planItems } = caseModelOf(definition);
  return {
    key: definition.key,
    name: definition.name,
    exitCriteria: definition.planModel.exitCriteria.map(criterionOf),
    planItems: nodesIn(planModel).map(planItemOf),
    sentries: [planModel, ...nodesIn(planModel).flatMap(({ stage }) => stage ?? [])].flatMap(
      ({ definition: stage }) =>
        stage.sentries.map((sentry) => sentryOf(sentry, stage.id, planItems)),
    ),
  };
}

const nodesIn = ({ children, plannable }: StageNode): PlanItemNode[] =>
  [...children, ...plannable].flatMap((node) => [node, ...(node.stage ? nodesIn(node.stage) : [])]);

function planItemOf(node: PlanItemNode): SnapshotPlanItem {
  const { id, item, definition, parent, itemControl } = node;
  return {
    id,
    definitionKey: definition.id,
    name: item.name ?? definition.name ?? '',
    type: definition.type,
    stageId: parent.definition.id,
    parentPlanItemId: parent.plannedBy[0]?.id,
    isDiscretionary: item.discretionary !== undefined,
    entryCriteria: item.entryCriteria.map(criterionOf),
    exitCriteria: item.exitCriteria.map(criterionOf),
    required: ruleOf(itemControl.requiredRule),
    manualActivation: ruleOf(itemControl.manualActivationRule),
    repetition: repetitionOf(itemControl.repetitionRule),
    completionNeutral: ruleOf(itemControl.completionNeutralRule),
    parentCompletion: itemControl.parentCompletionRule,
    ...ofDefinition(node),
  };
}

function ofDefinition({ definition }: PlanItemNode): Partial<SnapshotPlanItem> {
  switch (definition.type) {
    case 'stage':
      return {
        autoComplete: definition.autoComplete,
        displayOrder: definition.displayOrder,
        includeInStageOverview: definition.includeInStageOverview,
      };
    case 'milestone':
      return {
        displayOrder: definition.displayOrder,
        includeInStageOverview: definition.includeInStageOverview,
      };
    case 'humanTask':
      return {
        assignee: definition.assignee?.text,
        candidateUsers: definition.candidateUsers?.map(({ text }) => text.trim()),
        candidateGroups: definition.candidateGroups?.map(({ text }) => text.trim()),
        formKey: definition.formKey?.text,
      };
    default:
      return {};
  }
}

const criterionOf = ({ id, sentryRef, exitType, exitEventType }: Criterion): SnapshotCriterion => ({
  id,
  sentryId: sentryRef,
  exitType,
  exitEventType,
});

const ruleOf = (rule: Rule | undefined): SnapshotRule | null =>
  rule ? { condition: rule.condition?.text ?? null } : null;

function repetitionOf(rule: RepetitionRule | undefined): SnapshotRepetition | null {
  if (!rule) return null;
  const { maxInstanceCount, elementVariable, elementIndexVariable, counterVariable } = rule;
  return {
    condition: rule.condition?.text ?? null,
    maxInstanceCount,
    collection: rule.collection?.text,
    elementVariable,
    elementIndexVariable,
    counterVariable,
  };
}

const sentryOf = (
  { id, name, triggerMode, onParts, ifPart }: Sentry,
  stageId: string,
  planItems: ReadonlyMap<string, PlanItemNode>,
): SnapshotSentry => ({
  id,
  name,
  stageId,
  triggerMode,
  onParts: onParts.map((part) =>
    part.kind === 'caseFileItem'
      ? { variableName: part.variableName, standardEvent: part.standardEvent }
      : {
          sourcePlanItemId: part.sourceRef,
          sourceDefinitionKey: planItems.get(part.sourceRef)?.definition.id,
          standardEvent: part.standardEvent,
        },
  ),
  ifPart: ifPart?.condition.text ?? null,
});
