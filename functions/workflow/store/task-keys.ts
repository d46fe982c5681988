import type { Key } from '../../../shared/store/table.ts';
import { hourOfInstant } from '../domain/cases/due-hours.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import { keyPart } from './key-part.ts';

/*
 * Access patterns (t: tenant, '' for none)
 *   one task                          get    TASK#<task> / TASK
 *   its draft                         get    TASK#<task> / DRAFT
 *   its history, its comments         query  TASK#<task> / HIST#<uuidv7>, NOTE#<uuidv7>, reverse
 *   open tasks of an entity           gsi2   CASE#<t>#ENTITY#<type>#<id> / TASK#<createdAt>#<task>
 *   those that have ended             gsi2   ... / TASKEND#<createdAt>#<task>
 *   tasks completed by a user         gsi1   TASK#<t>#<user>#DONE / <completedAt>#<task>
 *   open tasks of an assignee         query  TASKIDX#<t>#ASSIGNEE#<user> / <createdAt>#<task>
 *   open tasks of a candidate         query  TASKIDX#<t>#USER|GROUP#<name>#FREE|TAKEN / <createdAt>#<task>
 *   the same by due date              query  ...#DUE / <dueDate, ~ for none>#<task>
 *   tasks that are due, or soon       query  TASKDUE#<yyyy-mm-ddThh> / <instant>#SOON|OVERDUE#<task>
 *   oldest hour with such tasks       get    TASKDUE#@swept / HOUR
 *   substitute of a user              get    TASKSUB#<t>#OF#<user> / SUB
 *   users of a substitute             query  TASKSUB#<t>#BY#<substitute> / <user>
 *   how often that has changed        get    TASKSUB#<t>#BY#<substitute>#@ / MARK
 *   groups that have had tasks        query  TASKIDX#<t>#GROUPS / <group>
 */

/** Everything that belongs to a task. */
export const taskPartition = (taskId: string): string => `TASK#${taskId}`;
export const taskKey = (taskId: string): Key => ({ pk: taskPartition(taskId), sk: 'TASK' });
export const draftKey = (taskId: string): Key => ({ pk: taskPartition(taskId), sk: 'DRAFT' });
export const TASK_HISTORY = 'HIST#';
export const TASK_COMMENT = 'NOTE#';
export const donePartition = (tenant: string, user: string): string =>
  `TASK#${keyPart(tenant)}#${keyPart(user)}#DONE`;

/** Whose tasks a partition of rows lists; those of candidates are divided into claimed and unclaimed ones. */
export type TaskList =
  | { readonly of: 'ASSIGNEE'; readonly name: string }
  | { readonly of: 'USER' | 'GROUP'; readonly name: string; readonly isTaken: boolean };

/** The rows of a list, in order of creation or of due date. */
export function taskListPartition(tenant: string, list: TaskList, by: 'created' | 'due'): string {
  const kind = list.of === 'ASSIGNEE' ? '' : list.isTaken ? '#TAKEN' : '#FREE';
  const order = by === 'due' ? '#DUE' : '';
  return `TASKIDX#${keyPart(tenant)}#${list.of}#${keyPart(list.name)}${kind}${order}`;
}

export const groupsPartition = (tenant: string): string => `TASKIDX#${keyPart(tenant)}#GROUPS`;

/** Among the groups of a tenant that has substitutes; no name of a group begins with a space. */
export const SUBSTITUTES_MARK = ' @substitutes';
export const substituteKey = (tenant: string, user: string): Key => ({
  pk: `TASKSUB#${keyPart(tenant)}#OF#${keyPart(user)}`,
  sk: 'SUB',
});
/** Counts the changes of a user's substitutions. */
export const absencesMarkKey = (tenant: string, substitute: string): Key => ({
  pk: `TASKSUB#${keyPart(tenant)}#BY#${keyPart(substitute)}#@`,
  sk: 'MARK',
});
export const absencePartition = (tenant: string, substitute: string): string =>
  `TASKSUB#${keyPart(tenant)}#BY#${keyPart(substitute)}`;

/** The place of a task without a due date: after all that have one. */
const NEVER = '~';

/** Reminders of the hour of the instant. */
export const reminderPartition = (at: string): string => `TASKDUE#${hourOfInstant(at)}`;
export const sweptReminderKey: Key = { pk: 'TASKDUE#@swept', sk: 'HOUR' };
export type ReminderKind = 'SOON' | 'OVERDUE';

function reminderKeys({ taskId, reminders }: Pick<TaskRecord, 'taskId' | 'reminders'>): Key[] {
  const key = (kind: ReminderKind, at: string): Key => ({
    pk: reminderPartition(at),
    sk: `${at}#${kind}#${taskId}`,
  });
  if (!reminders) return [];
  const { soonAt, overdueAt } = reminders;
  return [...(soonAt ? [key('SOON', soonAt)] : []), key('OVERDUE', overdueAt)];
}

type Listed = Pick<
  TaskRecord,
  | 'taskId'
  | 'tenantCode'
  | 'assignee'
  | 'candidateUsers'
  | 'candidateGroups'
  | 'createdAt'
  | 'dueDate'
  | 'reminders'
>;

/** The rows under which an open task is found, always in the same order. */
export function taskRowKeys(task: Listed): Key[] {
  const isTaken = task.assignee !== undefined;
  const lists: TaskList[] = [
    ...(task.assignee === undefined ? [] : [{ of: 'ASSIGNEE' as const, name: task.assignee }]),
    ...new Set(task.candidateUsers)
      .values()
      .map((name) => ({ of: 'USER' as const, name, isTaken })),
    ...new Set(task.candidateGroups)
      .values()
      .map((name) => ({ of: 'GROUP' as const, name, isTaken })),
  ];
  const rows = lists.flatMap((list) => [
    {
      pk: taskListPartition(task.tenantCode, list, 'created'),
      sk: `${task.createdAt}#${task.taskId}`,
    },
    {
      pk: taskListPartition(task.tenantCode, list, 'due'),
      sk: `${task.dueDate ?? NEVER}#${task.taskId}`,
    },
  ]);
  return [...rows, ...reminderKeys(task)];
}
