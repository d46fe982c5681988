import {
  type Listener,
  type ListenerContext,
  messageListener,
} from '../../shared/messaging/consuming/listener.ts';
import { DOCS_TOPICS, type SavedPayload } from './events.ts';

/** A document is stored as it was edited. */
export interface DocsDocumentSavedEvent extends Omit<SavedPayload, 'isTerminal'> {
  /** Whether the editing has ended: time to sync the business record. */
  isTerminal(): boolean;
}

/**
 * A listener of saved documents, for the `listeners` of a host.
 * @param group its consumer group: each group gets every event once
 */
export function docsDocumentSavedListener(
  group: string,
  handle: (event: DocsDocumentSavedEvent, context: ListenerContext) => Promise<void>,
): Listener {
  return messageListener<SavedPayload>(
    { topic: DOCS_TOPICS.saved, group },
    ({ payload: { isTerminal, ...saved } }, context) =>
      handle({ ...saved, isTerminal: () => isTerminal }, context),
  );
}
