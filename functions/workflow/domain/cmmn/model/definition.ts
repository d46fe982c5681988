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
