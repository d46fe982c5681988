import type { Clock } from '../../primitives/clock.ts';
import { requestContext } from '../../primitives/request-context.ts';
import { TimeUpError, timeLimit, within } from '../../primitives/time-limit.ts';

/** Left for the answer of the invocation (ms). */
const RESERVE_MS = 500;
/** After a service without an answer an invocation asks it no more for so long. */
const PAUSE_MS = 30_000;

/**
 * Time that an invocation spends on a service that does not answer: one limit, not one for each of its calls. What was
 * not done in it comes later.
 */
export class AnsweringTime {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #missed: { readonly deadline: number | undefined; readonly at: number } | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Time that a call may take now (ms); 0: do not call. */
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

  /** Makes a call that may take no longer. @throws TimeUpError */
  async call<T>(work: () => Promise<T>): Promise<T> {
    const limit = timeLimit(this.left());
    try {
      return await within(limit.signal, work);
    } catch (cause) {
      if (cause instanceof TimeUpError) this.missed();
      throw cause;
    } finally {
      limit.end();
    }
  }
}
