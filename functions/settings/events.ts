import type { JobNotice } from '../../shared/jobs/job.ts';
import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
import { REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';

export { REFRESH_ALL, REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';

/** Topic by which a job of the module wakes itself for its next step. */
export const SETTING_JOB_TOPIC = 'setting-job';
/** Port by which modules take part in a re-encryption. */
export const RE_ENCRYPTION_PORT = 'settings.re-encryption';

/** Payload of `iam-config-refresh`: which key was refreshed. */
export interface RefreshNotice {
  /** Name of a setting, or `__REFRESH_ALL__`. */
  readonly key: string;
  /** Step of the refresh epoch; absent in notices of other applications. */
  readonly epoch?: number;
}

/** Events of the module, for the reference. */
export const events = [
  {
    topic: REFRESH_TOPIC,
    key: 'name of the setting, or `__REFRESH_ALL__`',
    payload: 'RefreshNotice',
    meaning: 'a setting is saved, rolled back, deleted or refreshed',
    members: {
      key: 'name of the setting, or `__REFRESH_ALL__`',
      epoch: 'number of the refresh; absent in notices of other applications',
    },
  } satisfies EventDescription<RefreshNotice>,
  {
    topic: SETTING_JOB_TOPIC,
    key: 'job id',
    payload: 'JobNotice',
    meaning: 'a job of the settings continues with its next step (internal)',
    members: { jobId: 'id of the job' },
  } satisfies EventDescription<JobNotice>,
];
