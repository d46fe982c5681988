import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';

/** Task that fetches what the editing server could not deliver. */
export const RECOVERY_TASK = 'editor.recovery';

/** Scheduled tasks of the editor's function. */
export const schedules = [
  { task: RECOVERY_TASK, expression: 'rate(15 minutes)' },
] as const satisfies readonly ScheduleDeclaration[];
