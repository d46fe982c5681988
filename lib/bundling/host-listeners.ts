import {
  flattenListeners,
  type ListenerDeclaration,
} from '../../shared/messaging/consuming/listener.ts';
import { readHost } from './read-host.ts';

/**
 * The listeners that a host file exports: the list that its functions run, so that queues and code cannot
 * differ.
 * @throws HostEntryError, MessagingError `MQ_LISTENER_MESSAGE_ID_REQUIRED`, `MQ_LISTENER_TWICE`
 */
export function readHostListeners(hostEntry: string): readonly ListenerDeclaration[] {
  return flattenListeners(readHost(hostEntry).listeners);
}
