import { toInstant } from '../../primitives/clock.ts';
import type { Key, StorableItem } from '../../store/table.ts';
import type { Message } from '../wire/event-publisher.ts';
import { identityDigest } from './tracking-row.ts';

/*
 * Keys of the synchronous dispatcher
 *   one message of one consumer   received_messages#<group>#<digest of topic, source and messageId> / received_messages
 *   the same, earlier form        received_messages#<group>#<messageId> / received_messages
 */
const RECORD = 'received_messages';

const keyOf = (group: string, id: string): Key => ({ pk: `${RECORD}#${group}#${id}`, sk: RECORD });

export const receivedKey = (group: string, message: Message): Key =>
  keyOf(group, identityDigest(message));

/** The key in its earlier form, which names neither topic nor source. */
export const earlierReceivedKey = (group: string, { messageId }: Message): Key =>
  keyOf(group, messageId);

/** Marks a dispatched message as processed by a consumer. */
export const receivedRow = (
  group: string,
  message: Message,
  { now, retentionMs }: { readonly now: number; readonly retentionMs: number },
): StorableItem => ({
  ...receivedKey(group, message),
  type: RECORD,
  topic: message.topic,
  messageId: message.messageId,
  creationTime: toInstant(now),
  ttl: Math.floor((now + retentionMs) / 1_000),
});
