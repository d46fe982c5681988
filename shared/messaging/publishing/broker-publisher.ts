import type { Clock } from '../../primitives/clock.ts';
import type { IdGenerator } from '../../primitives/ids.ts';
import { requestContext } from '../../primitives/request-context.ts';
import {
  currentUnitOfWork,
  type RunUnitOfWork,
  type UnitOfWork,
} from '../../store/unit-of-work.ts';
import {
  MAX_RAW_BYTES,
  type OutboxDraft,
  type OutboxRow,
  orderedKey,
} from '../outbox/outbox-row.ts';
import { passesBus } from '../wire/envelope.ts';
import type { EventPublisher, PublishResult } from '../wire/event-publisher.ts';
import { type CheckedMessage, checkMessage } from '../wire/message-draft.ts';
import { MessagingError } from '../wire/messaging-error.ts';
import type { PayloadStore } from '../wire/payload-store.ts';
import { groupsOf, type OrderedTopics } from '../wire/topology.ts';
import { CommitSender, type CommitSenderDependencies } from './commit-sender.ts';

export interface BrokerPublisherDependencies extends CommitSenderDependencies {
  readonly payloads: PayloadStore;
  readonly unitOfWork: RunUnitOfWork;
  readonly orderedTopics: OrderedTopics;
  readonly appCode: string;
  readonly inlineLimit: number;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** A request of a broker client. */
export interface RawRequest {
  readonly dest: OutboxRow['dest'];
  /** Event type, or name of the queue. */
  readonly topic: string;
  /** Message group of a FIFO queue: its messages keep their order. */
  readonly groupId?: string | undefined;
  readonly request: unknown;
}

/** A message waiting for the commit of its unit. */
interface Pending {
  readonly message: CheckedMessage;
  readonly kind: OutboxRow['kind'];
  /** Whether messages of its topic and key keep their order. */
  readonly isOrdered: boolean;
  /** A raw request of a broker client instead of a platform message. */
  readonly raw?: { readonly dest: OutboxRow['dest']; readonly text: string };
  readonly id: string;
  readonly createdAtMs: number;
  row?: OutboxRow;
  status: PublishResult['status'];
}

/** Minimum grace time of a row before the relay may send it (ms). */
const MIN_GRACE_MS = 15_000;
/** Everything in an event and its envelope that has a bounded length. */
const ENVELOPE_BYTES = 1_024;
const MAX_PLACE = Number.MAX_SAFE_INTEGER;
/** Most payload bytes inline in the rows of one unit: half the limit of a transaction. */
const MAX_UNIT_BYTES = 2 * 1_024 * 1_024;

/**
 * Publishes through the outbox: a row in the caller's transaction, a send right after the commit, and the relay as
 * fallback. Rows have a grace time, so that the relay does not race the publisher.
 */
export class BrokerPublisher implements EventPublisher {
  readonly #deps: BrokerPublisherDependencies;
  readonly #sender: CommitSender;
  readonly #waiting = new WeakMap<UnitOfWork, Pending[]>();
  #hasWarned = false;

  constructor(dependencies: BrokerPublisherDependencies) {
    this.#deps = dependencies;
    this.#sender = new CommitSender(dependencies);
  }

  async publish<T>(
    topic: string,
    key: string | null,
    payload: T,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PublishResult> {
    const message = checkMessage(topic, key, payload, headers);
    return this.#add({ message, kind: 'sync', isOrdered: this.#isOrdered(topic) });
  }

  async asyncPublish<T>(topic: string, payload: T): Promise<void> {
    const message = checkMessage(topic, null, payload);
    await this.#add({ message, kind: 'async', isOrdered: this.#isOrdered(topic) });
  }

  /**
   * Writes the requests of one call of a broker client to the outbox, all or none.
   * @returns the ids that replace the broker's.
   * @throws MessagingError `MQ_PROXY_TOO_LARGE`
   */
  async publishRaw(requests: readonly RawRequest[]): Promise<readonly string[]> {
    const checked = requests.map(checkRaw);
    return this.#deps.unitOfWork(async () => {
      const published = checked.map((each) => this.#add(each));
      return (await Promise.all(published)).map(({ messageId }) => messageId);
    });
  }

  async #add(
    wanted: Pick<Pending, 'message' | 'kind' | 'raw' | 'isOrdered'>,
  ): Promise<PublishResult> {
    const { ids, clock, unitOfWork } = this.#deps;
    const unit = currentUnitOfWork();
    if (unit) {
      const pending = this.#enlist(unit, { ...wanted, id: ids(), createdAtMs: clock.now() });
      return { messageId: pending.id, status: 'PENDING' };
    }
    const pending = await unitOfWork(async (own) =>
      this.#enlist(own, { ...wanted, id: ids(), createdAtMs: clock.now() }),
    );
    return { messageId: pending.id, status: pending.status };
  }

  #enlist(unit: UnitOfWork, wanted: Omit<Pending, 'status' | 'row'>): Pending {
    const pending: Pending = { ...wanted, status: 'PENDING' };
    const waiting = this.#waiting.get(unit);
    if (waiting) {
      waiting.push(pending);
      return pending;
    }
    const all = [pending];
    this.#waiting.set(unit, all);
    unit.atClose(() => this.#stage(unit, all));
    unit.afterCommit(() => this.#send(all));
    return pending;
  }

  async #stage(unit: UnitOfWork, all: readonly Pending[]): Promise<void> {
    const sequences = await this.#takeSequences(unit, all);
    let room = MAX_UNIT_BYTES;
    const placed = all.map((pending) => {
      const size = Buffer.byteLength(pending.raw?.text ?? pending.message.payload);
      const isApart =
        !pending.raw &&
        (size > room ||
          !passesBus(pending.message.payload) ||
          this.#isTooLargeToTravel(pending, size));
      if (!isApart) room -= size;
      return { pending, size, isApart };
    });
    const drafts = await Promise.all(
      placed.map((place) => this.#toDraft(place, sequences.get(place.pending))),
    );
    for (const [index, pending] of all.entries()) {
      const draft = drafts[index];
      if (draft) pending.row = this.#deps.outbox.stage(unit, draft);
    }
  }

  /** Reserve the sequence numbers of an ordered key together: a transaction may write its head only once. */
  async #takeSequences(
    unit: UnitOfWork,
    all: readonly Pending[],
  ): Promise<ReadonlyMap<Pending, number>> {
    const ordered = all.filter(({ isOrdered }) => isOrdered);
    const byKey = Map.groupBy(ordered, ({ message }) => orderedKey(message.topic, message.key));
    const sequences = new Map<Pending, number>();
    for (const group of byKey.values()) {
      const [{ topic = '', key = null } = {}] = group.map(({ message }) => message);
      const last = await this.#deps.outbox.order.stagePlaces(unit, topic, key, group.length);
      for (const [index, pending] of group.entries()) sequences.set(pending, last + index + 1);
    }
    return sequences;
  }

  /** The bus names the topic once more, and an ordered topic the place of each group. */
  #isTooLargeToTravel({ message: { payload: _, ...rest } }: Pending, size: number): boolean {
    const { topic } = rest;
    const places = groupsOf(this.#deps.orderedTopics, topic)?.map((group) => [group, MAX_PLACE]);
    const added = JSON.stringify({ ...rest, again: topic, places });
    return size + Buffer.byteLength(added) + ENVELOPE_BYTES > this.#deps.inlineLimit;
  }

  async #toDraft(
    { pending, size, isApart }: { pending: Pending; size: number; isApart: boolean },
    sequence: number | undefined,
  ): Promise<OutboxDraft> {
    const { message, kind, raw, id, createdAtMs } = pending;
    const { payload, ...rest } = message;
    const groups = groupsOf(this.#deps.orderedTopics, message.topic);
    const blocks = groups && this.#deps.orderedTopics[message.topic]?.onDead === 'block';
    const body = raw
      ? { raw: raw.text }
      : isApart
        ? { payloadRef: await this.#deps.payloads.store(id, createdAtMs, payload) }
        : { payload };
    return {
      ...rest,
      ...body,
      id,
      messageId: id,
      kind,
      dest: raw?.dest ?? (sequence === undefined ? 'eventbridge' : 'sqs'),
      appCode: this.#deps.appCode,
      size,
      createdAtMs,
      dueMs: kind === 'async' ? createdAtMs : createdAtMs + graceMs(createdAtMs),
      ...(sequence === undefined ? {} : { sequence }),
      ...(groups && !raw ? { groups } : {}),
      ...(blocks && !raw ? { onDead: 'block' as const } : {}),
    };
  }

  async #send(all: readonly Pending[]): Promise<void> {
    const rows = all.flatMap(({ row }) => (row?.kind === 'sync' ? [row] : []));
    const sent = await this.#sender.send(rows);
    for (const pending of all) if (sent.has(pending.id)) pending.status = 'SENT';
    const left = all.filter(({ status }) => status !== 'SENT');
    if (left.length > 0 && !this.#deps.isRelayEnabled) this.#warnWithoutRelay(left);
  }

  /** Nobody sends what is left: it waits until there is a relay. */
  #warnWithoutRelay(left: readonly Pending[]): void {
    this.#deps.metrics.outboxWithoutRelay(left.length);
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.log.warn('Messages stay in the outbox: svc.mq.relay.enabled is false', {
      topic: left[0]?.message.topic,
      kind: left[0]?.kind,
    });
  }

  #isOrdered(topic: string): boolean {
    return Object.hasOwn(this.#deps.orderedTopics, topic);
  }
}

/** @throws MessagingError `MQ_PROXY_TOO_LARGE` */
function checkRaw({ dest, topic, groupId = '', request }: RawRequest) {
  const message = checkMessage(topic, groupId, null);
  const raw = { dest, text: JSON.stringify(request) };
  if (Buffer.byteLength(raw.text) > MAX_RAW_BYTES) {
    throw new MessagingError(
      'MQ_PROXY_TOO_LARGE',
      `The outbox keeps requests of at most ${MAX_RAW_BYTES} bytes; publish a large body as a message`,
    );
  }
  return { message, kind: 'sync', raw, isOrdered: message.key !== null } as const;
}

/** The publisher may be sending until its invocation ends. */
function graceMs(now: number): number {
  return Math.max(MIN_GRACE_MS, (requestContext().deadline ?? 0) - now + 1_000);
}
