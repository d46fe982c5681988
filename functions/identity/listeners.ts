import type { ScheduleDeclaration } from '../../shared/lambda/schedule.ts';
import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { EVENT_TOPIC } from './events/topic.ts';
import { JOB_TOPIC } from './jobs/topic.ts';
import { ALERT_TOPICS } from './mail/mail-topics.ts';
import { USER_PROVISIONED } from './sync/topics.ts';

/** Consumer group of the events of sources, and of notices by mail. */
export const EVENT_GROUP = 'svc-cloud-idp';

/** Consumer group of the job notices. */
export const JOB_GROUP = 'svc-cloud-idp-jobs';

/** Listeners of the identity function: events of sources that wait to be applied, jobs that go on, and mail. */
export const listeners = [
  { topic: EVENT_TOPIC, group: EVENT_GROUP, batchSize: 1 },
  // A repeated step publishes its notices again.
  { topic: USER_PROVISIONED, group: EVENT_GROUP, batchSize: 1, messageIdFrom: '$.payload.key' },
  ...ALERT_TOPICS.map((topic) => ({ topic, group: EVENT_GROUP, batchSize: 1 })),
  { topic: JOB_TOPIC, group: JOB_GROUP, batchSize: 1, timeoutSeconds: 120 },
] as const satisfies readonly ListenerDeclaration[];

/** Task that looks after all sources: their schedules, and runs whose execution has died. */
export const PASS_TASK = 'identity.pass';
/** Task that applies events whose message was lost, that met a run or that failed. */
export const EVENT_TASK = 'identity.events';

/** Task that goes on with jobs, and takes part in a re-encryption. */
export const SWEEP_TASK = 'identity.sweep';

/** Scheduled tasks of the identity function. */
export const schedules = [
  { task: PASS_TASK, expression: 'rate(15 minutes)' },
  { task: EVENT_TASK, expression: 'rate(1 minute)' },
  { task: SWEEP_TASK, expression: 'rate(5 minutes)' },
] as const satisfies readonly ScheduleDeclaration[];

/** Tasks that the state machine of a run calls, as `sync.asl.json` names them. */
export const STEPS = [
  'sync-begin',
  'sync-snapshot',
  'sync-plan',
  'sync-departments',
  'sync-users',
  'sync-missing',
  'sync-finish',
  'sync-fail',
] as const;
