import type { CaseInstance, Effect } from '../cmmn/index.ts';
import type { CaseHead } from './case-facts.ts';
import type { Family } from './family.ts';
import type { FamilyChange } from './family-change.ts';
import {
  closingOf,
  openedTask,
  type TaskClosing,
  type TaskRecord,
  type TaskSaying,
} from './task-record.ts';

interface Around {
  /** Of every case that the command has left. */
  readonly heads: ReadonlyMap<string, CaseHead>;
  readonly before: Family | undefined;
  readonly cases: readonly CaseInstance[];
  readonly said?: Readonly<Record<string, TaskSaying>>;
  readonly reminderLeadMs?: number;
}

interface Collected {
  readonly opened: Map<string, TaskRecord>;
  readonly closed: Map<string, TaskClosing>;
  readonly suspensions: Map<string, boolean>;
}

/** What a command does to tasks. A task that it opens and ends is stored as ended. */
export function taskChangesIn(
  effects: readonly Effect[],
  around: Around,
): Pick<FamilyChange, 'opened' | 'closed' | 'suspensions' | 'moved'> {
  const tasks: Collected = { opened: new Map(), closed: new Map(), suspensions: new Map() };
  for (const effect of effects) collect(tasks, effect, around);
  const { opened, closed, suspensions } = tasks;
  for (const id of closed.keys()) suspensions.delete(id);
  return { opened: [...opened.values()], closed, suspensions, moved: movedTasks(around, opened) };
}

function collect({ opened, closed, suspensions }: Collected, effect: Effect, around: Around): void {
  switch (effect.type) {
    case 'taskCreated': {
      const head = around.heads.get(effect.caseInstanceId);
      if (head)
        opened.set(effect.planItemInstanceId, openedTask(effect, head, around.reminderLeadMs));
      break;
    }
    case 'taskCompleted':
    case 'taskCancelled': {
      const id = effect.planItemInstanceId;
      change(opened, closed, id, { ...closingOf(effect), ...around.said?.[id] });
      break;
    }
    case 'taskSuspended':
    case 'taskResumed': {
      const id = effect.planItemInstanceId;
      const isSuspended = effect.type === 'taskSuspended';
      const fresh = opened.get(id);
      if (fresh) opened.set(id, { ...fresh, isSuspended });
      else suspensions.set(id, isSuspended);
      break;
    }
    default:
  }
}

/** Changes a task that the command has opened, or else notes the change. */
function change(
  opened: Map<string, TaskRecord>,
  noted: Map<string, TaskClosing>,
  id: string,
  closing: TaskClosing,
): void {
  const fresh = opened.get(id);
  if (fresh) opened.set(id, { ...fresh, ...closing });
  else noted.set(id, closing);
}

/** Open tasks of cases that no other waits for any more. */
function movedTasks(
  { heads, before, cases }: Around,
  opened: ReadonlyMap<string, TaskRecord>,
): ReadonlyMap<string, string> {
  const moved = new Map<string, string>();
  for (const { id, planItems } of cases) {
    const familyId = heads.get(id)?.familyId;
    if (!before?.facts[id] || familyId === undefined || familyId === before.familyId) continue;
    for (const item of planItems)
      if (item.task && !opened.has(item.id)) moved.set(item.id, familyId);
  }
  return moved;
}
