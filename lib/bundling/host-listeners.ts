import { resolve } from 'node:path';
import type { Host } from '../../shared/host/host.ts';
import {
  flattenListeners,
  type ListenerDeclaration,
} from '../../shared/messaging/consuming/listener.ts';
import { loadBundled } from './load-bundled.ts';

/**
 * The listeners that a host file exports: the very list that its functions run, so that queues and code cannot
 * differ.
 * @throws MessagingError `MQ_LISTENER_MESSAGE_ID_REQUIRED`, `MQ_LISTENER_TWICE`, and whatever the file throws.
 */
export function readHostListeners(hostEntry: string): readonly ListenerDeclaration[] {
  const { default: host } = loadBundled<{ readonly default?: Host }>(resolve(hostEntry));
  return flattenListeners(host?.listeners);
}
