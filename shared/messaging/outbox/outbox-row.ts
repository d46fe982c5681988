import { createHash } from 'node:crypto';
import { toInstant } from '../../primitives/clock.ts';
import type { Item, Key } from '../../store/table.ts';
import { envelopeSource, type MessageEnvelope } from '../wire/envelope.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import { dataRefOf, type PayloadRef } from '../wire/payload-store.ts';

/*
 * Keys of the outbox, below the name that `svc.mq.message-table` gives (`message`)
 *   one message                 <name>#<id> / <name>
 *   what is due, oldest first   gsi1: <name>#due#<shard> / <due, 15 digits of ms>#<id>
 *   dead letters, newest first  gsi1: <name>#dead / <deadAt>#<id>, of both sides
 *   head of an ordered key      <name>#head#<topic, its # as %23>#<key> / head
 * and below the name of the tracking (`message_tracking`)
 *   turn of an ordered key      <name>#<group>#<orderedKey> / turn
 */

/**
 * States of an outbox message:
 * PENDING -> SENDING -> SENT | RETRY -> SENDING | DEAD -> PENDING (requeued) | DISCARDED.
 * SENDING with an expired claim is due again.
 */
export type OutboxStatus = 'PENDING' | 'SENDING' | 'SENT' | 'RETRY' | 'DEAD' | 'DISCARDED';

/** A message in the outbox. */
export interface OutboxRow extends Item {
  readonly type: 'message';
  readonly id: string;
  readonly messageId: string;
  readonly topic: string;
  readonly key: string | null;
  /** `sync`: sent by the publisher after its commit; `async`: by the relay. */
  readonly kind: 'sync' | 'async';
  readonly dest: 'eventbridge' | 'sqs';
  readonly status: OutboxStatus;
  /** Sends that were started. */
  readonly attempts: number;
  /** Sends that failed; a relay that crashed is not the row's failure. */
  readonly failures?: number;
  readonly version: number;
  /** The payload as JSON text; absent when stored in the bucket or in `raw`. */
  readonly payload?: string;
  readonly payloadRef?: PayloadRef;
  readonly headers: Readonly<Record<string, string>>;
  readonly appCode: string;
  readonly traceId: string;
  readonly traceparent?: string;
  /** Sequence number within its key; ordered topics only. */
  readonly sequence?: number;
  /** Groups of the topic when it was published; ordered topics only. */
  readonly groups?: readonly string[];
  /** Whether its key waited for dead messages when it was published; counts when the topic is ordered no more. */
  readonly onDead?: 'block';
  /** A raw request of a broker client as JSON text, or the message for one group, instead of a platform message. */
  readonly raw?: string;
  /** The only group that gets it: a message that comes again, or waits for its turn. */
  readonly group?: string;
  /** Sequence number that this group has to be done with before. */
  readonly after?: number;
  /** Bytes of the payload. */
  readonly size: number;
  readonly createdAt: string;
  readonly requeueCount: number;
  readonly lastError?: KeptError;
}

/** Longest `raw`: an item holds 400 KB. */
export const MAX_RAW_BYTES = 358_400;

/** A new message before it is a row. */
export type OutboxDraft = Pick<
  OutboxRow,
  | 'id'
  | 'messageId'
  | 'topic'
  | 'key'
  | 'kind'
  | 'dest'
  | 'payload'
  | 'payloadRef'
  | 'headers'
  | 'appCode'
  | 'traceId'
  | 'traceparent'
  | 'sequence'
  | 'groups'
  | 'onDead'
  | 'raw'
  | 'group'
  | 'after'
  | 'size'
> & {
  readonly createdAtMs: number;
  readonly dueMs: number;
};

/** A due row as projected by the index. */
export interface DueRef extends Key {
  readonly gsi1sk: string;
  readonly summary: DueSummary;
}

/** The id of a row by its key. */
export const rowIdOf = ({ pk, sk }: Key): string => pk.slice(sk.length + 1);

/** Attributes of a row in the due index. */
export interface DueSummary extends Readonly<Record<string, unknown>> {
  readonly createdAt: string;
  /** Group of rows that must go out one after the other; ordered topics only. */
  readonly orderedKey?: string;
  readonly sequence?: number;
  /** Sequence number that has to be done before; absent: the one before `sequence`. */
  readonly after?: number;
}

const DUE_DIGITS = 15;

/** Keys of the outbox for one `svc.mq.message-table` and number of shards. */
export interface OutboxKeys {
  row(id: string): Key;
  duePartition(shard: number): string;
  deadPartition: string;
  head(topic: string, key: string | null): Key;
  /** Rows of an ordered key share a shard; the others are spread, however busy their key is. */
  shardOf(row: Pick<OutboxRow, 'topic' | 'key' | 'id' | 'sequence'>): number;
  readonly shards: number;
}

/** Builds the keys. */
export function outboxKeys(table: string, shards: number): OutboxKeys {
  return {
    shards,
    row: (id) => ({ pk: `${table}#${id}`, sk: table }),
    duePartition: (shard) => `${table}#due#${shard}`,
    deadPartition: `${table}#dead`,
    head: (topic, key) => ({ pk: `${table}#head#${topicAndKey(topic, key)}`, sk: 'head' }),
    shardOf: ({ topic, key, id, sequence }) =>
      createHash('sha256')
        .update(sequence === undefined ? id : (key ?? topic))
        .digest()
        .readUInt32BE(0) % shards,
  };
}

/**
 * Sort key of a due row: milliseconds in fixed width, so that text order is time order.
 * @throws RangeError for an instant outside of 15 digits.
 */
export function dueSortKey(dueMs: number, id: string): string {
  const whole = Math.ceil(dueMs);
  if (!Number.isSafeInteger(whole) || whole < 0 || String(whole).length > DUE_DIGITS) {
    throw new RangeError(`Not an instant of the due index: ${dueMs}`);
  }
  return `${String(whole).padStart(DUE_DIGITS, '0')}#${id}`;
}

/** The instant in a sort key of the due index. */
export const dueMsOf = (sortKey: string): number => Number(sortKey.slice(0, DUE_DIGITS));

/** The item of a new message. */
export function toRow({ createdAtMs, dueMs, ...draft }: OutboxDraft, keys: OutboxKeys): OutboxRow {
  const createdAt = toInstant(createdAtMs);
  return {
    ...keys.row(draft.id),
    ...draft,
    type: 'message',
    status: 'PENDING',
    attempts: 0,
    version: 1,
    requeueCount: 0,
    createdAt,
    updatedAt: createdAt,
    gsi1pk: keys.duePartition(keys.shardOf(draft)),
    gsi1sk: dueSortKey(dueMs, draft.id),
    summary: dueSummary({ ...draft, createdAt }),
  };
}

/** The projection of a row in the due index. */
export function dueSummary({
  topic,
  key,
  sequence,
  group,
  after,
  createdAt,
}: Pick<OutboxRow, 'topic' | 'key' | 'sequence' | 'group' | 'after' | 'createdAt'>): DueSummary {
  if (sequence === undefined) return { createdAt };
  const lane = orderedKey(topic, key);
  return group === undefined
    ? { createdAt, sequence, orderedKey: lane }
    : { createdAt, sequence, orderedKey: `${lane}#${group}`, after: after ?? 0 };
}

/** Another text for each topic and key: a topic's own `#` is written otherwise. */
const topicAndKey = (topic: string, key: string | null): string =>
  `${topic.replaceAll('%', '%25').replaceAll('#', '%23')}#${key ?? ''}`;

/** Ordering key of a message: messages with the same one keep their order. */
export const orderedKey = (topic: string, key: string | null): string =>
  createHash('sha256').update(topicAndKey(topic, key)).digest('hex').slice(0, 32);

/** Key of the item that says how far a group has come with an ordered key. */
export const laneKey = (
  trackingTable: string,
  { group, topic, key }: Pick<OutboxRow, 'topic' | 'key'> & { readonly group: string },
): Key => ({ pk: `${trackingTable}#${group}#${orderedKey(topic, key)}`, sk: 'turn' });

/**
 * The envelope of a row.
 * @param after place of the message of its key that each group got before; ordered topics only.
 */
export function envelopeOf(
  row: OutboxRow,
  after?: Readonly<Record<string, number>>,
): MessageEnvelope {
  const { payloadRef, payload, key, traceparent, sequence, onDead, headers } = row;
  return {
    specversion: '1.0',
    id: row.messageId,
    source: envelopeSource(row.appCode),
    type: row.topic,
    ...(key === null ? {} : { subject: key }),
    time: row.createdAt,
    datacontenttype: 'application/json',
    ...(traceparent ? { traceparent } : {}),
    traceid: row.traceId,
    ...(sequence === undefined ? {} : { sequence: String(sequence) }),
    ...(after ? { svcafter: after } : {}),
    ...(onDead ? { svcondead: onDead } : {}),
    ...(Object.keys(headers).length > 0 ? { svcheaders: headers } : {}),
    ...(payloadRef ? dataRefOf(payloadRef) : { data: JSON.parse(payload ?? 'null') as unknown }),
  };
}
