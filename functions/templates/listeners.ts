import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { JOB_TOPIC } from './events.ts';

/** Consumer group of the job notices. */
export const JOB_GROUP = 'svc-cloud-template';

/** Listeners of the templates function: jobs that continue with their next step. */
export const listeners = [
  { topic: JOB_TOPIC, group: JOB_GROUP, batchSize: 1, timeoutSeconds: 120 },
] as const satisfies readonly ListenerDeclaration[];

/** Task that ends what interrupted calls have left, and goes on with jobs. */
export const SWEEP_TASK = 'templates.sweep';

/** Scheduled tasks of the templates function. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(1 minute)' },
] as const satisfies readonly ScheduleDeclaration[];
