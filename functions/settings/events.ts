import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
import { REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';

export { REFRESH_ALL, REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';

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
];
