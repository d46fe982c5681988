import type { Expression } from '../expression/expression.ts';
import type { Definition, ParameterMapping } from './definition.ts';

/** A task that does not block completes as soon as it has started (CMMN 1.1, 5.4). */
export interface Task extends Definition {
  readonly isBlocking: boolean;
  readonly isBlockingExpression?: Expression;
}

/** A task without a specific type: waits until it is triggered. */
export interface ManualTask extends Task {
  readonly type: 'task';
}

/** Evaluates an expression when it starts and stores the result (extension of Flowable). */
export interface ExpressionTask extends Definition {
  readonly type: 'expressionTask';
  readonly expression: Expression;
  readonly resultVariableName?: string;
  readonly storeResultAsTransient?: boolean;
}

/** Work of a worker outside of the engine, who takes it by topic (extension of Flowable). */
export interface ExternalWorkerTask extends Definition {
  readonly type: 'externalWorkerTask';
  readonly topic: string;
  /** Variables passed to the worker; none: it queries what it needs. */
  readonly inParameters: readonly ParameterMapping[];
  /** What is taken over from the result; none: all of it. */
  readonly outParameters: readonly ParameterMapping[];
}
