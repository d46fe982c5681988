import type { Clock } from '../../primitives/clock.ts';
import type { Log } from '../../primitives/log.ts';
import type { AnsweringTime } from '../wire/answering-time.ts';
import type { MessageEnvelope } from '../wire/envelope.ts';
import {
  type KeptError,
  keptError,
  NonRetryableError,
  RetryLaterError,
} from '../wire/messaging-error.ts';
import type { DeliveryOutcome } from '../wire/messaging-metrics.ts';
import type { Tracking } from './tracking.ts';
import type { Delivery, DeliveryAttempt } from './tracking-row.ts';

export interface SettlementDependencies {
  readonly tracking: Tracking;
  /** Limits what a burial takes, for the other messages of an invocation. */
  readonly burial: Pick<AnsweringTime, 'call'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxRetries: number;
}

/** A message that a queue delivered to a group. */
export interface Arrival {
  readonly envelope: MessageEnvelope;
  readonly body: string;
  /** Source queue, to which a requeued message returns. */
  readonly queue: string;
  /** How often the queue has delivered it, this time included; default 1. */
  readonly receives?: number;
  /** Whether it came back from a dead-letter queue, or was requeued. */
  readonly isReturned?: boolean;
  /** When it was put into the queue (epoch ms). */
  readonly queuedAt?: number | undefined;
}

/** What happens to the message of the queue. */
export type Verdict =
  | { readonly kind: 'done'; readonly outcome: DeliveryOutcome }
  /** Redeliver; `retryMs`: delay, by default the visibility time-out; `isWaiting`: nothing has failed. */
  | { readonly kind: 'again'; readonly retryMs?: number; readonly isWaiting?: true }
  /** It may have crashed a process: run it last and alone, with `{ suspect: true }`. */
  | { readonly kind: 'suspect' };

/** How long a queue keeps a message (`lib/resources/messaging.ts`), less a day to be listed in. */
const KEPT_BY_QUEUE_MS = 13 * 86_400_000;
const HALF_DAY_MS = 43_200_000;
const MAX_RETRY_MS = 60_000;
/** A bucket that does not answer is asked again after 1, 2, 4 ... minutes. */
const BODY_RETRY_MS = 60_000;
const MAX_BODY_RETRY_MS = 15 * BODY_RETRY_MS;
/** Further attempts of a message that is dead but for its body, which the bucket does not take. */
const MAX_BODY_RETRIES = 3;

/** Decides what becomes of messages that were not processed: another attempt, or a dead letter. */
export class Settlement {
  readonly #deps: SettlementDependencies;

  constructor(dependencies: SettlementDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Settles a failed attempt.
   * @param isUnread whether the listener was not called, because the message cannot be read.
   * @returns `undefined` when the message is not that of the caller.
   */
  async fail(
    delivery: DeliveryAttempt,
    arrival: Arrival,
    cause: unknown,
    { isUnread = false }: { isUnread?: boolean } = {},
  ): Promise<Verdict | undefined> {
    const { tracking, log, maxRetries } = this.#deps;
    const { attempt } = delivery;
    const retryMs = pauseOf(cause, attempt, isUnread);
    const isTooLate = this.isTooLate(arrival, retryMs);
    const isLast = cause instanceof NonRetryableError || attempt > maxRetries || isTooLate;
    const text = isUnread ? 'A message cannot be read' : 'A listener failed';
    const outcome = isLast ? 'is dead' : 'comes back';
    log.error(`${text}; the message ${outcome}`, { ...describe(delivery), attempt, cause });
    if (!isLast) {
      const isOwn = await tracking.settleFailed(delivery, keptError(cause));
      return isOwn || delivery.owner !== undefined ? { kind: 'again', retryMs } : undefined;
    }
    return this.bury(delivery, arrival, isTooLate ? TOO_LATE : keptError(cause), attempt);
  }

  /**
   * Makes a message dead that nobody has tried, because its queue would forget it; its body may be lost half a day later.
   * @returns `undefined`: there is time, or it is not that of the caller.
   */
  async expire(delivery: Delivery, arrival: Arrival): Promise<Verdict | undefined> {
    if (!this.isTooLate(arrival)) return undefined;
    const attempt = this.isTooLate(arrival, -HALF_DAY_MS) ? Number.POSITIVE_INFINITY : 1;
    return this.bury({ ...delivery, attempt }, arrival, TOO_LATE, 0);
  }

  /**
   * Makes a message dead. When its body cannot be stored, it stays in the queue and counts on.
   * @returns `undefined` when the message is not that of the caller.
   */
  async bury(
    delivery: DeliveryAttempt,
    arrival: Arrival,
    error: KeptError,
    attempts: number,
  ): Promise<Verdict | undefined> {
    const { tracking, burial, log, maxRetries } = this.#deps;
    const mayLoseBody = delivery.attempt > maxRetries + 1 + MAX_BODY_RETRIES;
    try {
      const facts = { ...arrival, error, attempts, mayLoseBody };
      const isDead = await burial.call(() => tracking.settleDead(delivery, facts));
      if (isDead) return { kind: 'done', outcome: 'Dead' };
      return delivery.owner === undefined ? undefined : { kind: 'again' };
    } catch (cause) {
      log.error('A dead message could not be stored; it stays in its queue', {
        ...describe(delivery),
        cause,
      });
      await this.#countOn(delivery, error);
      return { kind: 'again', retryMs: pauseOf(cause, delivery.attempt, true) };
    }
  }

  /** Without an answer of the table the attempt counts when its claim ends. */
  async #countOn(delivery: DeliveryAttempt, error: KeptError): Promise<void> {
    const { tracking, burial, log } = this.#deps;
    try {
      await burial.call(() => tracking.settleFailed(delivery, error));
    } catch (cause) {
      log.warn('A failed attempt could not be stored', { ...describe(delivery), cause });
    }
  }

  /** The queue would forget the message before, or soon after, it came back. */
  isTooLate({ queuedAt }: Arrival, retryMs = 0): boolean {
    const { clock } = this.#deps;
    return queuedAt !== undefined && clock.now() + retryMs > queuedAt + KEPT_BY_QUEUE_MS;
  }
}

const TOO_LATE: KeptError = {
  code: 'MQ_RETRY_TOO_LATE',
  message: 'The queue would have forgotten the message before, or soon after, its next attempt',
};

function pauseOf(cause: unknown, attempt: number, isUnread: boolean): number {
  if (cause instanceof RetryLaterError) return cause.delayMs;
  const factor = 2 ** (attempt - 1);
  return isUnread
    ? Math.min(BODY_RETRY_MS * factor, MAX_BODY_RETRY_MS)
    : Math.min(1_000 * factor, MAX_RETRY_MS);
}

/** Facts of a message in log lines. */
export const describe = ({ topic, group, messageId }: Delivery) => ({ topic, group, messageId });
