import type { ReadPage } from '../../../../shared/store/paged-read.ts';
import type { Table } from '../../../../shared/store/table.ts';
import type { TaskCaller } from '../../domain/tasks/task-caller.ts';
import type { ListedTask } from '../../domain/tasks/task-filter.ts';
import type { CaseRecords } from '../../store/cases/case-records.ts';
import { readTasks } from '../../store/tasks/task-items.ts';

/** Tasks of a list, and who has asked. */
export type TaskPage = ReadPage<ListedTask> & { readonly caller: TaskCaller };

/** How many tasks there are; `gte`: at least so many. */
export interface TaskCount {
  readonly count: number;
  readonly relation: 'eq' | 'gte';
}

/** Tasks looked at for one page or count, those left out included; then a page ends early with a cursor. */
export const MAX_LOOKED_AT = 2_000;
export const MAX_COUNTED = 1_000;

/** Tasks by their ids, with what lists show of their cases. */
export async function listedTasks(
  { table, records }: { readonly table: Table; readonly records: CaseRecords },
  ids: readonly string[],
): Promise<ListedTask[]> {
  const tasks = await readTasks(table, ids);
  const cases = new Set(tasks.map(({ caseInstanceId }) => caseInstanceId));
  const heads = await records.heads([...cases]);
  const byCase = new Map(heads.map((head) => [head.caseInstanceId, head.taskVariables]));
  return tasks.map((task) => ({ task, variables: byCase.get(task.caseInstanceId) }));
}
