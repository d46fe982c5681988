import type { TaskRecord } from '../cases/task-record.ts';
import type { TaskChange } from '../cmmn/index.ts';

/** What people change about a task. */
export const CHANGEABLE = [
  'status',
  'assignee',
  'owner',
  'delegationState',
  'name',
  'dueDate',
  'priority',
] as const;

/** A member of a task with what it was and is. */
export interface TaskDifference {
  readonly name: (typeof CHANGEABLE)[number];
  readonly value?: string | number;
  readonly oldValue?: string | number;
}

/** What an action has changed. */
export const differencesOf = (before: TaskRecord, after: TaskRecord): readonly TaskDifference[] =>
  CHANGEABLE.filter((name) => before[name] !== after[name]).map((name) => ({
    name,
    value: after[name],
    oldValue: before[name],
  }));

/** What the engine is to know of an open task. */
export const factsFor = ({ assignee, owner, dueDate, priority }: TaskRecord): TaskChange => ({
  assignee: assignee ?? null,
  owner: owner ?? null,
  dueDate: dueDate ?? null,
  priority,
});
