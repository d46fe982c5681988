import { type Clock, toInstant } from '../../primitives/clock.ts';
import { faultPoint } from '../../primitives/fault-point.ts';
import type { ItemWriter } from '../../store/item-writer.ts';
import type { Condition, Key, Table } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { OutboxKeys } from '../outbox/outbox-row.ts';
import { consumerDeadLetterId, deadSummary } from '../wire/dead-letter.ts';
import type { MessageEnvelope } from '../wire/envelope.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import { type PayloadRef, type PayloadStore, parseDataRef } from '../wire/payload-store.ts';
import {
  type Claim,
  type ClaimAnswer,
  type Delivery,
  deadLetterIndexKey,
  isOwnedBy,
  type TrackingRow,
  trackingKey,
} from './tracking-row.ts';

export interface TrackingDependencies {
  readonly table: Table;
  readonly writer: ItemWriter;
  readonly payloads: PayloadStore;
  readonly clock: Clock;
  /** Creates the owner id of a claim; unique, so that nobody inherits a lease. */
  readonly newOwner: () => string;
  readonly tableName: string;
  readonly deadPartition: OutboxKeys['deadPartition'];
  readonly retentionMs: number;
}

/** Stores which group has processed which message. */
export class Tracking {
  readonly #deps: TrackingDependencies;

  constructor(dependencies: TrackingDependencies) {
    this.#deps = dependencies;
  }

  key(group: string, messageId: string): Key {
    return trackingKey(this.#deps.tableName, group, messageId);
  }

  find(group: string, messageId: string): Promise<TrackingRow | undefined> {
    return this.#deps.table.get<TrackingRow>(this.key(group, messageId));
  }

  /** Claims a message that is new or has failed before. */
  async claim(delivery: Delivery, lockedUntil: number): Promise<ClaimAnswer> {
    const claimed = await this.#take(delivery, lockedUntil, {
      expression: 'attribute_not_exists(pk) OR #status = :failed',
      values: { ':failed': 'FAILED' },
    });
    if (claimed) return { kind: 'claimed', claim: claimed };
    const row = await this.find(delivery.group, delivery.messageId);
    if (row?.status === 'PROCESSING') {
      const hasEnded = (row.lockedUntil ?? 0) < this.#deps.clock.now();
      return hasEnded ? { kind: 'suspect', attempts: row.attempts } : { kind: 'busy' };
    }
    return row && row.status !== 'FAILED' ? { kind: 'duplicate' } : { kind: 'busy' };
  }

  /** Takes over a message with an expired lease; `undefined` when another consumer did. */
  takeOver(delivery: Delivery, lockedUntil: number): Promise<Claim | undefined> {
    return this.#take(delivery, lockedUntil, {
      expression: '#status = :processing AND lockedUntil < :now',
      values: { ':now': this.#deps.clock.now() },
    });
  }

  /** Adds the processed mark to the handler's transaction; a lost lease cancels the transaction. */
  stageProcessed(
    unit: UnitOfWork,
    { group, messageId, owner }: Claim,
    otherwise: () => Error,
  ): void {
    const now = this.#deps.clock.now();
    unit.update(
      this.key(group, messageId),
      {
        expression:
          'SET #status = :processed, processedAt = :at, updatedAt = :at, #ttl = :ttl REMOVE #owner, lockedUntil',
        names: { '#status': 'status', '#ttl': 'ttl', '#owner': 'owner' },
        values: {
          ':processed': 'PROCESSED',
          ':at': toInstant(now),
          ':ttl': this.#expiry(),
        },
      },
      { condition: isOwnedBy(owner), otherwise },
    );
  }

  /** Stores a failed attempt; the message may be claimed again at once. */
  async settleFailed({ group, messageId, owner }: Claim, error: KeptError): Promise<void> {
    await this.#deps.writer.mark(
      this.key(group, messageId),
      {
        expression:
          'SET #status = :failed, lastError = :error, updatedAt = :at REMOVE #owner, lockedUntil',
        names: { '#status': 'status', '#owner': 'owner' },
        values: {
          ':failed': 'FAILED',
          ':error': error,
          ':at': toInstant(this.#deps.clock.now()),
        },
      },
      isOwnedBy(owner),
    );
  }

  /**
   * Makes a message the dead letter of its group, after copying its body to where it does not expire.
   * @param holds condition that must still hold; a message processed in the meantime stays processed.
   * @returns whether it is dead now.
   */
  async settleDead(
    delivery: Delivery,
    facts: {
      readonly error: KeptError;
      readonly attempts: number;
      readonly envelope: MessageEnvelope | undefined;
      readonly body: string;
      readonly queue: string | undefined;
    },
    holds: Condition,
  ): Promise<boolean> {
    const { group, messageId, topic, key } = delivery;
    const { envelope, error, attempts, queue } = facts;
    const deadAt = toInstant(this.#deps.clock.now());
    const id = consumerDeadLetterId(group, messageId);
    const kept = await this.#keepBody(envelope, id);
    const size = kept?.size ?? Buffer.byteLength(JSON.stringify(envelope?.data) ?? facts.body);
    const createdAt = envelope?.time ?? deadAt;
    const before = await this.find(group, messageId);
    const summary = deadSummary({
      id,
      messageId,
      source: 'consumer',
      topic,
      key,
      listenerGroup: group,
      attempts,
      requeueCount: before?.requeueCount ?? 0,
      createdAt,
      deadAt,
      lastError: error,
      traceId: envelope?.traceid,
      size,
    });
    const values = {
      type: 'message_tracking',
      status: 'DEAD',
      group,
      messageId,
      topic,
      key,
      attempts,
      lastError: error,
      envelope: kept
        ? JSON.stringify(pointTo(envelope, kept))
        : envelope
          ? JSON.stringify(envelope)
          : facts.body,
      deadAt,
      updatedAt: deadAt,
      createdAt: before?.createdAt ?? deadAt,
      ...deadLetterIndexKey(this.#deps.deadPartition, deadAt, id),
      summary,
      ...(kept ? { payloadRef: kept } : {}),
      ...(queue ? { queue } : {}),
    };
    return this.#deps.writer.mark(this.key(group, messageId), assign(values), holds);
  }

  async #take(
    delivery: Delivery,
    lockedUntil: number,
    condition: Condition,
  ): Promise<Claim | undefined> {
    const { group, messageId, topic, key } = delivery;
    const owner = this.#deps.newOwner();
    const now = toInstant(this.#deps.clock.now());
    const row = await this.#deps.writer.update<TrackingRow>(
      this.key(group, messageId),
      {
        expression:
          'SET #type = :type, #status = :processing, #owner = :owner, lockedUntil = :until, attempts = if_not_exists(attempts, :zero) + :one, #group = :group, messageId = :id, topic = :topic, #key = :key, createdAt = if_not_exists(createdAt, :at), updatedAt = :at, #ttl = :ttl',
        names: {
          '#type': 'type',
          '#ttl': 'ttl',
          '#status': 'status',
          '#owner': 'owner',
          '#group': 'group',
          '#key': 'key',
        },
        values: {
          ':type': 'message_tracking',
          ':processing': 'PROCESSING',
          ':owner': owner,
          ':until': lockedUntil,
          // The row expires when the message never returns; dead messages do not expire.
          ':ttl': this.#expiry(),
          ':zero': 0,
          ':one': 1,
          ':group': group,
          ':id': messageId,
          ':topic': topic,
          ':key': key,
          ':at': now,
        },
      },
      condition,
    );
    faultPoint('consumer.after-claim');
    return row && { ...delivery, owner, attempt: row.attempts };
  }

  #expiry(): number {
    return Math.floor((this.#deps.clock.now() + this.#deps.retentionMs) / 1_000);
  }

  async #keepBody(
    envelope: MessageEnvelope | undefined,
    name: string,
  ): Promise<PayloadRef | undefined> {
    const ref = envelope?.dataref && parseDataRef(envelope.dataref, envelope.datasha256);
    const size = envelope?.datasize ?? 0;
    return ref ? this.#deps.payloads.keepForDead({ ...ref, size }, name) : undefined;
  }
}

function pointTo(envelope: MessageEnvelope | undefined, ref: PayloadRef): object {
  return { ...envelope, dataref: `s3://${ref.bucket}/${ref.key}`, datasha256: ref.sha256 };
}

/** An update that sets whole attributes and ends the lease. */
function assign(values: Readonly<Record<string, unknown>>) {
  const names = Object.keys(values);
  return {
    expression: `SET ${names.map((name) => `#${name} = :set_${name}`).join(', ')} REMOVE #owner, lockedUntil, #ttl`,
    names: {
      ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
      '#owner': 'owner',
      '#ttl': 'ttl',
    },
    values: Object.fromEntries(names.map((name) => [`:set_${name}`, values[name]])),
  };
}
