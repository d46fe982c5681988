import type { Expression, NameExpression } from '../expression/expression.ts';
import type { PlanningTable } from './plan-item.ts';
import type { Task } from './task.ts';

/** Work of a person (CMMN 1.1, 5.4). */
export interface HumanTask extends Task {
  readonly type: 'humanTask';
  readonly planningTable?: PlanningTable;
  /** The documentation, when an expression is in it. */
  readonly description?: Expression;
  readonly assignee?: Expression;
  readonly owner?: Expression;
  readonly candidateUsers?: readonly Expression[];
  readonly candidateGroups?: readonly Expression[];
  readonly priority?: Expression;
  readonly dueDate?: Expression;
  readonly category?: Expression;
  readonly formKey?: Expression;
  /** Keys of tasks: who has completed one of them in the same case may not work on this one. */
  readonly excludeCompletersOf?: readonly string[];
  /** Names of the variables for the id of the task and for who has completed it. */
  readonly taskIdVariableName?: NameExpression;
  readonly taskCompleterVariableName?: NameExpression;
}
