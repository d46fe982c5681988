import type { Expression } from '../expression/expression.ts';
import type { ItemControl } from './item-control.ts';
import type { PlanItemState } from './transition.ts';

/** Runs an expression when an instance of the definition changes its state (extension of Flowable). */
export interface LifecycleListener {
  readonly expression: Expression;
  readonly sourceState?: PlanItemState;
  readonly targetState?: PlanItemState;
}

/** What every definition has (CMMN 1.1, 5.4). */
export interface Definition {
  readonly id: string;
  readonly name?: string;
  readonly documentation?: string;
  readonly defaultControl?: ItemControl;
  readonly lifecycleListeners?: readonly LifecycleListener[];
}

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
