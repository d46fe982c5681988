import type { JWK } from 'jose';
import type { SecretReader } from '../../../shared/lambda/module-context.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { problems } from '../errors.ts';
import { type SessionKey, sessionKeyOf } from './session-key.ts';

interface SessionKeysDependencies {
  readonly readSecret: SecretReader;
  readonly clock: Clock;
  /** Name of the secret; empty: there is none. */
  readonly secret: string;
}

/** Rotation of the secret is seen after this time; verifiers fetch keys at least as often when they see a new one. */
const FRESH_MS = 5 * 60_000;

/** The keys of logins: the newest signs, and the one before is still published. */
export class SessionKeys {
  readonly #deps: SessionKeysDependencies;
  #keys: readonly SessionKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: SessionKeysDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `SESSION_KEY_MISSING` (503) */
  async current(): Promise<SessionKey> {
    const [key] = await this.#all();
    if (!key) throw problems.sessionKeyMissing();
    return key;
  }

  /** @throws Problem `SESSION_KEY_MISSING` (503) */
  async published(): Promise<readonly JWK[]> {
    await this.current();
    return (await this.#all()).map(({ publicKey }) => publicKey);
  }

  async #all(): Promise<readonly SessionKey[]> {
    const { clock, secret } = this.#deps;
    if (secret === '') return [];
    if (clock.now() - this.#readAt < FRESH_MS) return this.#keys;
    this.#keys = await this.#read(secret);
    this.#readAt = clock.now();
    return this.#keys;
  }

  async #read(secret: string): Promise<readonly SessionKey[]> {
    const { readSecret } = this.#deps;
    const former = await readSecret.versionOf?.(secret, 'AWSPREVIOUS');
    const texts = await Promise.all([
      readSecret(secret),
      ...(former === undefined ? [] : [readSecret(secret, former)]),
    ]);
    const keys = await Promise.all(texts.map(sessionKeyOf));
    return keys.filter((key) => key !== undefined);
  }
}
