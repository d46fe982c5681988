import { SOURCE_DISABLED, SYNC_FAILED, SYNC_SUSPENDED, USER_PROVISIONED } from '../sync/topics.ts';

/** What operators are told of. */
export const ALERT_TOPICS = [SYNC_FAILED, SYNC_SUSPENDED, SOURCE_DISABLED] as const;
/** What the module sends mail for. */
export const MAIL_TOPICS: ReadonlySet<string> = new Set([USER_PROVISIONED, ...ALERT_TOPICS]);
