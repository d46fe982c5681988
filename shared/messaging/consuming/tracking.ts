import { type Clock, toInstant } from '../../primitives/clock.ts';
import { faultPoint } from '../../primitives/fault-point.ts';
import { notExists } from '../../store/conditions.ts';
import type { ItemWriter } from '../../store/item-writer.ts';
import type { Condition, Key, Table, Update } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { OutboxKeys } from '../outbox/outbox-row.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import type { PayloadStore } from '../wire/payload-store.ts';
import { type DeathFacts, deadAttributes } from './dead-message.ts';
import {
  type Claim,
  type ClaimAnswer,
  type Delivery,
  type DeliveryAttempt,
  identityDigest,
  isNotSettled,
  isOwnedBy,
  keptFacts,
  type TrackingRow,
  trackingKey,
} from './tracking-row.ts';

export interface TrackingDependencies {
  readonly table: Table;
  readonly writer: ItemWriter;
  readonly payloads: PayloadStore;
  readonly clock: Clock;
  /** Creates the owner id of a claim; unique, so that no later invocation inherits a lease. */
  readonly newOwner: () => string;
  readonly tableName: string;
  readonly deadPartition: OutboxKeys['deadPartition'];
  readonly retentionMs: number;
}

/** `lib/resources/messaging.ts` */
const KEPT_BY_QUEUE_MS = 14 * 86_400_000;
/** A key holds 2048 bytes: table name and group, and in the earlier form the messageId. */
const MAX_EARLIER_ID_BYTES = 1_900;

/** Stores which group has processed which message. */
export class Tracking {
  readonly #deps: TrackingDependencies;

  constructor(dependencies: TrackingDependencies) {
    this.#deps = dependencies;
  }

  /** The row of a message. */
  find(delivery: Delivery): Promise<TrackingRow | undefined> {
    return this.#deps.table.get<TrackingRow>(this.#key(delivery));
  }

  /** The row of a message by group and what follows it in the key, as the id of a dead letter names them. */
  findByTrackingId({
    group,
    trackingId,
  }: {
    readonly group: string;
    readonly trackingId: string;
  }): Promise<TrackingRow | undefined> {
    return this.#deps.table.get<TrackingRow>(trackingKey(this.#deps.tableName, group, trackingId));
  }

  /** Whether a row of the earlier form, which names neither topic nor source in its key, says that it is processed. */
  async wasProcessedBefore({ group, topic, messageId }: Delivery): Promise<boolean> {
    if (Buffer.byteLength(messageId) > MAX_EARLIER_ID_BYTES) return false;
    const row = await this.findByTrackingId({ group, trackingId: messageId });
    return row?.status === 'PROCESSED' && row.topic === topic;
  }

  /** Claims a message that is new or has failed before. */
  async claim(delivery: Delivery, lockedUntil: number): Promise<ClaimAnswer> {
    const claimed = await this.#take(delivery, lockedUntil, {
      expression: 'attribute_not_exists(pk) OR #status = :failed',
      values: { ':failed': 'FAILED' },
    });
    if (claimed) return { kind: 'claimed', claim: claimed };
    const row = await this.find(delivery);
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
  stageProcessed(unit: UnitOfWork, claim: Claim, otherwise: () => Error): void {
    const now = toInstant(this.#deps.clock.now());
    unit.update(this.#key(claim), this.#processed(now), {
      condition: isOwnedBy(claim.owner),
      otherwise,
    });
  }

  /** Adds the mark of an unclaimed message; one that is tracked already cancels the transaction. */
  stageFirst(unit: UnitOfWork, delivery: Delivery, otherwise: () => Error): void {
    const now = toInstant(this.#deps.clock.now());
    const values = {
      ...keptFacts(delivery),
      type: 'message_tracking',
      attempts: 1,
      status: 'PROCESSED',
      processedAt: now,
      updatedAt: now,
      createdAt: now,
      ttl: this.#markExpiry(),
    };
    // An update, as all writes of tracking rows, so that functions need no further right.
    unit.update(this.#key(delivery), assign(values), { condition: notExists, otherwise });
  }

  /** Marks a claimed message as processed without its listener. */
  async settleProcessed(claim: Claim): Promise<void> {
    const now = toInstant(this.#deps.clock.now());
    await this.#deps.writer.mark(this.#key(claim), this.#processed(now), isOwnedBy(claim.owner));
  }

  /**
   * Stores a failed attempt; the message may be claimed again at once.
   * @returns `false`: the caller does not hold the claim (any more).
   */
  settleFailed(delivery: DeliveryAttempt, error: KeptError): Promise<boolean> {
    const now = toInstant(this.#deps.clock.now());
    const values = {
      ...keptFacts(delivery),
      type: 'message_tracking',
      status: 'FAILED',
      attempts: delivery.attempt,
      lastError: error,
      updatedAt: now,
      ttl: this.expiry(),
      ...(delivery.owner === undefined ? { createdAt: now } : {}),
    };
    return this.#deps.writer.mark(
      this.#key(delivery),
      assign(values, ['owner', 'lockedUntil']),
      delivery.owner === undefined ? notExists : isOwnedBy(delivery.owner),
    );
  }

  /**
   * Makes a message the dead letter of its group, after its large body was stored where it does not expire.
   * @returns whether it is dead now: a message that was settled in the meantime, or is that of another, stays as it is.
   */
  async settleDead(
    delivery: Omit<DeliveryAttempt, 'attempt'>,
    facts: DeathFacts,
  ): Promise<boolean> {
    const before = await this.find(delivery);
    const holds =
      delivery.owner === undefined
        ? isNotSettled(this.#deps.clock.now())
        : isOwnedBy(delivery.owner);
    const values = await deadAttributes(delivery, facts, before, this.#deps);
    return this.#deps.writer.mark(
      this.#key(delivery),
      assign(values, ['owner', 'lockedUntil', 'ttl']),
      holds,
    );
  }

  async #take(
    delivery: Delivery,
    lockedUntil: number,
    condition: Condition,
  ): Promise<Claim | undefined> {
    const { group, topic, source, messageId, key } = keptFacts(delivery);
    const owner = this.#deps.newOwner();
    const now = toInstant(this.#deps.clock.now());
    const row = await this.#deps.writer.update<TrackingRow>(
      this.#key(delivery),
      {
        expression:
          'SET #type = :type, #status = :processing, #owner = :owner, lockedUntil = :until, attempts = if_not_exists(attempts, :zero) + :one, #group = :group, messageId = :id, topic = :topic, #source = :source, #key = :key, createdAt = if_not_exists(createdAt, :at), updatedAt = :at, #ttl = :ttl',
        names: {
          '#type': 'type',
          '#ttl': 'ttl',
          '#status': 'status',
          '#owner': 'owner',
          '#group': 'group',
          '#source': 'source',
          '#key': 'key',
        },
        values: {
          ':type': 'message_tracking',
          ':processing': 'PROCESSING',
          ':owner': owner,
          ':until': lockedUntil,
          // The row expires when the message never returns; dead messages do not expire.
          ':ttl': this.expiry(),
          ':zero': 0,
          ':one': 1,
          ':group': group,
          ':id': messageId,
          ':topic': topic,
          ':source': source,
          ':key': key,
          ':at': now,
        },
      },
      condition,
    );
    faultPoint('consumer.after-claim');
    return row && { ...delivery, owner, attempt: row.attempts };
  }

  /** When the attempts of a message are forgotten that may come again (epoch seconds): not while a queue can hold it. */
  expiry(): number {
    return this.#expiryAfter(Math.max(this.#deps.retentionMs, KEPT_BY_QUEUE_MS));
  }

  /** When the mark of a processed message is forgotten. */
  #markExpiry(): number {
    return this.#expiryAfter(this.#deps.retentionMs);
  }

  #expiryAfter(ms: number): number {
    return Math.floor((this.#deps.clock.now() + ms) / 1_000);
  }

  #key(delivery: Delivery): Key {
    return trackingKey(this.#deps.tableName, delivery.group, identityDigest(delivery));
  }

  #processed(now: string): Update {
    return {
      expression:
        'SET #status = :processed, processedAt = :at, updatedAt = :at, #ttl = :ttl REMOVE #owner, lockedUntil',
      names: { '#status': 'status', '#ttl': 'ttl', '#owner': 'owner' },
      values: { ':processed': 'PROCESSED', ':at': now, ':ttl': this.#markExpiry() },
    };
  }
}

/** An update that sets whole attributes and removes others. */
function assign(
  values: Readonly<Record<string, unknown>>,
  removed: readonly string[] = [],
): Update {
  const names = Object.keys(values);
  return {
    expression: [
      `SET ${names.map((name) => `#${name} = :set_${name}`).join(', ')}`,
      ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
    ].join(' '),
    names: Object.fromEntries([...names, ...removed].map((name) => [`#${name}`, name])),
    values: Object.fromEntries(names.map((name) => [`:set_${name}`, values[name]])),
  };
}
