import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { JOB_TOPIC } from './events.ts';

/** Consumer group of the job notices. */
export const JOB_GROUP = 'svc-cloud-dynamic';

/** Listeners of the entities function: jobs that continue with their next step. */
export const listeners = [
  { topic: JOB_TOPIC, group: JOB_GROUP, batchSize: 1, timeoutSeconds: 120 },
] as const satisfies readonly ListenerDeclaration[];

/** Task that completes interrupted calls and jobs. */
export const SWEEP_TASK = 'entities.sweep';

/** Scheduled tasks of the entities function. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(5 minutes)' },
] as const satisfies readonly ScheduleDeclaration[];
