import type { Expression } from '../expression/expression.ts';

/** A value that is handed over between a task and the case or process it calls (CMMN 1.1, 5.4). */
export interface ParameterMapping {
  readonly source?: string;
  readonly sourceExpression?: Expression;
  readonly target?: string;
  /** The name of the target: of an out parameter, as the called case sees it. */
  readonly targetExpression?: Expression;
  /** Of an out parameter: the value lives for the command only. */
  readonly isTransient?: boolean;
}
