import type { Tracking } from '../../../shared/messaging/consuming/tracking.ts';
import type { TrackingRow } from '../../../shared/messaging/consuming/tracking-row.ts';
import { type Lanes, placeOf } from '../../../shared/messaging/outbox/lanes.ts';
import type { Outbox } from '../../../shared/messaging/outbox/outbox.ts';
import {
  type DeadLetterSummary,
  parseConsumerDeadLetterId,
} from '../../../shared/messaging/wire/dead-letter.ts';
import {
  envelopeOfQueueBody,
  envelopeText,
  type MessageEnvelope,
} from '../../../shared/messaging/wire/envelope.ts';
import { isBodyMissing, type PayloadRef } from '../../../shared/messaging/wire/payload-store.ts';
import { type QueueMessage, returned } from '../../../shared/messaging/wire/queues.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import { actorOf, type Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { problems } from '../errors.ts';
import type { DeadLetterFilter, DeadLetterRepository } from '../store/dead-letter-repository.ts';
import { BulkRequeue, type RequeueReport, type RequeueSelection } from './bulk-requeue.ts';
import {
  type DeadLetterDetail,
  DeadLetterView,
  type DeadLetterViewDependencies,
} from './dead-letter-view.ts';
import { envelopeIn, type FoundDeadLetter } from './found-dead-letter.ts';

export interface DeadLetterDependencies extends DeadLetterViewDependencies {
  readonly repository: DeadLetterRepository;
  readonly outbox: Outbox;
  readonly tracking: Tracking;
  readonly lanes: Lanes;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly appCode: string;
}

/** Shows, requeues and discards dead letters: messages that could not be sent, or not be processed by a group. */
export class DeadLetterService {
  readonly #deps: DeadLetterDependencies;
  readonly #view: DeadLetterView;
  readonly #bulk: BulkRequeue;

  constructor(dependencies: DeadLetterDependencies) {
    this.#deps = dependencies;
    this.#view = new DeadLetterView(dependencies);
    this.#bulk = new BulkRequeue(dependencies);
  }

  /** Dead letters, newest first, without their payloads. */
  list(filter: DeadLetterFilter, page: PageRequest): Promise<ReadPage<DeadLetterSummary>> {
    return this.#deps.repository.list(filter, page);
  }

  /** Number of dead letters; counting stops at 1000. */
  count(): Promise<{ readonly value: number; readonly relation: 'eq' | 'gte' }> {
    return this.#deps.repository.count();
  }

  /**
   * A dead letter without what is secret by its name. A text that cannot be looked into is shown to callers with
   * `mq:dead-letter:reveal`, each time with a line in the log; others see its size and hash.
   * @throws Problem `MQ_DEAD_LETTER_NOT_FOUND` (404), `MQ_NOT_DEAD` (409), `MQ_BODY_UNREACHABLE` (503)
   */
  async get(id: string, principal: Principal): Promise<DeadLetterDetail> {
    return this.#view.show(await this.#findDead(id), principal);
  }

  /**
   * Makes a dead letter due again under the same messageId with attempts reset. Of concurrent calls one succeeds.
   * @throws Problem `MQ_DEAD_LETTER_NOT_FOUND` (404), `MQ_NOT_DEAD` (409), `MQ_NOT_A_MESSAGE` (409),
   *   `MQ_BODY_MISSING` (409), `MQ_BODY_UNREACHABLE` (503)
   */
  async requeue(id: string, principal: Principal): Promise<void> {
    const found = await this.#findDead(id);
    const envelope = envelopeIn(found);
    if (found.source === 'consumer' && !envelope) throw problems.notAMessage();
    const { payloadRef } = found.row;
    const ref = await this.#releaseBody(payloadRef).catch((cause: unknown) => {
      this.#deps.log.error('The body of a dead letter cannot be reached', {
        deadLetter: id,
        cause,
      });
      throw problems.bodyUnreachable();
    });
    if ((payloadRef || envelope?.dataref !== undefined) && !ref) throw problems.bodyMissing();
    await this.#deps.unitOfWork(async (unit) => {
      if (found.source === 'outbox') {
        this.#deps.outbox.stageRequeue(unit, found.row, notDeadAnyMore, ref);
      } else {
        this.#stageRedelivery(unit, found.row, ref);
      }
      unit.afterCommit(() => this.#dropBody(payloadRef, ref));
    });
    const { topic, messageId } = found.row;
    this.#deps.log.info('audit', {
      action: 'requeue',
      deadLetter: id,
      ...actorOf(principal),
      topic,
      messageId,
    });
  }

  /** Requeues many; those that fail or are no longer dead are skipped and listed. */
  requeueMany(selection: RequeueSelection, principal: Principal): Promise<RequeueReport> {
    return this.#bulk.run(selection, (id) => this.requeue(id, principal));
  }

  /**
   * Discards a dead letter; it is kept for 30 more days.
   * @throws Problem `MQ_DEAD_LETTER_NOT_FOUND` (404), `MQ_NOT_DEAD` (409)
   */
  async discard(id: string, reason: string | undefined, principal: Principal): Promise<void> {
    const found = await this.#findDead(id);
    const now = this.#deps.clock.now();
    // A body that cannot be moved now stays where it is: the dead letter must not be kept because of its body.
    const ref = await this.#releaseBody(found.row.payloadRef).catch((cause: unknown) => {
      this.#deps.log.warn('The body of a discarded message stays', { deadLetter: id, cause });
      return undefined;
    });
    await this.#deps.unitOfWork(async (unit) => {
      const discard = { ...actorOf(principal), reason, now, payloadRef: ref };
      this.#deps.repository.stageDiscard(unit, found.row, discard, notDeadAnyMore);
      if (found.source === 'outbox') {
        await this.#deps.outbox.order.stagePassed(unit, found.row, notDeadAnyMore);
      } else {
        await this.#stagePassed(unit, found);
      }
      unit.afterCommit(() => this.#dropBody(found.row.payloadRef, ref));
    });
    const { topic, messageId } = found.row;
    this.#deps.log.info('audit', {
      action: 'discard',
      deadLetter: id,
      ...actorOf(principal),
      reason,
      topic,
      messageId,
    });
  }

  /** The group goes on past a message that is discarded, where it has waited for it. */
  async #stagePassed(unit: UnitOfWork, found: FoundDeadLetter): Promise<void> {
    const envelope = envelopeIn(found);
    const place = envelope && placeOf(envelope, String(found.row.group));
    if (place) await this.#deps.lanes.stagePassed(unit, place, notDeadAnyMore);
  }

  /** The message goes through the outbox back to the queue of its group, so that it cannot be lost on the way. */
  #stageRedelivery(unit: UnitOfWork, row: TrackingRow, ref: PayloadRef | undefined): void {
    const { outbox, tracking, repository, clock, ids, appCode } = this.#deps;
    const { messageId, group, topic, key, queue = '' } = row;
    const now = clock.now();
    const id = ids();
    const envelope = envelopeOfQueueBody(row.envelope ?? '') as MessageEnvelope;
    const body = envelopeText(
      ref ? { ...envelope, dataref: `s3://${ref.bucket}/${ref.key}` } : envelope,
    );
    const { sequence, after, onDead } = placeOf(envelope, group) ?? {};
    const raw: QueueMessage = { queue, body, attributes: returned(0) };
    outbox.stage(unit, {
      id,
      messageId,
      topic,
      key,
      kind: 'async',
      dest: 'sqs',
      group,
      ...(sequence === undefined ? {} : { sequence, after }),
      ...(onDead ? { onDead } : {}),
      raw: JSON.stringify(raw),
      headers: {},
      appCode,
      traceId: envelope.traceid ?? requestContext().traceId,
      size: Buffer.byteLength(body),
      createdAtMs: now,
      dueMs: now,
    });
    repository.stageTakenAgain(unit, row, { now, ttl: tracking.expiry() }, notDeadAnyMore);
  }

  async #findDead(id: string): Promise<FoundDeadLetter> {
    const consumer = parseConsumerDeadLetterId(id);
    const found: FoundDeadLetter | undefined = consumer
      ? await this.#deps.tracking
          .findByTrackingId(consumer)
          .then((row) => row && { source: 'consumer' as const, row })
      : await this.#deps.outbox.find(id).then((row) => row && { source: 'outbox' as const, row });
    if (found?.row.status === undefined) throw problems.deadLetterNotFound({ id });
    if (found.row.status !== 'DEAD') throw problems.notDead({ status: found.row.status });
    return found;
  }

  /**
   * Copies a body from the prefix without expiry to the one with expiry.
   * @returns `undefined` when there is none, or none any more.
   */
  async #releaseBody(ref: PayloadRef | undefined): Promise<PayloadRef | undefined> {
    const { payloads, ids, clock } = this.#deps;
    try {
      return ref && (await payloads.release(ref, ids(), clock.now()));
    } catch (cause) {
      if (isBodyMissing(cause)) return undefined;
      throw cause;
    }
  }

  async #dropBody(ref: PayloadRef | undefined, replacedBy: PayloadRef | undefined): Promise<void> {
    if (ref && replacedBy && ref.key !== replacedBy.key) await this.#deps.payloads.drop(ref);
  }
}

const notDeadAnyMore = (): Error => problems.notDead({ status: 'no longer dead' });
