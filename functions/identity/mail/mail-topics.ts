import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { SOURCE_DISABLED, SYNC_FAILED, SYNC_SUSPENDED, USER_PROVISIONED } from '../sync/topics.ts';

/** Topics of notices to operators. */
export const ALERT_TOPICS = [SYNC_FAILED, SYNC_SUSPENDED, SOURCE_DISABLED] as const;
/** What the module sends mail for. */
export const MAIL_TOPICS: ReadonlySet<string> = new Set([USER_PROVISIONED, ...ALERT_TOPICS]);

/** Message of `USER_PROVISIONED`: an account that a run has made. */
export const provisioned = lazy(() =>
  z.object({ userId: z.string(), sourceId: z.string(), key: z.string() }),
);

/** Message of `ALERT_TOPICS`. */
export const alert = lazy(() =>
  z.object({
    sourceId: z.string(),
    batch: z.string().optional(),
    reasonCode: z.string().optional(),
    reason: z.string().optional(),
  }),
);

/** What a message of `MAIL_TOPICS` is. */
export const mailMessage = (topic: string): z.ZodType =>
  topic === USER_PROVISIONED ? provisioned() : alert();
