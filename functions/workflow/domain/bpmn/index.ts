/** Processes by BPMN 2.0: compile a document, then give commands to a state. */
export {
  BPMN_NAMESPACE,
  compileProcess,
  type ProcessCompilation,
} from './compile/compile-process.ts';
export { ProcessError, type ProcessErrorCode } from './model/process-error.ts';
export type { ProcessModel, ProcessProblem } from './model/process-model.ts';
export type { OpenedTask, ProcessState, ProcessStep, Wait } from './model/process-state.ts';
export { type ProcessCommand, type ProcessResult, runProcess } from './run/run-process.ts';
