import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { InOrder, OrderedVerdict } from '../messaging/consuming/in-order.ts';
import type { Listener } from '../messaging/consuming/listener.ts';
import type { Arrival } from '../messaging/consuming/settlement.ts';
import { envelopeOfQueueBody, type MessageEnvelope } from '../messaging/wire/envelope.ts';
import type { DeliveryOutcome, MessagingMetrics } from '../messaging/wire/messaging-metrics.ts';
import { type QueueMessage, type Queues, RETURNED } from '../messaging/wire/queues.ts';
import { identifyQueue } from '../messaging/wire/topology.ts';
import type { Clock } from '../primitives/clock.ts';
import { faultPoint } from '../primitives/fault-point.ts';
import type { Log } from '../primitives/log.ts';
import { endsWithin } from '../primitives/request-context.ts';

export interface QueueBatchDependencies {
  readonly inOrder: InOrder;
  readonly queues: Queues;
  /** Receives after which a FIFO queue discards a message that no listener takes. */
  readonly maxReceives: number;
  readonly metrics: MessagingMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

interface Parcel {
  readonly record: SQSRecord;
  readonly envelope: MessageEnvelope;
  readonly listener: Listener;
}

/** A batch stops this long before the function's time-out; the remaining messages are redelivered. */
const RESERVE_MS = 2_000;

/**
 * Passes the messages of a queue batch to the listener of their topic and group, one after the other. Messages that
 * may have crashed the process are handled last and alone: if it crashes again, the others are done.
 * @returns the ids of the failed messages; the others are done.
 */
export async function handleQueueBatch(
  records: readonly SQSRecord[],
  listeners: readonly Listener[],
  dependencies: QueueBatchDependencies,
): Promise<SQSBatchResponse> {
  const batch = new QueueBatch(dependencies);
  const parcels: Parcel[] = [];
  for (const record of records) {
    const parcel = batch.address(record, listeners);
    if (parcel) parcels.push(parcel);
    else await batch.refuse(record);
  }
  const suspects: Parcel[] = [];
  for (const parcel of parcels) {
    if ((await batch.deliver(parcel)) === 'suspect') suspects.push(parcel);
  }
  for (const parcel of suspects) await batch.deliver(parcel, { suspect: true });
  await batch.giveBackFollowers();
  faultPoint('consumer.before-ack');
  return batch.answer();
}

class QueueBatch {
  readonly #deps: QueueBatchDependencies;
  readonly #failed = new Set<string>();
  /** Keys that wait for a message of the batch, and in how many seconds that one comes back. */
  readonly #blockedKeys = new Map<string, number | undefined>();
  readonly #followers: { readonly record: SQSRecord; readonly orderKey: string }[] = [];
  readonly #outcomes = new Map<Listener, DeliveryOutcome[]>();

  constructor(dependencies: QueueBatchDependencies) {
    this.#deps = dependencies;
  }

  /** Finds the listener of a record. */
  address(record: SQSRecord, listeners: readonly Listener[]): Parcel | undefined {
    const envelope = envelopeOfQueueBody(record.body);
    const { group, name } = identifyQueue(record.eventSourceARN);
    const listener = listeners.find(
      (each) => each.topic === envelope?.type && each.group === group,
    );
    if (envelope && listener) return { record, envelope, listener };
    this.#deps.log.error(
      envelope
        ? 'No listener of this function takes the message; it goes to the dead-letter queue'
        : 'A queue message did not come from the bus; it goes to the dead-letter queue',
      { queue: name, queueMessageId: record.messageId, topic: envelope?.type },
    );
    return undefined;
  }

  /**
   * A record without a listener fails, and its queue moves it to the dead-letter queue in time. A FIFO
   * queue never does, so the function moves the record there itself: it would block its key.
   */
  async refuse(record: SQSRecord): Promise<void> {
    const { queues, maxReceives, log } = this.#deps;
    const { MessageGroupId: groupId, ApproximateReceiveCount: receives } = record.attributes ?? {};
    const { deadName: queue, isOrdered } = identifyQueue(record.eventSourceARN);
    if (!isOrdered || groupId === undefined || Number(receives) < maxReceives) {
      this.#fail(record);
      return;
    }
    try {
      const deduplicationId = `${record.messageId}-${receives}`;
      const attributes = attributesOf(record);
      await queues.send({ queue, body: record.body, groupId, deduplicationId, attributes });
    } catch (cause) {
      log.warn('A message could not be moved to the dead-letter queue', { queue, cause });
      this.#fail(record);
    }
  }

  async deliver(
    parcel: Parcel,
    { suspect = false }: { suspect?: boolean } = {},
  ): Promise<OrderedVerdict['kind']> {
    const { record, envelope, listener } = parcel;
    const orderKey = record.attributes?.MessageGroupId;
    if (!suspect && orderKey !== undefined && this.#blockedKeys.has(orderKey)) {
      this.#fail(record);
      this.#followers.push({ record, orderKey });
      return 'again';
    }
    if (endsWithin(RESERVE_MS, this.#deps.clock)) {
      this.#fail(record);
      return 'again';
    }
    const queue = identifyQueue(record.eventSourceARN).name;
    const arrival = arrivalOf(record, envelope, queue);
    const verdict = await this.#deps.inOrder.consume(listener, arrival, { suspect });
    if (verdict.kind === 'done') this.#count(listener, verdict.outcome);
    if (verdict.kind === 'again') this.#fail(record);
    const seconds = verdict.kind === 'again' ? secondsOf(verdict.retryMs) : undefined;
    if (seconds !== undefined) {
      if (verdict.kind === 'again' && !verdict.isWaiting) this.#count(listener, 'Failed');
      await this.#postpone(record, seconds);
    }
    if (orderKey !== undefined) this.#noteKey(orderKey, verdict.kind, seconds);
    return verdict.kind;
  }

  /** The messages behind a failed one come back when it does: as long as they are away, so is their whole group. */
  async giveBackFollowers(): Promise<void> {
    for (const { record, orderKey } of this.#followers) {
      const seconds = this.#blockedKeys.get(orderKey);
      if (seconds !== undefined) await this.#postpone(record, seconds);
    }
  }

  answer(): SQSBatchResponse {
    for (const [{ topic, group }, outcomes] of this.#outcomes) {
      this.#deps.metrics.delivered(topic, group, outcomes);
    }
    return { batchItemFailures: [...this.#failed].map((itemIdentifier) => ({ itemIdentifier })) };
  }

  /** A failed message holds back the later messages of its key. */
  #noteKey(orderKey: string, kind: OrderedVerdict['kind'], seconds: number | undefined): void {
    const isHeld = kind === 'again' || kind === 'suspect';
    if (isHeld) this.#blockedKeys.set(orderKey, seconds);
    else if (this.#blockedKeys.has(orderKey)) this.#blockedKeys.set(orderKey, 0);
  }

  async #postpone({ receiptHandle, eventSourceARN }: SQSRecord, seconds: number): Promise<void> {
    const queue = identifyQueue(eventSourceARN).name;
    try {
      await this.#deps.queues.postpone(queue, receiptHandle, seconds);
    } catch (cause) {
      this.#deps.log.warn(
        'A message will be redelivered after the visibility time-out of its queue',
        { queue, cause },
      );
    }
  }

  #count(listener: Listener, outcome: DeliveryOutcome): void {
    const outcomes = this.#outcomes.get(listener) ?? [];
    outcomes.push(outcome);
    this.#outcomes.set(listener, outcomes);
  }

  /** Report real ids only: Lambda treats an empty one as failure or success of the whole batch. */
  #fail({ messageId }: SQSRecord): void {
    if (messageId !== '') this.#failed.add(messageId);
  }
}

const MAX_POSTPONED_SECONDS = 43_200;

const secondsOf = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.min(Math.ceil(ms / 1_000), MAX_POSTPONED_SECONDS);

/** Attributes as they are sent; those of the platform are texts. */
const attributesOf = ({ messageAttributes = {} }: SQSRecord): QueueMessage['attributes'] =>
  Object.fromEntries(
    Object.entries(messageAttributes).map(([name, { dataType, stringValue }]) => [
      name,
      { DataType: dataType, StringValue: stringValue },
    ]),
  );

function arrivalOf(record: SQSRecord, envelope: MessageEnvelope, queue: string): Arrival {
  const { body, attributes, messageAttributes = {} } = record;
  return {
    ...{ envelope, body, queue },
    receives: Number(attributes?.ApproximateReceiveCount ?? 1),
    isReturned: RETURNED in messageAttributes,
    queuedAt: attributes?.SentTimestamp ? Number(attributes.SentTimestamp) : undefined,
  };
}
