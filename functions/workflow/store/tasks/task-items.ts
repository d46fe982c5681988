import type { Condition, Item, Key, StorableItem, Table } from '../../../../shared/store/table.ts';
import { isOpen, type TaskRecord } from '../../domain/cases/task-record.ts';
import { entityPartition } from '../case-keys.ts';
import { donePartition, groupsPartition, taskKey } from '../task-keys.ts';

/** A task as it is stored; the indexes list it by its entity, and by who has completed it. */
export const taskItem = (task: TaskRecord): StorableItem => ({
  ...taskKey(task.taskId),
  type: 'task',
  ...task,
  ...entityIndex(task),
  ...doneIndex(task),
});

/** Sort keys of the open tasks of an entity begin with this. */
export const OPEN_OF_ENTITY = 'TASK#';
/** Sort keys of its tasks that have ended begin with this. */
const ENDED_OF_ENTITY = 'TASKEND#';

/** Under these a task is found by its entity; open ones apart from those that have ended. */
export function entityIndex(
  task: TaskRecord,
): { readonly gsi2pk: string; readonly gsi2sk: string } | undefined {
  const { tenantCode, entityType, entityId, createdAt, taskId } = task;
  if (entityType === undefined || entityId === undefined) return undefined;
  const prefix = isOpen(task) ? OPEN_OF_ENTITY : ENDED_OF_ENTITY;
  return {
    gsi2pk: entityPartition(tenantCode, entityType, entityId),
    gsi2sk: `${prefix}${createdAt}#${taskId}`,
  };
}

/** Under these a completed task is found by who has completed it. */
export const doneIndex = ({
  taskId,
  tenantCode,
  completedBy,
  completedAt,
}: Pick<TaskRecord, 'taskId' | 'tenantCode' | 'completedBy' | 'completedAt'>):
  | { readonly gsi1pk: string; readonly gsi1sk: string }
  | undefined =>
  completedBy === undefined
    ? undefined
    : {
        gsi1pk: donePartition(tenantCode, completedBy),
        gsi1sk: `${completedAt}#${taskId}`,
      };

function toTask(item: Item): TaskRecord {
  const { pk: _, sk: _sk, type: _type, gsi1pk, gsi1sk, gsi2pk, gsi2sk, ...task } = item;
  return task as unknown as TaskRecord;
}

/** Tasks by their ids, in that order; those that do not exist are left out. */
export async function readTasks(table: Table, ids: readonly string[]): Promise<TaskRecord[]> {
  return ids.length === 0 ? [] : (await table.getMany(ids.map(taskKey))).map(toTask);
}

/** The row that remembers a group which has had tasks. */
export const groupRow = (tenant: string, group: string): Key => ({
  pk: groupsPartition(tenant),
  sk: group,
});

/** A case that is suspended, or leaves its family, changes its tasks without a new version, and so do drafts. */
export const isAsRead = ({
  version,
  familyId,
  isSuspended,
  hasDraft = false,
}: TaskRecord): Condition => ({
  expression: `#version = :version AND #family = :family AND #suspended = :suspended AND ${isDrafted(hasDraft)}`,
  names: {
    ...{ '#version': 'version', '#family': 'familyId', '#suspended': 'isSuspended' },
    '#draft': 'hasDraft',
  },
  values: {
    ...{ ':version': version, ':family': familyId, ':suspended': isSuspended },
    ':draft': hasDraft,
  },
});

const isDrafted = (hasDraft: boolean): string =>
  hasDraft ? '#draft = :draft' : '(attribute_not_exists(#draft) OR #draft = :draft)';
