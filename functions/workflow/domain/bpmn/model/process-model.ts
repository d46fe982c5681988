import type { Expression } from '../../cmmn/expression/expression.ts';

/** What is wrong with a process model. */
export interface ProcessProblem {
  readonly code: string;
  readonly severity: 'ERROR' | 'WARNING';
  readonly message: string;
  readonly elementId?: string | undefined;
  /** Name of the element in BPMN, such as `userTask`. */
  readonly elementType?: string | undefined;
  readonly elementName?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** An element that tokens come by. */
export interface ProcessElement {
  readonly type: string;
  readonly name: string;
  /** The sub-process around it. */
  readonly parentId?: string;
}

/** What a user task says of the tasks that it opens. */
export interface UserTaskModel {
  readonly name: Expression;
  readonly description?: Expression;
  readonly assignee?: Expression;
  readonly owner?: Expression;
  /** A list, or names separated by commas. */
  readonly candidateUsers?: Expression;
  readonly candidateGroups?: Expression;
  readonly priority?: Expression;
  readonly dueDate?: Expression;
  readonly formKey?: Expression;
  readonly category?: Expression;
  /** Ids of user tasks whose completers may not work on its tasks. */
  readonly excludeCompletersOf?: readonly string[];
}

/** A service task that evaluates an expression. */
export interface EvaluationModel {
  readonly expression: Expression;
  readonly resultVariable?: string;
}

/** A service task that asks for a service by a message, and goes on. */
export interface RequestModel {
  readonly service: string;
  readonly inputs: readonly { readonly target: string; readonly value: Expression }[];
}

/** A sequence flow, for viewers. */
export interface ProcessFlow {
  readonly id: string;
  readonly name?: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly condition?: string;
  readonly isDefault?: true;
}

/** A compiled process: JSON that is stored with its version. */
export interface ProcessModel {
  readonly formatVersion: 1;
  /** Id of the process element. */
  readonly processKey: string;
  readonly name?: string;
  /** The document as the engine takes it, as JSON. */
  readonly context: string;
  readonly elements: Readonly<Record<string, ProcessElement>>;
  readonly flows: readonly ProcessFlow[];
  readonly userTasks: Readonly<Record<string, UserTaskModel>>;
  readonly evaluations: Readonly<Record<string, EvaluationModel>>;
  /** Absent in models of before there were any. */
  readonly requests?: Readonly<Record<string, RequestModel>>;
  /** Names of the variables that instances of multi-instance activities hold their element in. */
  readonly elementVariables: Readonly<Record<string, string>>;
}
