import type { TaskCompletionFacts } from '../../../../shared/ports/workflow-runtime.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { problems } from '../../errors.ts';
import { caseIn, type FamilyContent } from '../cases/family.ts';
import { outcomeVariable } from '../cases/outcome.ts';
import type { TaskRecord, TaskSaying } from '../cases/task-record.ts';
import { isReservedName } from '../cmmn/expression/known-names.ts';
import type { Command, Variables } from '../cmmn/index.ts';
import type { TaskCaller } from './task-caller.ts';
import { factsFor } from './task-differences.ts';

/** What comes with a completion. */
export interface Completion extends TaskCompletionFacts {
  readonly formData?: Variables | undefined;
  readonly variables?: Variables | undefined;
  readonly localVariables?: Variables | undefined;
  readonly transientVariables?: Variables | undefined;
}

/** What is said about a task with its completion. */
export function sayingOf({ status }: TaskRecord, { outcome }: Completion): TaskSaying {
  return {
    ...(outcome !== undefined && { outcome }),
    ...(status === 'DELEGATED' && { delegationState: 'RESOLVED' as const }),
  };
}

/** @throws Problem `VARIABLE_INVALID` (400) for a field that expressions could not read */
export function requireNames(formData: Variables = {}): void {
  const errors = Object.keys(formData)
    .filter(isReservedName)
    .map((name) => ({
      pointer: `/formData/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code: 'VARIABLE_NAME_RESERVED',
      detail: 'is a name that expressions have for something else',
    }));
  if (errors.length === 0) return;
  throw problems.variableInvalid({ reason: 'A field has a name that is taken.' }, { errors });
}

/** @throws Problem `VALIDATION_FAILED` (400): a process has no variables of single tasks */
export function requireNoLocals({ localVariables = {} }: Completion): void {
  if (Object.keys(localVariables).length === 0) return;
  throw httpProblems.validationFailed([
    {
      ...{ pointer: '/localVariables', code: 'NOT_OF_PROCESSES' },
      detail: 'is not for tasks of processes, which have no variables of their own: use variables',
    },
  ]);
}

/** A task may have ended with its case although its own item does not say so yet. */
export function requireOpen(family: FamilyContent, task: TaskRecord): void {
  const items = caseIn(family, task.caseInstanceId)?.planItems ?? [];
  if (items.some(({ id }) => id === task.taskId)) return;
  throw problems.taskNotActive({ taskId: task.taskId, status: 'ended' });
}

/** What becomes of a completion in its case or process. */
export function variablesOf(
  { taskDefinitionKey }: TaskRecord,
  { formData, variables, outcome }: Completion,
): Variables {
  return { ...formData, ...outcomeVariable(taskDefinitionKey, outcome), ...variables };
}

export function commandFor(
  { task, caller }: { readonly task: TaskRecord; readonly caller: TaskCaller },
  given: Completion,
): Command {
  const { taskId, assignee } = task;
  const { localVariables, transientVariables } = given;
  return {
    type: 'completeTask',
    planItemInstanceId: taskId,
    variables: variablesOf(task, given),
    localVariables,
    transientVariables,
    ...(assignee === undefined && {
      tasks: { [taskId]: { ...factsFor(task), assignee: caller.id } },
    }),
  };
}
