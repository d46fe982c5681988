import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { InOrder } from '../../shared/messaging/consuming/in-order.ts';
import type { Tracking } from '../../shared/messaging/consuming/tracking.ts';
import {
  isDeadLetterOf,
  isNotSettled,
  type TrackingRow,
} from '../../shared/messaging/consuming/tracking-row.ts';
import { envelopeOfQueueBody, type MessageEnvelope } from '../../shared/messaging/wire/envelope.ts';
import type { Queues } from '../../shared/messaging/wire/queues.ts';
import { identifyQueue } from '../../shared/messaging/wire/topology.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../shared/primitives/ids.ts';
import type { Log } from '../../shared/primitives/log.ts';

export interface DrainDependencies {
  readonly tracking: Tracking;
  readonly inOrder: InOrder;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
  /** `svc.mq.idempotent.max-retries` */
  readonly maxRetries: number;
}

const UNKNOWN_TOPIC = 'unknown';
/** Message attribute that counts how often a message was put back on its queue. */
const REDRIVES = 'svcRedrives';
const MAX_REDRIVES = 3;

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
    const { group } = identifyQueue(record.eventSourceARN);
    const messageId = envelope?.id ?? record.messageId;
    const row = await this.#deps.tracking.find(group, messageId);
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
    if (isInnocent && redrivesOf(record) < MAX_REDRIVES) {
      await this.#putBack(record);
      return 'back';
    }
    await this.#bury(record, envelope, row);
    return 'dead';
  }

  async #putBack(record: SQSRecord): Promise<void> {
    const { sourceName, isOrdered } = identifyQueue(record.eventSourceARN);
    const count = String(redrivesOf(record) + 1);
    await this.#deps.queues.send({
      queue: sourceName,
      body: record.body,
      attributes: { [REDRIVES]: { DataType: 'Number', StringValue: count } },
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
    envelope: MessageEnvelope | undefined,
    row: TrackingRow | undefined,
  ): Promise<void> {
    const { tracking, clock, log } = this.#deps;
    const { group, sourceName } = identifyQueue(record.eventSourceARN);
    const delivery = {
      group,
      messageId: envelope?.id ?? record.messageId,
      topic: envelope?.type ?? UNKNOWN_TOPIC,
      key: envelope?.subject ?? null,
    };
    const error = row?.lastError ?? (envelope ? GAVE_UP : NOT_A_MESSAGE);
    const attempts = row?.attempts ?? Number(record.attributes.ApproximateReceiveCount);
    const facts = { error, envelope, body: record.body, queue: sourceName, attempts };
    const isDead = await tracking.settleDead(delivery, facts, isNotSettled(clock.now()));
    if (!isDead) throw new Error('Its group has taken it meanwhile');
    log.error('A message ended in a dead-letter queue', { ...delivery, code: error.code });
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

const redrivesOf = (record: SQSRecord): number =>
  Number(record.messageAttributes?.[REDRIVES]?.stringValue ?? 0);
