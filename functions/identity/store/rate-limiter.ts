import type { Clock } from '../../../shared/primitives/clock.ts';
import { limitProblems } from '../../../shared/problems/limit-problems.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';

const MINUTE_MS = 60_000;
const HOUR_S = 3_600;

/** Counts calls by name and minute in the table, for all environments together. */
export class RateLimiter {
  readonly #unitOfWork: RunUnitOfWork;
  readonly #clock: Clock;

  constructor({
    unitOfWork,
    clock,
  }: {
    readonly unitOfWork: RunUnitOfWork;
    readonly clock: Clock;
  }) {
    this.#unitOfWork = unitOfWork;
    this.#clock = clock;
  }

  /** Counts a call. @throws Problem `TOO_MANY_REQUESTS` (429) above `perMinute` */
  async take(name: string, perMinute: number): Promise<void> {
    const now = this.#clock.now();
    const minute = Math.floor(now / MINUTE_MS);
    const retryAfterSeconds = ((minute + 1) * MINUTE_MS - now) / 1_000;
    await this.#unitOfWork(async (unit) => {
      unit.update(
        { pk: `identity_source#@rate#${name}`, sk: String(minute) },
        {
          expression: 'ADD #calls :one SET #ttl = :ttl',
          names: { '#calls': 'calls', '#ttl': 'ttl' },
          values: { ':one': 1, ':ttl': Math.ceil(now / 1_000) + HOUR_S },
        },
        {
          condition: {
            expression: 'attribute_not_exists(#calls) OR #calls < :max',
            names: { '#calls': 'calls' },
            values: { ':max': perMinute },
          },
          otherwise: () => limitProblems.tooManyRequests({ retryAfterSeconds }),
        },
      );
    });
  }
}
