import type { Expression } from '../expression/expression.ts';
import type { CaseTask, DecisionTask, ProcessTask } from './calling-task.ts';
import type { Definition } from './definition.ts';
import type { EventListener } from './event-listener.ts';
import type { HumanTask } from './human-task.ts';
import type { Milestone } from './milestone.ts';
import type { PlanItem, PlanningTable } from './plan-item.ts';
import type { Sentry } from './sentry.ts';
import type { ExpressionTask, ExternalWorkerTask, ManualTask } from './task.ts';

/** A container of plan items (CMMN 1.1, 5.4). The items of plan fragments are flattened into it. */
export interface Stage extends Definition {
  readonly type: 'stage';
  readonly autoComplete: boolean;
  readonly autoCompleteCondition?: Expression;
  readonly planItems: readonly PlanItem[];
  readonly sentries: readonly Sentry[];
  readonly definitions: readonly PlanItemDefinition[];
  readonly planningTable?: PlanningTable;
  readonly businessStatus?: Expression;
  readonly includeInStageOverview?: boolean;
  readonly displayOrder?: number;
}

/** What a plan item can place (CMMN 1.1, 5.4). */
export type PlanItemDefinition =
  | Stage
  | ManualTask
  | ExpressionTask
  | ExternalWorkerTask
  | HumanTask
  | CaseTask
  | ProcessTask
  | DecisionTask
  | Milestone
  | EventListener;

/** The kinds of definitions. */
export type PlanItemDefinitionType = PlanItemDefinition['type'];

const LISTENER_TYPES: ReadonlySet<PlanItemDefinitionType> = new Set([
  'userEventListener',
  'timerEventListener',
  'eventListener',
  'signalEventListener',
  'variableEventListener',
  'reactivateEventListener',
]);

/** Whether the definition is an event listener (CMMN 1.1, 5.4). */
export const isEventListener = (definition: PlanItemDefinition): definition is EventListener =>
  LISTENER_TYPES.has(definition.type);
