import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { InOrder } from '../../../shared/messaging/consuming/in-order.ts';
import type { ReadingListener } from '../../../shared/messaging/consuming/listener.ts';
import {
  envelopeDelivery,
  readDelivery,
} from '../../../shared/messaging/consuming/read-message.ts';
import type { Tracking } from '../../../shared/messaging/consuming/tracking.ts';
import {
  type Delivery,
  isDeadLetterOf,
  keptFacts,
  type TrackingRow,
} from '../../../shared/messaging/consuming/tracking-row.ts';
import { isRefused } from '../../../shared/messaging/outbox/sender.ts';
import type { AnsweringTime } from '../../../shared/messaging/wire/answering-time.ts';
import {
  envelopeOfQueueBody,
  type MessageEnvelope,
} from '../../../shared/messaging/wire/envelope.ts';
import { type KeptError, keptError } from '../../../shared/messaging/wire/messaging-error.ts';
import type { PayloadStore } from '../../../shared/messaging/wire/payload-store.ts';
import { type Queues, RETURNED, returned } from '../../../shared/messaging/wire/queues.ts';
import { identifyQueue } from '../../../shared/messaging/wire/topology.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';

export interface DrainDependencies {
  readonly tracking: Tracking;
  readonly inOrder: InOrder;
  readonly burial: Pick<AnsweringTime, 'call'>;
  readonly queues: Queues;
  readonly payloads: PayloadStore;
  /** Listeners that identify messages by an expression: those of the host, and those that modules declare. */
  readonly listeners: readonly ReadingListener[];
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
  /** `svc.mq.idempotent.max-retries` */
  readonly maxRetries: number;
}

const UNKNOWN_TOPIC = 'unknown';
const MAX_REDRIVES = 3;
/**
 * Deliveries after which a message is listed that its queue does not take back, or whose large body the bucket neither
 * takes nor gives out.
 */
const MAX_TRIES = 3;

/**
 * Drains the SQS dead-letter queues. A message whose group has attempts left arrived there because others of
 * its batch crashed the function, or because the bus could not deliver it: it returns to its queue. Crash
 * loops and invalid messages move to the list of dead letters; processed messages are deleted.
 */
export class DrainService {
  readonly #deps: DrainDependencies;

  constructor(dependencies: DrainDependencies) {
    this.#deps = dependencies;
  }

  async drain(records: readonly SQSRecord[]): Promise<SQSBatchResponse> {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const record of records) {
      try {
        await this.#take(record);
      } catch (cause) {
        this.#deps.log.error('A dead letter could not be stored; it will be redelivered', {
          queueMessageId: record.messageId,
          cause,
        });
        if (record.messageId !== '') batchItemFailures.push({ itemIdentifier: record.messageId });
      }
    }
    return { batchItemFailures };
  }

  async #take(record: SQSRecord): Promise<void> {
    const { inOrder } = this.#deps;
    const { group, sourceName: queue } = identifyQueue(record.eventSourceARN);
    const envelope = envelopeOfQueueBody(record.body);
    const turn = envelope && (await inOrder.turnOf(envelope, group));
    if (envelope && turn?.isEarly) {
      await inOrder.park(turn.place, { envelope, body: record.body, queue });
      return;
    }
    const end = await this.#judge(record, envelope);
    if (turn && end !== 'back') await inOrder.end(turn.place, { isDead: end === 'dead' });
  }

  async #judge(
    record: SQSRecord,
    envelope: MessageEnvelope | undefined,
  ): Promise<'done' | 'dead' | 'back'> {
    const delivery = await this.#identify(record, envelope);
    const row = await this.#deps.tracking.find(delivery);
    switch (row?.status) {
      case 'PROCESSED':
      case 'DISCARDED':
        return 'done';
      case 'DEAD':
        return envelope && isDeadLetterOf(row, envelope) ? 'dead' : 'done';
      case 'PROCESSING':
        if ((row.lockedUntil ?? 0) >= this.#deps.clock.now())
          throw new Error('It is being processed');
        break;
      default:
    }
    const isInnocent = envelope !== undefined && (row?.attempts ?? 0) <= this.#deps.maxRetries;
    const refusal =
      isInnocent && redrivesOf(record) < MAX_REDRIVES ? await this.#tryPutBack(record) : GAVE_UP;
    if (!refusal) return 'back';
    await this.#bury(record, delivery, envelope, { refusal, ...row });
    return 'dead';
  }

  /** @returns why its queue does not take a message, when it has refused it several times */
  async #tryPutBack(record: SQSRecord): Promise<KeptError | undefined> {
    try {
      await this.#putBack(record);
      return undefined;
    } catch (cause) {
      if (isRefused(cause) && receivesOf(record) > MAX_TRIES) return keptError(cause);
      throw cause;
    }
  }

  /** What its consumer tracks the message by. */
  async #identify(record: SQSRecord, envelope: MessageEnvelope | undefined): Promise<Delivery> {
    const { group, sourceName } = identifyQueue(record.eventSourceARN);
    if (!envelope) {
      const messageId = record.messageId;
      return { group, topic: UNKNOWN_TOPIC, source: sourceName, messageId, key: null };
    }
    const { listeners, payloads } = this.#deps;
    const listener = listeners.find(
      (each) => each.group === group && each.topic === envelope.type && each.messageId,
    );
    if (!listener) return envelopeDelivery(group, envelope);
    const { delivery, failure } = await readDelivery(listener, envelope, payloads);
    // Under the identity of its envelope a processed message would count as new.
    if (failure?.isOutOfReach && receivesOf(record) <= MAX_TRIES) throw failure.cause;
    return delivery;
  }

  async #putBack(record: SQSRecord): Promise<void> {
    const { sourceName, isOrdered } = identifyQueue(record.eventSourceARN);
    const count = redrivesOf(record) + 1;
    await this.#deps.queues.send({
      queue: sourceName,
      body: record.body,
      attributes: returned(count),
      ...(isOrdered
        ? { groupId: record.attributes.MessageGroupId, deduplicationId: this.#deps.ids() }
        : {}),
    });
    this.#deps.log.warn('A message was returned from its dead-letter queue', {
      queue: sourceName,
      count,
    });
  }

  async #bury(
    record: SQSRecord,
    delivery: Delivery,
    envelope: MessageEnvelope | undefined,
    { refusal, lastError, attempts }: Partial<TrackingRow> & { readonly refusal: KeptError },
  ): Promise<void> {
    const { tracking, burial, log } = this.#deps;
    const error = lastError ?? (envelope ? refusal : NOT_A_MESSAGE);
    const receives = receivesOf(record);
    const facts = {
      ...{ error, envelope, body: record.body },
      queue: identifyQueue(record.eventSourceARN).sourceName,
      attempts: attempts ?? receives,
      mayLoseBody: receives > MAX_TRIES,
    };
    const isDead = await burial.call(() => tracking.settleDead(delivery, facts));
    if (!isDead) throw new Error('Its group has taken it meanwhile');
    const { group, topic, messageId } = keptFacts(delivery);
    log.error('A message ended in a dead-letter queue', {
      ...{ group, topic, messageId },
      code: error.code,
    });
  }
}

const GAVE_UP = {
  code: 'MQ_QUEUE_GAVE_UP',
  message: 'The queue delivered the message as often as it may, without an answer',
};
const NOT_A_MESSAGE = {
  code: 'MQ_NOT_A_MESSAGE',
  message: 'What the queue held is no message of the bus',
};

const receivesOf = ({ attributes }: SQSRecord): number =>
  Number(attributes.ApproximateReceiveCount);

const redrivesOf = (record: SQSRecord): number =>
  Number(record.messageAttributes?.[RETURNED]?.stringValue ?? 0);
