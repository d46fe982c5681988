import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { envelopeOfQueueBody } from '../../shared/messaging/envelope.ts';
import { identifyQueue } from '../../shared/messaging/topology.ts';
import { isNotSettled, type Tracking } from '../../shared/messaging/tracking.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import type { Log } from '../../shared/primitives/log.ts';

/** What the drain needs from outside. */
export interface DrainDependencies {
  readonly tracking: Tracking;
  readonly clock: Clock;
  readonly log: Log;
}

const UNKNOWN_TOPIC = 'unknown';

/**
 * Moves what ended in the queues' own dead-letter queues (crash loops, bodies that are no messages, events the bus
 * could not deliver) into the one list of dead letters. What its group has processed meanwhile is dropped.
 */
export class DrainService {
  readonly #to: DrainDependencies;

  constructor(dependencies: DrainDependencies) {
    this.#to = dependencies;
  }

  async drain(records: readonly SQSRecord[]): Promise<SQSBatchResponse> {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const record of records) {
      try {
        await this.#bury(record);
      } catch (cause) {
        this.#to.log.error('A dead letter could not be listed; it comes back', {
          queueMessageId: record.messageId,
          cause,
        });
        if (record.messageId !== '') batchItemFailures.push({ itemIdentifier: record.messageId });
      }
    }
    return { batchItemFailures };
  }

  async #bury(record: SQSRecord): Promise<void> {
    const { tracking, clock, log } = this.#to;
    const { group, sourceName } = identifyQueue(record.eventSourceARN);
    const envelope = envelopeOfQueueBody(record.body);
    const delivery = {
      group,
      messageId: envelope?.id ?? record.messageId,
      topic: envelope?.type ?? UNKNOWN_TOPIC,
      key: envelope?.subject ?? null,
    };
    const before = await tracking.find(group, delivery.messageId);
    const error = before?.lastError ?? {
      code: envelope ? 'MQ_QUEUE_GAVE_UP' : 'MQ_NOT_A_MESSAGE',
      message: envelope
        ? 'The queue delivered the message as often as it may, without an answer'
        : 'What the queue held is no message of the bus',
    };
    const facts = {
      error,
      envelope,
      body: record.body,
      queue: sourceName,
      attempts: before?.attempts ?? Number(record.attributes.ApproximateReceiveCount),
    };
    const isDead = await tracking.settleDead(delivery, facts, isNotSettled(clock.now()));
    if (isDead)
      log.error('A message ended in a dead-letter queue', { ...delivery, code: error.code });
    else await this.#refuseWhileBusy(group, delivery.messageId);
  }

  /** @throws Error when the group may still finish the message: the dead letter stays in its queue meanwhile. */
  async #refuseWhileBusy(group: string, messageId: string): Promise<void> {
    const row = await this.#to.tracking.find(group, messageId);
    if (row?.status === 'PROCESSING') throw new Error('Its group is still at work on it');
  }
}
