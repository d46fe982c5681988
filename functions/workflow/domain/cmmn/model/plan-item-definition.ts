import type { Expression } from '../expression/expression.ts';
import type { ItemControl } from './item-control.ts';
import type { Criterion, PlanItemOnPart, Sentry } from './sentry.ts';
import type { PlanItemState } from './transition.ts';

/** Runs an expression when an instance of the definition changes its state (extension of the peer). */
export interface LifecycleListener {
  readonly expression: Expression;
  readonly sourceState?: PlanItemState;
  readonly targetState?: PlanItemState;
}

/** What every definition has (CMMN 1.1, 5.4.1). */
interface Definition {
  readonly id: string;
  readonly name?: string;
  readonly documentation?: string;
  readonly defaultControl?: ItemControl;
  readonly lifecycleListeners?: readonly LifecycleListener[];
}

/** A task that does not block completes as soon as it has started (CMMN 1.1, 5.4.10). */
interface Task extends Definition {
  readonly isBlocking: boolean;
  readonly isBlockingExpression?: Expression;
}

/** Work without a type of its own: waits until somebody triggers it. */
interface ManualTask extends Task {
  readonly type: 'task';
}

/** Evaluates an expression when it starts and stores the result (extension of the peer). */
interface ExpressionTask extends Definition {
  readonly type: 'expressionTask';
  readonly expression: Expression;
  readonly resultVariableName?: string;
  readonly storeResultAsTransient?: boolean;
}

/** Work of a worker outside of the engine, who takes it by topic (extension of the peer). */
interface ExternalWorkerTask extends Definition {
  readonly type: 'externalWorkerTask';
  readonly topic: string;
}

/** Work of a person (CMMN 1.1, 5.4.10.4). */
export interface HumanTask extends Task {
  readonly type: 'humanTask';
  readonly planningTable?: PlanningTable;
  readonly assignee?: Expression;
  readonly owner?: Expression;
  readonly candidateUsers?: readonly Expression[];
  readonly candidateGroups?: readonly Expression[];
  readonly priority?: Expression;
  readonly dueDate?: Expression;
  readonly category?: Expression;
  readonly formKey?: Expression;
  readonly taskIdVariableName?: string;
  readonly taskCompleterVariableName?: string;
}

/** A value that is handed over between a task and the case or process it calls (CMMN 1.1, 5.4.10.5). */
export interface ParameterMapping {
  readonly source?: string;
  readonly sourceExpression?: Expression;
  readonly target?: string;
  readonly targetExpression?: Expression;
}

interface CallingTask extends Task {
  readonly inParameters: readonly ParameterMapping[];
  readonly outParameters: readonly ParameterMapping[];
  readonly businessKey?: Expression;
  readonly inheritBusinessKey?: boolean;
  readonly idVariableName?: string;
}

/** Starts another case (CMMN 1.1, 5.4.10.6). */
export interface CaseTask extends CallingTask {
  readonly type: 'caseTask';
  readonly caseRef: Expression;
  readonly caseInstanceName?: Expression;
}

/** Starts a process (CMMN 1.1, 5.4.10.5). */
export interface ProcessTask extends CallingTask {
  readonly type: 'processTask';
  readonly processRef: Expression;
}

/** Evaluates a decision (CMMN 1.1, 5.4.10.7). */
export interface DecisionTask extends Task {
  readonly type: 'decisionTask';
  readonly decisionRef: Expression;
  readonly throwErrorOnNoHits?: boolean;
}

/** A point that is reached (CMMN 1.1, 5.4.8). */
export interface Milestone extends Definition {
  readonly type: 'milestone';
  readonly milestoneVariable?: string;
  readonly businessStatus?: Expression;
  readonly includeInStageOverview?: boolean;
  readonly displayOrder?: number;
}

interface Listener extends Definition {
  /** While false, the listener is `unavailable` (extension of the peer). */
  readonly availableCondition?: Expression;
}

/** A person raises it (CMMN 1.1, 5.4.7.2). */
interface UserEventListener extends Listener {
  readonly type: 'userEventListener';
  /** Roles that may raise it; none = everybody. */
  readonly authorizedRoleRefs?: readonly string[];
}

/** Occurs when time has passed (CMMN 1.1, 5.4.7.1). */
export interface TimerEventListener extends Listener {
  readonly type: 'timerEventListener';
  readonly timerExpression: Expression;
  /** The time counts from this event, not from the creation. */
  readonly startTrigger?: PlanItemOnPart;
}

/** A listener without a type of its own, raised through the engine (CMMN 1.1, 5.4.7). */
interface GenericEventListener extends Listener {
  readonly type: 'eventListener';
}

/** Occurs when a signal of its name is sent (extension of the peer). */
interface SignalEventListener extends Listener {
  readonly type: 'signalEventListener';
  readonly signalRef: Expression;
}

/** Which changes of a variable a listener hears. */
export const VARIABLE_CHANGE_TYPES = [
  'all',
  'create',
  'update',
  'update-create',
  'delete',
] as const;
export type VariableChangeType = (typeof VARIABLE_CHANGE_TYPES)[number];

/** Occurs when a variable of the case changes (extension of the peer). */
interface VariableEventListener extends Listener {
  readonly type: 'variableEventListener';
  readonly variableName: string;
  readonly variableChangeType: VariableChangeType;
}

/** Brings an ended case back (extension of the peer; the transition is CMMN 1.1, table 8.2 `re-activate`). */
interface ReactivateEventListener extends Listener {
  readonly type: 'reactivateEventListener';
  readonly defaultReactivationRule?: ItemControl['reactivationRule'];
}

export type EventListener =
  | UserEventListener
  | TimerEventListener
  | GenericEventListener
  | SignalEventListener
  | VariableEventListener
  | ReactivateEventListener;

/** A plan item as a model places it (CMMN 1.1, 5.4.5). */
export interface PlanItem {
  readonly id: string;
  readonly name?: string;
  readonly definitionRef: string;
  readonly itemControl?: ItemControl;
  readonly entryCriteria: readonly Criterion[];
  readonly exitCriteria: readonly Criterion[];
  /** Set for an item of a planning table: exists only once somebody plans it. */
  readonly discretionary?: DiscretionaryItem;
}

/** What a discretionary item has beyond a plan item (CMMN 1.1, 5.4.9.2). */
export interface DiscretionaryItem {
  readonly applicabilityRules: readonly Rule[];
  readonly authorizedRoleRefs: readonly string[];
}

type Rule = { readonly id: string; readonly name?: string; readonly condition?: Expression };

/** What a person can add to a running case (CMMN 1.1, 5.4.9). Nested tables are flattened. */
export interface PlanningTable {
  readonly id: string;
  readonly items: readonly PlanItem[];
}

/** A container of plan items (CMMN 1.1, 5.4.4). The items of plan fragments lie flat in it. */
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

export type PlanItemDefinitionType = PlanItemDefinition['type'];

const LISTENER_TYPES: ReadonlySet<PlanItemDefinitionType> = new Set([
  'userEventListener',
  'timerEventListener',
  'eventListener',
  'signalEventListener',
  'variableEventListener',
  'reactivateEventListener',
]);

/** Whether the definition is an event listener (CMMN 1.1, 5.4.7). */
export const isEventListener = (definition: PlanItemDefinition): definition is EventListener =>
  LISTENER_TYPES.has(definition.type);
