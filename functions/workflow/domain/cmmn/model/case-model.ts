import type { CaseDefinition } from './case-definition.ts';
import type { ItemControl } from './item-control.ts';
import type { PlanItem } from './plan-item.ts';
import type { PlanItemDefinition, Stage } from './plan-item-definition.ts';
import type { ExitEventType, ExitType, IfPart, TriggerMode } from './sentry.ts';
import type { CaseFileItemTransition, PlanItemTransition } from './transition.ts';

/** An on-part with its source found. */
export type OnPartNode =
  | {
      readonly kind: 'planItem';
      readonly id: string;
      readonly source: PlanItemNode;
      readonly standardEvent: PlanItemTransition;
      readonly exitCriterionRef?: string;
    }
  | {
      readonly kind: 'caseFileItem';
      readonly id: string;
      readonly variableName: string;
      readonly standardEvent: CaseFileItemTransition;
    };

/** A criterion with its sentry. */
export interface CriterionNode {
  readonly id: string;
  readonly onParts: readonly OnPartNode[];
  readonly ifPart?: IfPart;
  readonly triggerMode: TriggerMode;
  readonly exitType?: ExitType;
  readonly exitEventType?: ExitEventType;
}

/** A stage with its plan items; the plan model is the stage that no plan item places. */
export interface StageNode {
  readonly definition: Stage;
  /** The plan items that place this stage; the validator warns when there are several. */
  readonly plannedBy: PlanItemNode[];
  readonly children: PlanItemNode[];
  /** The items of its planning table. */
  readonly plannable: PlanItemNode[];
}

/** A plan item with its references resolved. */
export interface PlanItemNode {
  readonly id: string;
  readonly item: PlanItem;
  readonly definition: PlanItemDefinition;
  readonly isEventListener: boolean;
  readonly isStage: boolean;
  readonly itemControl: ItemControl;
  /** The stage that holds the plan item. */
  readonly parent: StageNode;
  /** The stage that the plan item places. */
  readonly stage?: StageNode;
  readonly entryCriteria: CriterionNode[];
  readonly exitCriteria: CriterionNode[];
  /** A listener with an available condition. */
  readonly isConditional: boolean;
  /** One of its own on-parts, or its start trigger, waits for an event. */
  hearsEvents: boolean;
  /** Transitions that an on-part waits for, with the plan items of these on-parts, the plan model excluded. */
  readonly heard: Map<PlanItemTransition, Set<PlanItemNode>>;
  /** Plan items with this one in an on-part of an entry criterion, in the order of the model. */
  readonly entryDependents: Set<PlanItemNode>;
  /** The same for exit criteria. */
  readonly exitDependents: Set<PlanItemNode>;
  /** When the clock of a timer starts, if not at its creation. */
  startTrigger?: Extract<OnPartNode, { kind: 'planItem' }>;
}

/** A case definition with its references resolved. Never stored: made from the JSON, once for each process. */
export interface CaseModel {
  readonly definition: CaseDefinition;
  readonly planModel: StageNode;
  readonly exitCriteria: readonly CriterionNode[];
  readonly planItems: ReadonlyMap<string, PlanItemNode>;
  /** Variables of case file items that an on-part waits for, with the plan items of these on-parts. */
  readonly heardVariables: ReadonlyMap<string, ReadonlySet<PlanItemNode>>;
  readonly hasVariableListeners: boolean;
}

/** The plan items whose transitions the criterion waits for. */
export function sourcesOf(criterion: CriterionNode): PlanItemNode[] {
  return criterion.onParts.flatMap((part) => (part.kind === 'planItem' ? [part.source] : []));
}

/** Name of the instances of a plan item: that of the item or, for a human task, of its definition. */
export const nameText = ({ item, definition }: PlanItemNode): string =>
  item.name ?? (definition.type === 'humanTask' ? definition.name : undefined) ?? '';
