import { toInstant } from '../../../../shared/primitives/clock.ts';

/** When people are reminded of a task that is due. */
export interface TaskReminders {
  /** Some time before it is due; absent: it was due already. */
  readonly soonAt?: string;
  readonly overdueAt: string;
}

/**
 * The reminders of a due date: what would have been before it was set, is then.
 * @param at when the due date was set
 * @param leadMs how long before it is due people are reminded
 */
export function remindersOf(
  dueDate: string | undefined,
  at: string,
  leadMs: number,
): TaskReminders | undefined {
  if (dueDate === undefined) return undefined;
  const [due, set] = [Date.parse(dueDate), Date.parse(at)];
  if (due <= set) return { overdueAt: toInstant(set) };
  return { soonAt: toInstant(Math.max(due - leadMs, set)), overdueAt: toInstant(due) };
}
