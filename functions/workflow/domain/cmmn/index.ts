/** The CMMN 1.1 engine: compile a model, then give commands to a state. Pure, synchronous, deterministic. */
export {
  type BlockingPlanItem,
  CmmnError,
  type CmmnErrorCode,
  type CmmnErrorDetails,
} from './cmmn-error.ts';
export type { DecisionTable } from './decision/decision-table.ts';
export {
  compileDecisions,
  type DecisionCompilation,
  type DecisionProblem,
} from './decision/read-dmn.ts';
export { addDuration } from './elements/iso-8601.ts';
export type { JsonValue, Variables } from './json.ts';
export type { CaseDefinition } from './model/case-definition.ts';
export { type Compilation, compile } from './parse/compile.ts';
export type { Command } from './runtime/command.ts';
export type { Effect, PlanItemFacts } from './runtime/effect.ts';
export { execute, type Result } from './runtime/execute.ts';
export { type Explanation, explain } from './runtime/explain.ts';
export { type PlannableItem, rolesOf } from './runtime/planning.ts';
export { listPlannable } from './runtime/queries.ts';
export { readState } from './runtime/read-state.ts';
export type { DefinitionSource, DeployedCase, Environment, Limits } from './runtime/run.ts';
export { type StageOverviewEntry, stageOverview } from './runtime/stage-overview.ts';
export {
  type CaseInstance,
  type EngineState,
  type PlanItemInstance,
  STATE_FORMAT_VERSION,
  type TaskFacts,
} from './runtime/state.ts';
export { type PlanItemView, viewPlanItems } from './runtime/view.ts';
export type { Problem, ProblemCode, Severity } from './validation/problem.ts';
export type { ValidationContext } from './validation/validate.ts';
