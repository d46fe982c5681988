import type { Item, Key, StorableItem, Table } from '../../../../shared/store/table.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { entityPartition } from '../case-keys.ts';
import { keyPart } from '../key-part.ts';
import { groupsPartition, taskKey } from '../task-keys.ts';

/** A task as it is stored; the indexes list it by its entity, and by who has completed it. */
export function taskItem(task: TaskRecord): StorableItem {
  const { tenantCode, entityType, entityId, createdAt, taskId } = task;
  return {
    ...taskKey(taskId),
    type: 'task',
    ...task,
    ...(entityType !== undefined &&
      entityId !== undefined && {
        gsi2pk: entityPartition(tenantCode, entityType, entityId),
        gsi2sk: `TASK#${createdAt}#${taskId}`,
      }),
    ...doneIndex(task),
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
        gsi1pk: `TASK#${keyPart(tenantCode)}#${keyPart(completedBy)}#DONE`,
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
