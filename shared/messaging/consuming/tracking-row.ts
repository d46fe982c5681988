import type { Condition, Item, Key } from '../../store/table.ts';
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

/** Place of a dead letter in the list of dead letters, by the instant of its death. */
export const deadLetterIndexKey = (deadPartition: string, deadAt: string, id: string) => ({
  gsi1pk: deadPartition,
  gsi1sk: `${deadAt}#${id}`,
});

/** States of a message in a consumer group; PROCESSING whose lease has run out may be taken over. */
export type TrackingStatus = 'PROCESSING' | 'PROCESSED' | 'FAILED' | 'DEAD' | 'DISCARDED';

/** What is remembered of a message in a consumer group. */
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
  /** Kept only while DEAD: the envelope as JSON text, or what the queue held when it was none. */
  readonly envelope?: string;
  readonly payloadRef?: PayloadRef;
  /** Queue that a requeued message goes back to. */
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

/** Right to process a message, until the lease ends. */
export interface Claim extends Delivery {
  readonly owner: string;
  readonly attempt: number;
}

/** What came of asking for a message. */
export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'busy' }
  /** Its lease has run out: the message may have taken its process down. */
  | { readonly kind: 'suspect'; readonly attempts: number };

/** Longest messageId; it is part of a key. */
export const MAX_MESSAGE_ID = 512;

/** The claim is still the caller's. */
export const isOwnedBy = (owner: string): Condition => ({
  expression: '#status = :mine AND #owner = :me',
  names: { '#status': 'status', '#owner': 'owner' },
  values: { ':mine': 'PROCESSING', ':me': owner },
});

/** Nobody has processed or discarded the message, and nobody is at it. */
export const isNotSettled = (now: number): Condition => ({
  expression:
    'attribute_not_exists(pk) OR #status = :failed OR (#status = :processing AND lockedUntil < :now)',
  names: { '#status': 'status' },
  values: { ':failed': 'FAILED', ':processing': 'PROCESSING', ':now': now },
});
