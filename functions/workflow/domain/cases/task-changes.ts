import type { CaseInstance, Effect } from '../cmmn/index.ts';
import type { CaseHead } from './case-facts.ts';
import type { Family } from './family.ts';
import type { FamilyChange } from './family-change.ts';
import { closingOf, openedTask, type TaskClosing, type TaskRecord } from './task-record.ts';

interface Around {
  /** Of every case that the command has left. */
  readonly heads: ReadonlyMap<string, CaseHead>;
  readonly before: Family | undefined;
  readonly cases: readonly CaseInstance[];
  readonly outcomes?: Readonly<Record<string, string>>;
}

/** What a command does to tasks. A task that it opens and ends is stored as ended. */
export function taskChangesIn(
  effects: readonly Effect[],
  around: Around,
): Pick<FamilyChange, 'opened' | 'closed' | 'suspensions' | 'moved'> {
  const opened = new Map<string, TaskRecord>();
  const closed = new Map<string, TaskClosing>();
  const suspensions = new Map<string, boolean>();
  for (const effect of effects) {
    if (!('planItemInstanceId' in effect)) continue;
    const id = effect.planItemInstanceId ?? '';
    const fresh = opened.get(id);
    if (effect.type === 'taskCreated') {
      const head = around.heads.get(effect.caseInstanceId);
      if (head) opened.set(id, openedTask(effect, head));
    } else if (effect.type === 'taskCompleted' || effect.type === 'taskCancelled') {
      const closing = { ...closingOf(effect), outcome: around.outcomes?.[id] };
      if (fresh) opened.set(id, { ...fresh, ...closing });
      else closed.set(id, closing);
    } else if (effect.type === 'taskSuspended' || effect.type === 'taskResumed') {
      const isSuspended = effect.type === 'taskSuspended';
      if (fresh) opened.set(id, { ...fresh, isSuspended });
      else suspensions.set(id, isSuspended);
    }
  }
  for (const id of closed.keys()) suspensions.delete(id);
  return { opened: [...opened.values()], closed, suspensions, moved: movedTasks(around, opened) };
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
