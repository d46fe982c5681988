import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';

/** Task that fetches what the editing server could not deliver. */
export const RECOVERY_TASK = 'editor.recovery';

/** Task that deletes old versions of documents that are cancelled or deleted. */
export const FORGET_TASK = 'editor.forget';

/** Scheduled tasks of the editor's function. */
export const schedules = [
  { task: RECOVERY_TASK, expression: 'rate(15 minutes)' },
  { task: FORGET_TASK, expression: 'rate(1 minute)' },
] as const satisfies readonly ScheduleDeclaration[];
