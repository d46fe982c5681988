import type { Expression, NameExpression } from '../expression/expression.ts';
import type { ParameterMapping } from './definition.ts';
import type { Task } from './task.ts';

interface CallingTask extends Task {
  readonly inParameters: readonly ParameterMapping[];
  readonly outParameters: readonly ParameterMapping[];
  readonly businessKey?: Expression;
  readonly inheritBusinessKey?: boolean;
  /** Name of the variable for the id of what is called. */
  readonly idVariableName?: NameExpression;
  /** What is called is looked for in the deployment of the caller first (extension of Flowable). */
  readonly sameDeployment?: boolean;
}

/** Starts another case (CMMN 1.1, 5.4). */
export interface CaseTask extends CallingTask {
  readonly type: 'caseTask';
  readonly caseRef: Expression;
  readonly caseInstanceName?: Expression;
}

/** Starts a process (CMMN 1.1, 5.4). */
export interface ProcessTask extends CallingTask {
  readonly type: 'processTask';
  readonly processRef: Expression;
}

/** Evaluates a decision (CMMN 1.1, 5.4). */
export interface DecisionTask extends Task {
  readonly type: 'decisionTask';
  readonly decisionRef: Expression;
  readonly throwErrorOnNoHits?: boolean;
}
