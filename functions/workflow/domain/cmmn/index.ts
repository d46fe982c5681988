/** The CMMN 1.1 engine: compile a model, then give commands to a state. Pure, synchronous, deterministic. */
export { CmmnError, type CmmnErrorCode, type CmmnErrorDetails } from './cmmn-error.ts';
export { addDuration } from './elements/iso-8601.ts';
export type { JsonValue, Variables } from './json.ts';
export type { CaseDefinition } from './model/case-definition.ts';
export { type Compilation, compile } from './parse/compile.ts';
export type { Command } from './runtime/command.ts';
export type { Effect } from './runtime/effect.ts';
export { execute, type Result } from './runtime/execute.ts';
export type { DefinitionSource, DeployedCase, Environment } from './runtime/run.ts';
export type { CaseInstance, EngineState, PlanItemInstance } from './runtime/state.ts';
export { type PlanItemView, viewPlanItems } from './runtime/view.ts';
