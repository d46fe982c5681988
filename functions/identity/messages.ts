import * as z from 'zod';
import { jobNotice } from '../../shared/jobs/job-notice.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import { EVENT_TOPIC } from './events/topic.ts';
import { JOB_TOPIC } from './jobs/topic.ts';
import { ALERT_TOPICS } from './mail/mail-topics.ts';
import { USER_PROVISIONED } from './sync/topics.ts';

/** An event of a source that waits to be applied. */
export const waitingEvent = lazy(() => z.object({ sourceId: z.string(), eventKey: z.string() }));

/** An account that a run has made. */
export const provisioned = lazy(() =>
  z.object({ userId: z.string(), sourceId: z.string(), key: z.string() }),
);

/** What operators are told of. */
export const alert = lazy(() =>
  z.object({
    sourceId: z.string(),
    batch: z.string().optional(),
    reasonCode: z.string().optional(),
    reason: z.string().optional(),
  }),
);

const SCHEMAS: Readonly<Record<string, () => z.ZodType>> = {
  [EVENT_TOPIC]: waitingEvent,
  [JOB_TOPIC]: jobNotice,
  [USER_PROVISIONED]: provisioned,
  ...Object.fromEntries(ALERT_TOPICS.map((topic) => [topic, alert])),
};

/** What the listeners of a topic read; a message that is none is dead at once, and refused when dispatched. */
export const schemaOf = (topic: string): z.ZodType | undefined => SCHEMAS[topic]?.();
