import { createHash } from 'node:crypto';
import { firstCharacters } from '../../store/first-characters.ts';
import type { Condition, Item, Key } from '../../store/table.ts';
import { consumerDeadLetterId } from '../wire/dead-letter.ts';
import { envelopeOfQueueBody, type MessageEnvelope } from '../wire/envelope.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import type { PayloadRef } from '../wire/payload-store.ts';

/*
 * Keys of the tracking, below the name that `svc.mq.message-tracking-table` gives (`message_tracking`)
 *   one message of one group    <name>#<group>#<digest of topic, source and messageId> / <name>
 *   the same, earlier form      <name>#<group>#<messageId> / <name>
 *   dead letters                gsi1: <message-table>#dead / <deadAt>#<id>
 */

/** Key of a message by its digest; in the earlier form by its messageId. */
export const trackingKey = (tableName: string, group: string, id: string): Key => ({
  pk: `${tableName}#${group}#${id}`,
  sk: tableName,
});

/** Identity of a message within a group; of any length, so keys hold its digest. */
export const identityDigest = ({
  topic,
  source,
  messageId,
}: Pick<Delivery, 'topic' | 'source' | 'messageId'>): string =>
  createHash('sha256')
    .update(JSON.stringify([topic, source, messageId]))
    .digest('base64url');

/** Id of the dead letter that a message would become. */
export const deadLetterIdOf = (delivery: Delivery): string =>
  consumerDeadLetterId(delivery.group, identityDigest(delivery));

/** Index key of a dead letter, ordered by the time of its death. */
export const deadLetterIndexKey = (deadPartition: string, deadAt: string, id: string) => ({
  gsi1pk: deadPartition,
  gsi1sk: `${deadAt}#${id}`,
});

/** States of a message in a consumer group; PROCESSING with an expired lease may be taken over. */
export type TrackingStatus = 'PROCESSING' | 'PROCESSED' | 'FAILED' | 'DEAD' | 'DISCARDED';

/** Tracking row of a message in a consumer group; texts of foreign messages are cut. */
export interface TrackingRow extends Item {
  readonly type: 'message_tracking';
  readonly status: TrackingStatus;
  readonly group: string;
  readonly messageId: string;
  /** Absent in the earlier form. */
  readonly source?: string;
  readonly attempts: number;
  readonly topic: string;
  readonly key: string | null;
  readonly owner?: string;
  /** End of the lease (epoch ms). */
  readonly lockedUntil?: number;
  readonly lastError?: KeptError;
  readonly requeueCount?: number;
  /** Only while DEAD: the envelope as JSON text, or the beginning of the raw body when it is not an envelope. */
  readonly envelope?: string;
  /** The payload of the envelope, or the whole raw body. */
  readonly payloadRef?: PayloadRef;
  /** Queue to which a requeued message returns. */
  readonly queue?: string;
  readonly deadAt?: string;
}

/** A message of a group before it is tracked. Topic, source and messageId identify it. */
export interface Delivery {
  readonly group: string;
  readonly topic: string;
  readonly source: string;
  readonly messageId: string;
  readonly key: string | null;
}

/** A delivery that a listener has; without an owner it was not claimed beforehand. */
export interface DeliveryAttempt extends Delivery {
  readonly owner?: string;
  readonly attempt: number;
}

/** Right to process a message until the lease expires. */
export interface Claim extends DeliveryAttempt {
  readonly owner: string;
}

/** Result of claiming a message. */
export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'busy' }
  /** The lease expired: the message may have crashed its process. */
  | { readonly kind: 'suspect'; readonly attempts: number };

/** Longest messageId, and longest text that a row keeps of a foreign message. */
export const MAX_MESSAGE_ID = 512;

/** The facts of a delivery as its row keeps them. */
export const keptFacts = ({ group, topic, source, messageId, key }: Delivery) => ({
  group,
  topic: firstCharacters(topic, MAX_MESSAGE_ID),
  source: firstCharacters(source, MAX_MESSAGE_ID),
  messageId: firstCharacters(messageId, MAX_MESSAGE_ID),
  key: key === null ? null : firstCharacters(key, MAX_MESSAGE_ID),
});

/** The caller still holds the claim. */
export const isOwnedBy = (owner: string): Condition => ({
  expression: '#status = :mine AND #owner = :me',
  names: { '#status': 'status', '#owner': 'owner' },
  values: { ':mine': 'PROCESSING', ':me': owner },
});

/** The message is neither processed nor discarded, and no consumer is processing it. */
export const isNotSettled = (now: number): Condition => ({
  expression:
    'attribute_not_exists(pk) OR #status = :failed OR (#status = :processing AND lockedUntil < :now)',
  names: { '#status': 'status' },
  values: { ':failed': 'FAILED', ':processing': 'PROCESSING', ':now': now },
});

/** Whether a row is the dead letter of this very message, and not of another one that counts as the same. */
export const isDeadLetterOf = (row: TrackingRow | undefined, { id }: MessageEnvelope): boolean =>
  row?.status === 'DEAD' && envelopeOfQueueBody(row.envelope ?? '')?.id === id;
