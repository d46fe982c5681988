import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';

/** Task that completes what interrupted calls have left. */
export const SWEEP_TASK = 'workflow.sweep';

/** Scheduled tasks of the workflow function. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(1 minute)' },
] as const satisfies readonly ScheduleDeclaration[];
