import { createHash } from 'node:crypto';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';

/** Many people may share an address. */
const PER_MINUTE = 120;

/** Limits the calls of one address to logins, whose callers are not known yet. */
export class LoginLimits {
  readonly #limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Counts a call of the caller's address. @throws Problem `TOO_MANY_REQUESTS` (429) */
  async take(step: 'begin' | 'finish' | 'token'): Promise<void> {
    const { clientAddress = '' } = requestContext();
    const digest = createHash('sha256').update(clientAddress).digest('base64url').slice(0, 22);
    await this.#limiter.take(`login#${step}#${digest}`, PER_MINUTE);
  }
}
