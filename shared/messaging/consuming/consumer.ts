import type { Clock } from '../../primitives/clock.ts';
import { faultPoint } from '../../primitives/fault-point.ts';
import type { Log } from '../../primitives/log.ts';
import {
  type RequestContext,
  readTrace,
  requestContext,
  runInContext,
} from '../../primitives/request-context.ts';
import type { RunUnitOfWork } from '../../store/unit-of-work.ts';
import { placeOf } from '../outbox/lanes.ts';
import type { AnsweringTime } from '../wire/answering-time.ts';
import type { MessageEnvelope } from '../wire/envelope.ts';
import type { Message } from '../wire/event-publisher.ts';
import { NonRetryableError, RetryLaterError } from '../wire/messaging-error.ts';
import type { PayloadStore } from '../wire/payload-store.ts';
import { identifyQueue } from '../wire/topology.ts';
import type { Listener } from './listener.ts';
import { type ReadDelivery, readDelivery } from './read-message.ts';
import { type ListenerTools, runListener } from './run-listener.ts';
import { type Arrival, describe, Settlement, type Verdict } from './settlement.ts';
import type { Tracking } from './tracking.ts';
import { type Claim, type Delivery, isDeadLetterOf } from './tracking-row.ts';

export interface ConsumerDependencies {
  readonly tracking: Tracking;
  readonly payloads: PayloadStore;
  readonly unitOfWork: RunUnitOfWork;
  readonly tools: () => ListenerTools;
  readonly burial: Pick<AnsweringTime, 'call'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly isIdempotent: boolean;
  readonly maxRetries: number;
}

type Asked = { readonly claim: Claim } | { readonly verdict: Verdict };

const DEFAULT_LEASE_MS = 30_000;

const processed: Verdict = { kind: 'done', outcome: 'Processed' };
const duplicate: Verdict = { kind: 'done', outcome: 'Duplicate' };

/** Runs listeners so that each message has its effect once in each group. */
export class Consumer {
  readonly #deps: ConsumerDependencies;
  readonly #settlement: Settlement;

  constructor(dependencies: ConsumerDependencies) {
    this.#deps = dependencies;
    this.#settlement = new Settlement(dependencies);
  }

  /** Passes one message to one listener, in the trace of the publishing request. Never throws. */
  consume(
    listener: Listener,
    arrival: Arrival,
    { suspect = false }: { suspect?: boolean } = {},
  ): Promise<Verdict> {
    const { envelope } = arrival;
    const trace = readTrace(
      { traceparent: envelope.traceparent, 'x-trace-id': envelope.traceid },
      undefined,
    );
    const { deadline } = requestContext();
    return runInContext({ ...trace, deadline }, async (): Promise<Verdict> => {
      try {
        return await this.#consume(listener, arrival, suspect);
      } catch (cause) {
        this.#deps.log.error('A message could not be handled; it will be redelivered', {
          topic: envelope.type,
          group: listener.group,
          messageId: envelope.id,
          cause,
        });
        return { kind: 'again' };
      }
    });
  }

  /** Whether this very message is a dead letter of the group. */
  async isDead(listener: Listener, envelope: MessageEnvelope): Promise<boolean> {
    const { delivery } = await readDelivery(listener, envelope, this.#deps.payloads);
    return isDeadLetterOf(await this.#deps.tracking.find(delivery), envelope);
  }

  /** Lists a message whose queue would forget it before its turn comes; `undefined`: it may wait. */
  async expire(listener: Listener, arrival: Arrival): Promise<Verdict | undefined> {
    const { delivery } = await readDelivery(listener, arrival.envelope, this.#deps.payloads);
    return this.#settlement.expire(delivery, arrival);
  }

  async #consume(listener: Listener, arrival: Arrival, isSuspect: boolean): Promise<Verdict> {
    const { isIdempotent, payloads } = this.#deps;
    const read = await readDelivery(listener, arrival.envelope, payloads);
    return runInContext(traceOf(read.message, arrival.envelope), async () => {
      if (!isIdempotent && !isInOrder(arrival, listener.group)) {
        return this.#runUntracked(listener, read, arrival);
      }
      const first = await this.#runFirst(listener, read, arrival);
      return first ?? this.#runClaimed(listener, read, arrival, isSuspect);
    });
  }

  /**
   * The first delivery of a transactional listener: its effects and the mark are one transaction, which fails when the
   * message is tracked already. Two deliveries at once both call the listener, and one of them has effects.
   * @returns `undefined` for any other delivery, and for a message that is tracked: it has to be claimed.
   */
  async #runFirst(
    listener: Listener,
    { delivery, message }: ReadDelivery,
    arrival: Arrival,
  ): Promise<Verdict | undefined> {
    const { receives = 1, isReturned = false } = arrival;
    if (!listener.transactional || !message || receives > 1 || isReturned) return undefined;
    const { tracking } = this.#deps;
    try {
      await this.#call(listener, message, 1, (uow) =>
        tracking.stageFirst(uow, delivery, () => new NotOursError()),
      );
      return processed;
    } catch (cause) {
      if (cause instanceof NotOursError) return undefined;
      return this.#settlement.fail({ ...delivery, attempt: 1 }, arrival, cause);
    }
  }

  async #runClaimed(
    listener: Listener,
    { delivery, message, failure }: ReadDelivery,
    arrival: Arrival,
    isSuspect: boolean,
  ): Promise<Verdict> {
    const asked = await (isSuspect ? this.#takeOver(delivery) : this.#claim(delivery, arrival));
    if ('verdict' in asked) return asked.verdict;
    const { claim } = asked;
    const settled =
      claim.attempt > this.#deps.maxRetries + 1
        ? await this.#giveUp(claim, arrival)
        : failure
          ? await this.#settlement.fail(claim, arrival, failure.cause, { isUnread: true })
          : await this.#run(listener, message, claim, arrival);
    return settled ?? { kind: 'again' };
  }

  async #claim(delivery: Delivery, { receives = 1 }: Arrival): Promise<Asked> {
    const { tracking, log } = this.#deps;
    const answer = await tracking.claim(delivery, this.#leaseEnd());
    switch (answer.kind) {
      case 'claimed': {
        const { claim } = answer;
        const isKnown = receives > 1 && claim.attempt === 1;
        if (!isKnown || !(await tracking.wasProcessedBefore(delivery))) return { claim };
        await tracking.settleProcessed(claim);
        return { verdict: duplicate };
      }
      case 'duplicate':
        log.info('A message was delivered again and skipped', describe(delivery));
        return { verdict: duplicate };
      case 'suspect':
        return { verdict: { kind: 'suspect' } };
      case 'busy':
        return { verdict: { kind: 'again' } };
    }
  }

  async #takeOver(delivery: Delivery): Promise<Asked> {
    const claim = await this.#deps.tracking.takeOver(delivery, this.#leaseEnd());
    return claim ? { claim } : { verdict: { kind: 'again' } };
  }

  async #run(
    listener: Listener,
    message: Message,
    claim: Claim,
    arrival: Arrival,
  ): Promise<Verdict | undefined> {
    const { tracking } = this.#deps;
    try {
      await this.#call(listener, message, claim.attempt, (uow) =>
        tracking.stageProcessed(uow, claim, () => new NotOursError()),
      );
      return processed;
    } catch (cause) {
      if (cause instanceof NotOursError) return { kind: 'again' };
      return this.#settlement.fail(claim, arrival, cause);
    }
  }

  /** Calls a listener, and commits what it writes together with the mark of the message. */
  async #call(
    listener: Listener,
    message: Message,
    attempt: number,
    mark: (uow: Parameters<Parameters<RunUnitOfWork>[0]>[0]) => void,
  ): Promise<void> {
    const { log, tools } = this.#deps;
    await this.#inUnit(listener, async (uow) => {
      await runListener(listener, message, { uow, attempt }, tools());
      mark(uow);
      faultPoint('consumer.before-commit');
    });
    faultPoint('consumer.after-commit');
    const { topic, messageId } = message;
    log.info('message', { topic, group: listener.group, messageId, attempt });
  }

  async #inUnit(
    { judge = async (cause) => cause }: Listener,
    work: Parameters<RunUnitOfWork>[0],
  ): Promise<void> {
    try {
      await this.#deps.unitOfWork(work);
    } catch (cause) {
      throw await judge(cause);
    }
  }

  /** The message crashed its process on every attempt, or could not be buried after the last one. */
  async #giveUp(claim: Claim, arrival: Arrival): Promise<Verdict | undefined> {
    this.#deps.log.error(
      'A message was attempted too often without an answer; it is dead',
      describe(claim),
    );
    const row = await this.#deps.tracking.find(claim);
    const error = row?.lastError ?? {
      code: 'MQ_LISTENER_CRASHED',
      message: 'The listener did not come to an end in any of its attempts',
    };
    return this.#settlement.bury(claim, arrival, error, claim.attempt - 1);
  }

  /**
   * Without the idempotency check only the queue counts; a message that must not come back, or that its queue would forget
   * before, is listed all the same.
   */
  async #runUntracked(
    listener: Listener,
    { delivery, message, failure }: ReadDelivery,
    arrival: Arrival,
  ): Promise<Verdict> {
    try {
      if (failure) throw failure.cause;
      const { tools, log } = this.#deps;
      await this.#inUnit(listener, (uow) =>
        runListener(listener, message, { uow, attempt: 1 }, tools()),
      );
      log.info('message', describe(delivery));
      return processed;
    } catch (cause) {
      const retryMs = cause instanceof RetryLaterError ? cause.delayMs : undefined;
      if (cause instanceof NonRetryableError || this.#settlement.isTooLate(arrival, retryMs)) {
        const attempt = arrival.receives ?? 1;
        return (await this.#settlement.fail({ ...delivery, attempt }, arrival, cause)) ?? duplicate;
      }
      this.#deps.log.error('A listener failed; the message comes back', {
        ...describe(delivery),
        cause,
      });
      return retryMs === undefined ? { kind: 'again' } : { kind: 'again', retryMs };
    }
  }

  /** Time until the invocation must have ended, plus one second. */
  #leaseEnd(): number {
    return (requestContext().deadline ?? this.#deps.clock.now() + DEFAULT_LEASE_MS) + 1_000;
  }
}

/** Whether a message has its turn. What is done of its key has to be known then, also without the idempotency check. */
const isInOrder = ({ envelope, queue }: Arrival, group: string): boolean =>
  placeOf(envelope, group) !== undefined || identifyQueue(queue).isOrdered;

/** The lease expired while the listener ran and another consumer took the message, or it is tracked already. */
class NotOursError extends Error {
  override readonly name = 'NotOursError';
}

/** The trace of the envelope, or the one that the listener's expression finds in the message. */
function traceOf(message: Message | undefined, envelope: MessageEnvelope): RequestContext {
  const context = requestContext();
  const traceId = message?.traceId;
  if (traceId === undefined || traceId === envelope.traceid) return context;
  return { traceId, deadline: context.deadline };
}
