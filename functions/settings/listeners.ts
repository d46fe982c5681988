import type { ListenerDeclaration } from '../../shared/messaging/consuming/listener.ts';
import { REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';

/** Consumer group of the refresh notices. */
export const REFRESH_GROUP = 'svc-cloud-config';

/** Listeners of the settings function. */
export const listeners = [
  { topic: REFRESH_TOPIC, group: REFRESH_GROUP, transactional: true },
] as const satisfies readonly ListenerDeclaration[];
