import type { Clock } from '../../../../shared/primitives/clock.ts';

/** Lets a number of calls through per second, and so many at once after a rest (token bucket). */
export class Pacer {
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #pause: (ms: number) => Promise<unknown>;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, clock: Clock, pause: (ms: number) => Promise<unknown>) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#pause = pause;
    this.#tokens = perSecond;
    this.#at = clock.now();
  }

  async next(): Promise<void> {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#at) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + earned) - 1;
    this.#at = now;
    if (this.#tokens < 0) await this.#pause((-this.#tokens / this.#perSecond) * 1_000);
  }
}
