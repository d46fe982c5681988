import type { Condition, Item, Key } from '../../store/table.ts';
import { envelopeOfQueueBody, type MessageEnvelope } from '../wire/envelope.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import type { PayloadRef } from '../wire/payload-store.ts';

/*
 * Keys of the tracking, below the name that `svc.mq.message-tracking-table` gives (`message_tracking`)
 *   one message of one group    <name>#<group>#<messageId> / <name>
 *   dead letters                gsi1: <message-table>#dead / <deadAt>#<id>
 */

export const trackingKey = (tableName: string, group: string, messageId: string): Key => ({
  pk: `${tableName}#${group}#${messageId}`,
  sk: tableName,
});

/** Index key of a dead letter, ordered by the time of its death. */
export const deadLetterIndexKey = (deadPartition: string, deadAt: string, id: string) => ({
  gsi1pk: deadPartition,
  gsi1sk: `${deadAt}#${id}`,
});

/** States of a message in a consumer group; PROCESSING with an expired lease may be taken over. */
export type TrackingStatus = 'PROCESSING' | 'PROCESSED' | 'FAILED' | 'DEAD' | 'DISCARDED';

/** Tracking row of a message in a consumer group. */
export interface TrackingRow extends Item {
  readonly type: 'message_tracking';
  readonly status: TrackingStatus;
  readonly group: string;
  readonly messageId: string;
  readonly attempts: number;
  readonly topic: string;
  readonly key: string | null;
  readonly owner?: string;
  /** End of the lease (epoch ms). */
  readonly lockedUntil?: number;
  readonly lastError?: KeptError;
  readonly requeueCount?: number;
  /** Only while DEAD: the envelope as JSON text, or the raw body when it is not an envelope. */
  readonly envelope?: string;
  readonly payloadRef?: PayloadRef;
  /** Queue to which a requeued message returns. */
  readonly queue?: string;
  readonly deadAt?: string;
}

/** A message of a group before it is tracked. */
export interface Delivery {
  readonly group: string;
  readonly messageId: string;
  readonly topic: string;
  readonly key: string | null;
}

/** Right to process a message until the lease expires. */
export interface Claim extends Delivery {
  readonly owner: string;
  readonly attempt: number;
}

/** Result of claiming a message. */
export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'busy' }
  /** The lease expired: the message may have crashed its process. */
  | { readonly kind: 'suspect'; readonly attempts: number };

/** Longest messageId; it is part of a key. */
export const MAX_MESSAGE_ID = 512;

/** The caller still holds the claim. */
export const isOwnedBy = (owner: string): Condition => ({
  expression: '#status = :mine AND #owner = :me',
  names: { '#status': 'status', '#owner': 'owner' },
  values: { ':mine': 'PROCESSING', ':me': owner },
});

/** The message is neither processed nor discarded, and nobody is processing it. */
export const isNotSettled = (now: number): Condition => ({
  expression:
    'attribute_not_exists(pk) OR #status = :failed OR (#status = :processing AND lockedUntil < :now)',
  names: { '#status': 'status' },
  values: { ':failed': 'FAILED', ':processing': 'PROCESSING', ':now': now },
});

/** Whether a row is the dead letter of this very message, and not of another one that counts as the same. */
export const isDeadLetterOf = (row: TrackingRow | undefined, { id }: MessageEnvelope): boolean =>
  row?.status === 'DEAD' && envelopeOfQueueBody(row.envelope ?? '')?.id === id;
