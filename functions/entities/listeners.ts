import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { JOB_TOPIC } from './events.ts';

/** Consumer group of the job notices. */
export const JOB_GROUP = 'svc-cloud-dynamic';

/** What the entities function listens to: jobs that go on with their next step. */
export const listeners = [
  { topic: JOB_TOPIC, group: JOB_GROUP, batchSize: 1, timeoutSeconds: 120 },
] as const satisfies readonly ListenerDeclaration[];

/** Task that finishes what interrupted calls and jobs have left. */
export const SWEEP_TASK = 'entities.sweep';

/** What the entities function does again and again. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(5 minutes)' },
] as const satisfies readonly ScheduleDeclaration[];
