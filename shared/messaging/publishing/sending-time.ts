import type { Clock } from '../../primitives/clock.ts';
import { requestContext } from '../../primitives/request-context.ts';
import { SENDING_MS } from '../outbox/sender.ts';

/** Left for the answer of the invocation (ms). */
const RESERVE_MS = 500;
/** After a broker without an answer the sends of an invocation are left to the relay for so long. */
const PAUSE_MS = 30_000;

/**
 * Time that an invocation spends on a broker that does not answer: one limit, not one for each of its units. What is
 * not sent in it stays due.
 */
export class SendingTime {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #missed: { readonly deadline: number | undefined; readonly at: number } | undefined;

  constructor(clock: Clock, limitMs = SENDING_MS) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** What a send may take now (ms); 0: leave it to the relay. */
  left(): number {
    const { deadline } = requestContext();
    const now = this.#clock.now();
    const missed = this.#missed;
    if (missed && missed.deadline === deadline && now - missed.at < PAUSE_MS) return 0;
    const untilTheEnd = deadline === undefined ? this.#limitMs : deadline - now - RESERVE_MS;
    return Math.max(Math.min(this.#limitMs, untilTheEnd), 0);
  }

  /** There was no answer in time. */
  missed(): void {
    this.#missed = { deadline: requestContext().deadline, at: this.#clock.now() };
  }
}
