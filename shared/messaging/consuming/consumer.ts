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
import type { MessageEnvelope } from '../wire/envelope.ts';
import type { Message } from '../wire/event-publisher.ts';
import { keptError, NonRetryableError, RetryLaterError } from '../wire/messaging-error.ts';
import type { DeliveryOutcome } from '../wire/messaging-metrics.ts';
import type { PayloadStore } from '../wire/payload-store.ts';
import type { Listener } from './listener.ts';
import { messageFor, readMessage } from './read-message.ts';
import { type ListenerTools, runListener } from './run-listener.ts';
import type { Tracking } from './tracking.ts';
import {
  type Claim,
  type Delivery,
  isDeadLetterOf,
  isNotSettled,
  isOwnedBy,
} from './tracking-row.ts';

export interface ConsumerDependencies {
  readonly tracking: Tracking;
  readonly payloads: PayloadStore;
  readonly unitOfWork: RunUnitOfWork;
  readonly tools: () => ListenerTools;
  readonly clock: Clock;
  readonly log: Log;
  readonly isIdempotent: boolean;
  readonly maxRetries: number;
}

/** A message that a queue delivered to a group. */
export interface Arrival {
  readonly envelope: MessageEnvelope;
  readonly body: string;
  /** Source queue, to which a requeued message returns. */
  readonly queue: string;
}

/** What to do with the message of the queue. */
export type Verdict =
  | { readonly kind: 'done'; readonly outcome: DeliveryOutcome }
  /** Redeliver; `retryMs`: delay, by default the visibility time-out. */
  | { readonly kind: 'again'; readonly retryMs?: number }
  /** It may have crashed a process: run it last and alone, with `{ suspect: true }`. */
  | { readonly kind: 'suspect' };

type Asked = { readonly claim: Claim } | { readonly verdict: Verdict };

const DEFAULT_LEASE_MS = 30_000;
const MAX_RETRY_MS = 60_000;

/** Runs listeners so that each messageId has its effect once in each group. */
export class Consumer {
  readonly #deps: ConsumerDependencies;

  constructor(dependencies: ConsumerDependencies) {
    this.#deps = dependencies;
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
    const read = await this.#read(listener, envelope);
    const messageId = read.message?.messageId ?? envelope.id;
    const row = await this.#deps.tracking.find(listener.group, messageId);
    return isDeadLetterOf(row, envelope);
  }

  async #consume(listener: Listener, arrival: Arrival, isSuspect: boolean): Promise<Verdict> {
    const { envelope } = arrival;
    const read = await this.#read(listener, envelope);
    if (read.error) return this.#refuse(listener, arrival, read.error);
    const { message } = read;
    return runInContext(traceOf(message, envelope), () =>
      this.#process(listener, message, arrival, isSuspect),
    );
  }

  async #process(
    listener: Listener,
    message: Message,
    arrival: Arrival,
    isSuspect: boolean,
  ): Promise<Verdict> {
    if (!this.#deps.isIdempotent) return this.#runUntracked(listener, message);

    const delivery = {
      group: listener.group,
      messageId: message.messageId,
      topic: message.topic,
      key: message.key,
    };
    const asked = await (isSuspect ? this.#takeOver(delivery) : this.#claim(delivery));
    if ('verdict' in asked) return asked.verdict;
    const { claim } = asked;
    if (claim.attempt > this.#deps.maxRetries + 1) return this.#giveUp(claim, arrival);
    return this.#run(listener, message, claim, arrival);
  }

  async #read(
    listener: Listener,
    envelope: MessageEnvelope,
  ): Promise<{ message: Message; error?: never } | { message?: never; error: NonRetryableError }> {
    try {
      return { message: messageFor(listener, await readMessage(envelope, this.#deps.payloads)) };
    } catch (error) {
      if (error instanceof NonRetryableError) return { error };
      throw error;
    }
  }

  async #claim(delivery: Delivery): Promise<Asked> {
    const answer = await this.#deps.tracking.claim(delivery, this.#leaseEnd());
    switch (answer.kind) {
      case 'claimed':
        return { claim: answer.claim };
      case 'duplicate':
        this.#deps.log.info('A message was delivered again and skipped', describe(delivery));
        return { verdict: { kind: 'done', outcome: 'Duplicate' } };
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
  ): Promise<Verdict> {
    const { tracking, unitOfWork, log, tools } = this.#deps;
    try {
      await unitOfWork(async (uow) => {
        await runListener(listener, message, { uow, attempt: claim.attempt }, tools());
        tracking.stageProcessed(uow, claim, () => new LeaseLostError());
        faultPoint('consumer.before-commit');
      });
      faultPoint('consumer.after-commit');
      log.info('message', { ...describe(claim), attempt: claim.attempt });
      return { kind: 'done', outcome: 'Processed' };
    } catch (cause) {
      if (cause instanceof LeaseLostError) return { kind: 'again' };
      return this.#settleFailure(claim, arrival, cause);
    }
  }

  async #settleFailure(claim: Claim, arrival: Arrival, cause: unknown): Promise<Verdict> {
    const { tracking, log, maxRetries } = this.#deps;
    const isLast = cause instanceof NonRetryableError || claim.attempt > maxRetries;
    log.error(
      isLast
        ? 'A listener failed for the last time; the message is dead'
        : 'A listener failed; the message comes back',
      {
        ...describe(claim),
        attempt: claim.attempt,
        cause,
      },
    );
    const error = keptError(cause);
    if (isLast) {
      await tracking.settleDead(
        claim,
        { ...arrival, error, attempts: claim.attempt },
        isOwnedBy(claim.owner),
      );
      return { kind: 'done', outcome: 'Dead' };
    }
    await tracking.settleFailed(claim, error);
    return { kind: 'again', retryMs: retryMs(cause, claim.attempt) };
  }

  /** The message crashed its process on every attempt. */
  async #giveUp(claim: Claim, arrival: Arrival): Promise<Verdict> {
    this.#deps.log.error(
      'A message was attempted too often without an answer; it is dead',
      describe(claim),
    );
    const row = await this.#deps.tracking.find(claim.group, claim.messageId);
    const error = row?.lastError ?? {
      code: 'MQ_LISTENER_CRASHED',
      message: 'The listener did not come to an end in any of its attempts',
    };
    await this.#deps.tracking.settleDead(
      claim,
      { ...arrival, error, attempts: claim.attempt - 1 },
      isOwnedBy(claim.owner),
    );
    return { kind: 'done', outcome: 'Dead' };
  }

  /** A message that can never be processed is dead at once. */
  async #refuse(listener: Listener, arrival: Arrival, error: NonRetryableError): Promise<Verdict> {
    const { envelope } = arrival;
    const delivery = {
      group: listener.group,
      messageId: envelope.id,
      topic: envelope.type,
      key: envelope.subject ?? null,
    };
    this.#deps.log.error('A message is invalid; it is dead', {
      ...describe(delivery),
      code: error.code,
    });
    const isDead = await this.#deps.tracking.settleDead(
      delivery,
      { ...arrival, error: keptError(error), attempts: 1 },
      isNotSettled(this.#deps.clock.now()),
    );
    return { kind: 'done', outcome: isDead ? 'Dead' : 'Duplicate' };
  }

  async #runUntracked(listener: Listener, message: Message): Promise<Verdict> {
    const { unitOfWork, tools } = this.#deps;
    await unitOfWork((uow) => runListener(listener, message, { uow, attempt: 1 }, tools()));
    this.#deps.log.info('message', {
      topic: message.topic,
      group: listener.group,
      messageId: message.messageId,
    });
    return { kind: 'done', outcome: 'Processed' };
  }

  /** Time until the invocation must have ended, plus one second. */
  #leaseEnd(): number {
    return (requestContext().deadline ?? this.#deps.clock.now() + DEFAULT_LEASE_MS) + 1_000;
  }
}

/** The lease expired while the listener ran, and another consumer took the message. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The trace of the envelope, or the one that the listener's expression finds in the message. */
function traceOf({ traceId }: Message, envelope: MessageEnvelope): RequestContext {
  const context = requestContext();
  if (traceId === undefined || traceId === envelope.traceid) return context;
  return { traceId, deadline: context.deadline };
}

function retryMs(cause: unknown, attempt: number): number {
  return cause instanceof RetryLaterError
    ? cause.delayMs
    : Math.min(1_000 * 2 ** (attempt - 1), MAX_RETRY_MS);
}

function describe({ topic, group, messageId }: Delivery) {
  return { topic, group, messageId };
}
