import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';
import { SETTING_JOB_TOPIC } from './events.ts';

/** Consumer group of the refresh notices. */
export const REFRESH_GROUP = 'svc-cloud-config';

/** Consumer group of the job notices. */
export const JOB_GROUP = 'svc-cloud-config-jobs';

/** Listeners of the settings function. */
export const listeners = [
  { topic: REFRESH_TOPIC, group: REFRESH_GROUP, transactional: true },
  { topic: SETTING_JOB_TOPIC, group: JOB_GROUP, batchSize: 1, timeoutSeconds: 120 },
] as const satisfies readonly ListenerDeclaration[];

/** Task that follows a rotated secret and goes on with jobs. */
export const SWEEP_TASK = 'settings.sweep';

/** Scheduled tasks of the settings function. */
export const schedules = [
  { task: SWEEP_TASK, expression: 'rate(5 minutes)' },
] as const satisfies readonly ScheduleDeclaration[];
