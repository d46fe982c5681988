import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';

/** Task that ends what interrupted calls have left. */
export const SWEEP_TASK = 'templates.sweep';

/** Scheduled tasks of the templates function. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(1 minute)' },
] as const satisfies readonly ScheduleDeclaration[];
