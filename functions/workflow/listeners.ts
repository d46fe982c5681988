import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';

/** Topic of what others want done with cases and tasks. */
export const COMMAND_TOPIC = 'workflow.command';
/** Consumer group that does it. */
export const COMMAND_GROUP = 'svc-cloud-workflow';

/** Listeners of the workflow function. Interceptors have effects elsewhere, so a message is claimed first. */
export const listeners = [
  { topic: COMMAND_TOPIC, group: COMMAND_GROUP },
] as const satisfies readonly ListenerDeclaration[];

/** Task that completes what interrupted calls have left. */
export const SWEEP_TASK = 'workflow.sweep';

/** Task that fires what is due of one family of cases. */
export const FIRE_TASK = 'workflow.fire-timers';

/** Scheduled tasks of the workflow function. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(1 minute)' },
] as const satisfies readonly ScheduleDeclaration[];
