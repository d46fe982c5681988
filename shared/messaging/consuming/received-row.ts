import { toInstant } from '../../primitives/clock.ts';
import type { Key, StorableItem } from '../../store/table.ts';

/*
 * Keys of the synchronous dispatcher
 *   one message of one consumer   received_messages#<group>#<messageId> / received_messages
 */
const RECORD = 'received_messages';

export const receivedKey = (group: string, messageId: string): Key => ({
  pk: `${RECORD}#${group}#${messageId}`,
  sk: RECORD,
});

/** Marks a dispatched message as processed by a consumer. */
export const receivedRow = (
  key: Key,
  { now, retentionMs }: { readonly now: number; readonly retentionMs: number },
): StorableItem => ({
  ...key,
  type: RECORD,
  creationTime: toInstant(now),
  ttl: Math.floor((now + retentionMs) / 1_000),
});
