import { requestContext } from '../../../shared/primitives/request-context.ts';
import { type TimeLimit, timeLimit } from '../../../shared/primitives/time-limit.ts';

/** What a host may take for one answer, or all interceptors before or after a completion (ms). */
const LIMIT_MS = 10_000;
/** Of that: for everything within one request. The gateway gives a request 29 s, and conflicts are repeated for 10 s. */
const IN_ALL = 1.5;

/** The time that policies, resolvers and interceptors of the host take of a request, all of them together. */
export class HostTime {
  readonly #limitMs: number;
  readonly #spans = new WeakMap<object, Span>();

  constructor(limitMs: number = LIMIT_MS) {
    this.#limitMs = limitMs;
  }

  /** Time for the host, from now on: what is left of the request's, up to the usual limit. End it when the host has answered. */
  begin(): TimeLimit {
    const inRequest = requestContext();
    const span = this.#spans.get(inRequest) ?? new Span();
    this.#spans.set(inRequest, span);
    const limit = timeLimit(Math.min(this.#limitMs, IN_ALL * this.#limitMs - span.taken));
    span.begin();
    return {
      signal: limit.signal,
      end() {
        limit.end();
        span.end();
      },
    };
  }
}

/** How long something is going on (ms); what goes on at the same time counts once. */
class Span {
  #running = 0;
  #since = 0;
  #taken = 0;

  get taken(): number {
    return this.#taken + (this.#running > 0 ? performance.now() - this.#since : 0);
  }

  begin(): void {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#taken += performance.now() - this.#since;
  }
}
