import type { JWK } from 'jose';
import type { SecretReader } from '../../../shared/lambda/module-context.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { problems } from '../errors.ts';
import { type SessionKey, sessionKeyOf } from './session-key.ts';

interface SessionKeysDependencies {
  readonly readSecret: SecretReader;
  readonly clock: Clock;
  readonly log: Log;
  /** Name of the secret; empty: there is none. */
  readonly secret: string;
}

interface KnownKeys {
  /** The newest first. */
  readonly all: readonly SessionKey[];
  readonly signing: SessionKey | undefined;
  readonly readAt: number;
}

/** Rotation of the secret is seen after this time. */
const FRESH_MS = 5 * 60_000;
/** A store of secrets that fails is asked again after this time. */
const PAUSE_MS = 30_000;
/** A new key signs when every environment publishes it, and no cache holds an answer without it (`max-age=300`). */
const PUBLISHED_MS = 2 * FRESH_MS;

/** The keys of logins: the newest signs once it is known everywhere, and the one before is still published. */
export class SessionKeys {
  readonly #deps: SessionKeysDependencies;
  #known: KnownKeys = { all: [], signing: undefined, readAt: Number.NEGATIVE_INFINITY };

  constructor(dependencies: SessionKeysDependencies) {
    this.#deps = dependencies;
  }

  /** The key that signs. @throws Problem `SESSION_KEY_MISSING` (503) */
  async current(): Promise<SessionKey> {
    const { signing } = await this.#fresh();
    if (!signing) throw problems.sessionKeyMissing();
    return signing;
  }

  /** @throws Problem `SESSION_KEY_MISSING` (503) */
  async published(): Promise<readonly JWK[]> {
    await this.current();
    return this.#known.all.map(({ publicKey }) => publicKey);
  }

  async #fresh(): Promise<KnownKeys> {
    const { clock, secret } = this.#deps;
    const isFresh = clock.now() - this.#known.readAt < FRESH_MS;
    if (secret !== '' && !isFresh) this.#known = await this.#readOrKnown(secret);
    return this.#known;
  }

  /** What is known stays in use while the secret cannot be read. */
  async #readOrKnown(secret: string): Promise<KnownKeys> {
    try {
      return await this.#read(secret);
    } catch (cause) {
      const { clock, log } = this.#deps;
      if (!this.#known.signing) throw problems.sessionKeyMissing({ cause });
      log.error('The secret of logins cannot be read', { cause });
      return { ...this.#known, readAt: clock.now() - FRESH_MS + PAUSE_MS };
    }
  }

  async #read(secret: string): Promise<KnownKeys> {
    const { readSecret, clock } = this.#deps;
    const readAt = clock.now();
    const former = await readSecret.versionOf?.(secret, 'AWSPREVIOUS');
    const [newest, before] = await Promise.all([
      readSecret(secret).then(sessionKeyOf),
      former === undefined ? undefined : readSecret(secret, former).then(sessionKeyOf),
    ]);
    const isNew = before !== undefined && (await this.#isNew(secret, readAt));
    return {
      all: [newest, before].filter((key) => key !== undefined),
      signing: isNew ? before : (newest ?? before),
      readAt,
    };
  }

  async #isNew(secret: string, now: number): Promise<boolean> {
    const madeAt = await this.#deps.readSecret.madeAt?.(secret);
    return madeAt !== undefined && now - madeAt < PUBLISHED_MS;
  }
}
