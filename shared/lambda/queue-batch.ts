import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Consumer, Verdict } from '../messaging/consuming/consumer.ts';
import type { Listener } from '../messaging/consuming/listener.ts';
import { envelopeOfQueueBody, type MessageEnvelope } from '../messaging/wire/envelope.ts';
import type { DeliveryOutcome, MessagingMetrics } from '../messaging/wire/messaging-metrics.ts';
import type { Queues } from '../messaging/wire/queues.ts';
import { identifyQueue } from '../messaging/wire/topology.ts';
import type { Clock } from '../primitives/clock.ts';
import { faultPoint } from '../primitives/fault-point.ts';
import type { Log } from '../primitives/log.ts';
import { requestContext } from '../primitives/request-context.ts';

export interface QueueBatchDependencies {
  readonly consumer: Consumer;
  readonly queues: Queues;
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
  const parcels = records.flatMap((record) => batch.address(record, listeners) ?? []);
  const suspects: Parcel[] = [];
  for (const parcel of parcels) {
    if ((await batch.deliver(parcel)) === 'suspect') suspects.push(parcel);
  }
  for (const parcel of suspects) await batch.deliver(parcel, { suspect: true });
  faultPoint('consumer.before-ack');
  return batch.answer();
}

class QueueBatch {
  readonly #deps: QueueBatchDependencies;
  readonly #failed = new Set<string>();
  readonly #blockedKeys = new Set<string>();
  readonly #outcomes = new Map<Listener, DeliveryOutcome[]>();

  constructor(dependencies: QueueBatchDependencies) {
    this.#deps = dependencies;
  }

  /** Finds the listener of a record; without one the record fails and ends in the dead-letter queue. */
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
    this.#fail(record);
    return undefined;
  }

  async deliver(
    parcel: Parcel,
    { suspect = false }: { suspect?: boolean } = {},
  ): Promise<Verdict['kind']> {
    const { record, envelope, listener } = parcel;
    const orderKey = record.attributes?.MessageGroupId;
    const isBlocked = !suspect && orderKey !== undefined && this.#blockedKeys.has(orderKey);
    if (isBlocked || this.#isOutOfTime()) {
      this.#fail(record);
      return 'again';
    }
    const queue = identifyQueue(record.eventSourceARN).name;
    const verdict = await this.#deps.consumer.consume(
      listener,
      { envelope, body: record.body, queue },
      { suspect },
    );
    if (verdict.kind === 'done') this.#count(listener, verdict.outcome);
    // A failed message holds back the later messages of its key.
    if (verdict.kind !== 'done' && orderKey !== undefined) this.#blockedKeys.add(orderKey);
    if (verdict.kind === 'again') await this.#comeBack(record, queue, listener, verdict.retryMs);
    return verdict.kind;
  }

  answer(): SQSBatchResponse {
    for (const [{ topic, group }, outcomes] of this.#outcomes) {
      this.#deps.metrics.delivered(topic, group, outcomes);
    }
    return { batchItemFailures: [...this.#failed].map((itemIdentifier) => ({ itemIdentifier })) };
  }

  async #comeBack(
    record: SQSRecord,
    queue: string,
    listener: Listener,
    retryMs: number | undefined,
  ): Promise<void> {
    this.#fail(record);
    if (retryMs === undefined) return;
    this.#count(listener, 'Failed');
    const seconds = Math.min(Math.ceil(retryMs / 1_000), 43_200);
    try {
      await this.#deps.queues.postpone(queue, record.receiptHandle, seconds);
    } catch (cause) {
      this.#deps.log.warn(
        'A message will be redelivered after the visibility time-out of its queue',
        {
          queue,
          cause,
        },
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

  #isOutOfTime(): boolean {
    const { deadline } = requestContext();
    return deadline !== undefined && deadline - this.#deps.clock.now() < RESERVE_MS;
  }
}
