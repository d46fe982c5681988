import type { JWTPayload } from 'jose';
import type { Clock } from '../primitives/clock.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { TokenVerifier } from '../security/token-verifier.ts';
import type { Table } from '../store/table.ts';
import { SESSION_ISSUER } from './session-issuer.ts';
import { MAX_TOKEN_SECONDS, REVOKED_PARTITION, type RevokedItem } from './session-items.ts';

/** Longest time that a revocation is not known to an environment. */
const STALE_MS = 30_000;
/** Clocks of writers differ, and a commit is seen some time after its instant. */
const OVERLAP_MS = 300_000;
const ITEMS_AT_ONCE = 1_000;

/**
 * Refuses tokens of the platform's own logins whose subject was disabled after they were issued. What was revoked is
 * looked up every 30 s at most, while such tokens come.
 */
export class RevokedSubjects {
  readonly #table: Table;
  readonly #clock: Clock;
  /** When the tokens of a subject ended (epoch ms). */
  readonly #revokedAt = new Map<string, number>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor({ table, clock }: { readonly table: Table; readonly clock: Clock }) {
    this.#table = table;
    this.#clock = clock;
  }

  /** Adds the check to a verifier. @throws Problem `UNAUTHENTICATED` (401) */
  guard(verify: TokenVerifier): TokenVerifier {
    return async (token) => {
      const claims = await verify(token);
      if (claims.iss === SESSION_ISSUER && (await this.isRevoked(claims))) {
        const detail = 'The account of the token is disabled, or was since it was issued.';
        throw httpProblems.unauthenticated({ detail, error: 'invalid_token' });
      }
      return claims;
    };
  }

  async isRevoked({ sub = '', iat = 0 }: JWTPayload): Promise<boolean> {
    if (this.#clock.now() - this.#checkedAt >= STALE_MS) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    const revokedAt = this.#revokedAt.get(sub);
    return revokedAt !== undefined && iat <= Math.floor(revokedAt / 1_000);
  }

  async #look(): Promise<void> {
    const now = this.#clock.now();
    const from = Math.max(this.#checkedAt - OVERLAP_MS, now - MAX_TOKEN_SECONDS * 1_000);
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await this.#table.query<RevokedItem>({
        partition: REVOKED_PARTITION,
        between: { from: new Date(from).toISOString(), to: '~' },
        limit: ITEMS_AT_ONCE,
        startKey,
      });
      for (const item of page.items) this.#note(item);
      startKey = page.lastKey;
    } while (startKey);
    for (const [subject, at] of this.#revokedAt) {
      if (at < now - MAX_TOKEN_SECONDS * 1_000) this.#revokedAt.delete(subject);
    }
    this.#checkedAt = now;
  }

  #note({ subjects, revokedAt }: RevokedItem): void {
    for (const subject of subjects) {
      this.#revokedAt.set(subject, Math.max(revokedAt, this.#revokedAt.get(subject) ?? 0));
    }
  }
}
