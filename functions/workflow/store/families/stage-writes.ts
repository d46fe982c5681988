import type { EventPublisher } from '../../../../shared/messaging/wire/event-publisher.ts';
import type { Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { isOpen, type TaskClosing, type TaskRecord } from '../../domain/cases/task-record.ts';
import { settingMembers } from '../set-members.ts';
import { taskKey, taskRowKeys } from '../task-keys.ts';
import { doneIndex, entityIndex, isAsRead, readTasks } from '../tasks/task-items.ts';
import { type RowWrite, stageRow } from './row-writes.ts';

export interface StagingDependencies {
  readonly table: Table;
  readonly events: EventPublisher;
}

/**
 * Stages writes in a unit that runs again when a task among them has changed meanwhile.
 * @param known the tasks among them, when they have been read already
 */
export async function stageWrites(
  unit: UnitOfWork,
  writes: readonly RowWrite[],
  { table, events }: StagingDependencies,
  known?: readonly TaskRecord[],
): Promise<void> {
  const found = known ?? (await readTasks(table, tasksOf(writes)));
  const tasks = new Map(found.map((task) => [task.taskId, task]));
  for (const write of writes) {
    if (write.kind === 'announce') {
      const { topic, key, payload } = write.announcement;
      await events.publish(topic, key, payload);
    } else if (write.kind === 'close') {
      stageClosing(unit, tasks.get(write.taskId), write.closing);
    } else if (write.kind === 'unlist') {
      const task = tasks.get(write.taskId);
      const rows = task ? taskRowKeys(task) : [];
      for (const key of rows.slice(write.from, write.from + write.count)) unit.delete(key);
    } else stageRow(unit, write);
  }
}

function tasksOf(writes: readonly RowWrite[]): string[] {
  const ids = writes.flatMap((write) =>
    write.kind === 'close' || write.kind === 'unlist' ? [write.taskId] : [],
  );
  return [...new Set(ids)];
}

/** A task ends once: what is said of it later is left out. */
function stageClosing(unit: UnitOfWork, task: TaskRecord | undefined, closing: TaskClosing): void {
  if (!task || !isOpen(task)) return;
  const { taskId, tenantCode, version } = task;
  const index = {
    ...doneIndex({ taskId, tenantCode, ...closing }),
    ...entityIndex({ ...task, ...closing }),
  };
  const members = { ...closing, ...index, version: version + 1 };
  const guard = { condition: isAsRead(task), otherwise: 'retry' as const };
  unit.update(taskKey(taskId), settingMembers(members), guard);
}
