import type { SecretReader } from '../../../shared/lambda/module-context.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { isKnownSecret, SECRET_REFERENCE } from '../domain/known-secrets.ts';
import type { SecretAges } from '../store/secret-ages.ts';

interface DocsSecretsDependencies {
  readonly docs: {
    readonly secret?: string | undefined;
    readonly previousSecret?: string | undefined;
    readonly callbackContextTokenExpiration: number;
  };
  readonly readSecret: SecretReader;
  readonly ages: Pick<SecretAges, 'firstSeen'>;
  /** The machine's clock: tokens of the editing server follow no tenant's. */
  readonly clock: Clock;
}

interface Secrets {
  readonly current: string;
  readonly previous: string | undefined;
  readonly readAt: number;
}

/** How long read secrets serve (ms). */
const FRESH_MS = 300_000;
/** Least time between two looks for another secret, when a token does not verify (ms). */
const LOOK_PAUSE_MS = 30_000;

/** The secret that the platform shares with the editing server, and the one before while sessions need it. */
export class DocsSecrets {
  readonly #deps: DocsSecretsDependencies;
  #read: Promise<Secrets> | undefined;

  constructor(dependencies: DocsSecretsDependencies) {
    this.#deps = dependencies;
  }

  /** The secret to sign with. */
  async current(): Promise<string> {
    return (await this.#secrets(FRESH_MS)).current;
  }

  /** Secrets that tokens may be signed with, the current one first. @param isSuspect whether a token did not verify */
  async accepted(isSuspect = false): Promise<readonly string[]> {
    const secrets = await this.#secrets(isSuspect ? LOOK_PAUSE_MS : FRESH_MS);
    const { current, previous } = secrets;
    if (previous === undefined || previous === current) return [current];
    const { ages, clock, docs } = this.#deps;
    const since = await ages.firstSeen(current);
    const isOpen = clock.now() < since + docs.callbackContextTokenExpiration * 1_000;
    return isOpen ? [current, previous] : [current];
  }

  async #secrets(maxAgeMs: number): Promise<Secrets> {
    const known = await this.#read;
    if (known && this.#deps.clock.now() - known.readAt < maxAgeMs) return known;
    const reading = this.#readAll();
    this.#read = reading;
    try {
      return await reading;
    } catch (error) {
      if (!known) {
        this.#read = undefined;
        throw error;
      }
      // The next look comes after the pause: until then what is known serves.
      const readAt = this.#deps.clock.now() - FRESH_MS + LOOK_PAUSE_MS;
      const kept = { ...known, readAt };
      this.#read = Promise.resolve(kept);
      return kept;
    }
  }

  async #readAll(): Promise<Secrets> {
    const { docs, clock } = this.#deps;
    const { secret, previousSecret } = docs;
    if (secret === undefined) throw new Error('svc.docs.secret is not set');
    const [current, previous] = await Promise.all([
      this.#textOf(secret),
      previousSecret === undefined ? this.#versionBefore(secret) : this.#textOf(previousSecret),
    ]);
    if (current === '' || isKnownSecret(current)) {
      throw new Error('svc.docs.secret is empty, or a secret that anybody knows');
    }
    const isUsable = previous !== undefined && previous !== '' && !isKnownSecret(previous);
    return { current, previous: isUsable ? previous : undefined, readAt: clock.now() };
  }

  async #textOf(value: string): Promise<string> {
    return value.startsWith(SECRET_REFERENCE)
      ? this.#deps.readSecret(value.slice(SECRET_REFERENCE.length))
      : value;
  }

  async #versionBefore(secret: string): Promise<string | undefined> {
    if (!secret.startsWith(SECRET_REFERENCE)) return undefined;
    const { readSecret } = this.#deps;
    const reference = secret.slice(SECRET_REFERENCE.length);
    const versionId = await readSecret.versionOf?.(reference, 'AWSPREVIOUS');
    return versionId === undefined ? undefined : readSecret(reference, versionId);
  }
}
