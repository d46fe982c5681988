/** The CMMN 1.1 engine: compile a model, then give commands to a state. Pure, synchronous, deterministic. */
export {
  type BlockingPlanItem,
  CmmnError,
  type CmmnErrorCode,
  type CmmnErrorDetails,
} from './basics/cmmn-error.ts';
export type { JsonValue, Variables } from './basics/json.ts';
export type { Problem, ProblemCode, Severity } from './basics/problem.ts';
export { type Compilation, compile } from './compile/compile.ts';
export { type CaseReferences, type Reference, referencesOf } from './compile/references.ts';
export {
  type CaseSnapshot,
  type SnapshotCriterion,
  type SnapshotPlanItem,
  type SnapshotRepetition,
  type SnapshotRule,
  type SnapshotSentry,
  snapshotOf,
} from './compile/snapshot.ts';
export type { Command, TaskChange } from './contract/command.ts';
export type { Cause, Effect, PlanItemFacts } from './contract/effect.ts';
export type { DefinitionSource, DeployedCase, Environment } from './contract/environment.ts';
export type { Limits } from './contract/limits.ts';
export { readCase, readState } from './contract/read-state.ts';
export {
  type CaseInstance,
  type EngineState,
  type NamedInstance,
  type ParentLink,
  type PlanItemInstance,
  STATE_FORMAT_VERSION,
  type StoredTask,
  type TaskFacts,
} from './contract/state.ts';
export type { DecisionTable } from './decision/decision-table.ts';
export {
  compileDecisions,
  type DecisionCompilation,
  type DecisionProblem,
} from './decision/read-dmn.ts';
export type { Expression } from './expression/expression.ts';
export type { CaseDefinition } from './model/case-definition.ts';
export type { Bounds, Diagram, DiagramEdge, DiagramShape, Waypoint } from './model/diagram.ts';
export type { ItemControl, RepetitionRule, Rule } from './model/item-control.ts';
export type { DiscretionaryItem, PlanItem, PlanningTable } from './model/plan-item.ts';
export type {
  PlanItemDefinition,
  PlanItemDefinitionType,
  Stage,
} from './model/plan-item-definition.ts';
export type { Criterion, OnPart, Sentry } from './model/sentry.ts';
export type { PlanItemState, PlanItemTransition } from './model/transition.ts';
export { type PlannableItem, rolesOf } from './runtime/commands/planning.ts';
export { execute, type Result } from './runtime/execute.ts';
export { type Explanation, explain } from './runtime/queries/explain.ts';
export { listPlannable } from './runtime/queries/queries.ts';
export { type StageOverviewEntry, stageOverview } from './runtime/queries/stage-overview.ts';
export { type PlanItemView, viewPlanItems } from './runtime/queries/view.ts';
export { linkedCases } from './runtime/run/family.ts';
export { addDuration } from './time/iso-8601.ts';
export type { ValidationContext } from './validation/context.ts';
