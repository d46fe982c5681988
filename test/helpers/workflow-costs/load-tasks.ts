import type { TaskRecord } from '../../../functions/workflow/domain/cases/task-record.ts';
import { taskKey, taskRowKeys } from '../../../functions/workflow/store/task-keys.ts';
import { readTasks, taskItem } from '../../../functions/workflow/store/tasks/task-items.ts';
import type { WorkflowCostWorld } from './world.ts';

/** Cases to which the tasks belong. */
const CASES = 50;
const STEP_MS = 1_000;
const FIRST_CREATED = Date.UTC(2020, 0, 1);
const FIRST_DUE = Date.UTC(2028, 0, 1);

/**
 * Puts open tasks of a group into the table as the store writes them, but without requests.
 * @param free one in so many is claimed by nobody, the others by somebody else
 */
export async function loadTasks(
  { context, start }: WorkflowCostWorld,
  count: number,
  free: number,
): Promise<void> {
  const templates: TaskRecord[] = [];
  for (let at = 0; at < CASES; at += 1) {
    const [task] = await readTasks(context.table, [(await start()).taskId]);
    if (task) templates.push(task);
  }
  context.db.load(itemsOf(templates, count, free));
}

function* itemsOf(templates: readonly TaskRecord[], count: number, free: number) {
  for (let at = 0; at < count; at += 1) {
    const template = templates[Math.floor(at / free) % templates.length];
    if (!template) throw new Error('No case was started');
    const task = aTask(template, at, at % free === 0);
    for (const key of taskRowKeys(task)) yield { ...key };
    yield { ...taskItem(task), ...taskKey(task.taskId) };
  }
}

function aTask(template: TaskRecord, at: number, isFree: boolean): TaskRecord {
  const { reminders: _, ...given } = template;
  const instant = (first: number, place: number): string =>
    new Date(first + place * STEP_MS).toISOString();
  const task: TaskRecord = {
    ...given,
    taskId: `${template.taskId.slice(0, -7)}${String(at).padStart(7, '0')}`,
    createdAt: instant(FIRST_CREATED, at),
    dueDate: instant(FIRST_DUE, (at * 7_919) % 1_000_003),
  };
  if (isFree) return task;
  const claimedAt = instant(FIRST_CREATED, at + 1);
  return { ...task, status: 'CLAIMED', assignee: 'bob', claimedAt, version: 2 };
}
