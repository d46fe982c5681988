import type { CaseHead } from '../cases/case-facts.ts';
import { isOpen, type TaskRecord } from '../cases/task-record.ts';

/** Which tasks a list has: open ones, unless it is of completed ones. */
export interface TaskFilter {
  readonly statuses?: readonly string[] | undefined;
  readonly assignees?: readonly string[] | undefined;
  readonly candidateGroup?: string | undefined;
  readonly unassigned?: boolean | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly workflowCode?: string | undefined;
  readonly caseInstanceId?: string | undefined;
  readonly taskDefinitionKey?: string | undefined;
  readonly priorityMin?: number | undefined;
  readonly dueBefore?: string | undefined;
  readonly dueAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  readonly createdAfter?: string | undefined;
  /** Part of the name, whatever its case. */
  readonly search?: string | undefined;
  /** Values of variables that were named at deployment, as texts. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** A task of a list, and the variables of its case that lists show. */
export interface ListedTask {
  readonly task: TaskRecord;
  readonly variables?: CaseHead['taskVariables'] | undefined;
}

/** Whether a task is one of the list. */
export function fits({ task, variables }: ListedTask, filter: TaskFilter): boolean {
  const { assignee, candidateGroups, priority } = task;
  const { statuses, assignees, candidateGroup, unassigned = false, priorityMin } = filter;
  return (
    hasStatus(task, statuses) &&
    (assignees === undefined || (assignee !== undefined && assignees.includes(assignee))) &&
    (candidateGroup === undefined || candidateGroups.includes(candidateGroup)) &&
    !(unassigned && assignee !== undefined) &&
    (priorityMin === undefined || priority >= priorityMin) &&
    isOf(task, filter) &&
    isWithin(task.createdAt, filter.createdAfter, filter.createdBefore) &&
    isWithin(task.dueDate, filter.dueAfter, filter.dueBefore) &&
    isCalled(task, filter.search) &&
    hasValues(variables, filter.variables)
  );
}

/** Open ones, unless the list is of others. */
function hasStatus(task: TaskRecord, statuses: TaskFilter['statuses']): boolean {
  if (!isOpen(task)) return statuses?.includes(task.status) ?? false;
  return statuses?.includes(task.isSuspended ? 'SUSPENDED' : task.status) ?? true;
}

const NAMED = [
  'entityType',
  'entityId',
  'workflowCode',
  'caseInstanceId',
  'taskDefinitionKey',
] as const;

const isOf = (task: TaskRecord, filter: TaskFilter): boolean =>
  NAMED.every((name) => filter[name] === undefined || filter[name] === task[name]);

function isWithin(instant: string | undefined, after?: string, before?: string): boolean {
  if (after === undefined && before === undefined) return true;
  if (instant === undefined) return false;
  return instant >= (after ?? '') && (before === undefined || instant <= before);
}

const isCalled = ({ name }: TaskRecord, search: string | undefined): boolean =>
  search === undefined || name.toLocaleLowerCase().includes(search.toLocaleLowerCase());

const hasValues = (
  variables: ListedTask['variables'] = {},
  wanted: TaskFilter['variables'] = {},
): boolean =>
  Object.entries(wanted).every(
    ([name, text]) => Object.hasOwn(variables, name) && String(variables[name]) === text,
  );
