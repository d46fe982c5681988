import { createHash } from 'node:crypto';
import type { SecretReader, SecretStage } from '../../../shared/lambda/module-context.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { isKnownSecret, SECRET_REFERENCE } from '../domain/known-secrets.ts';
import { historyWith, MOST_EARLIER_SECRETS, type SecretTrace } from '../domain/secret-history.ts';
import type { SecretHistoryRepository } from '../store/secret-history-repository.ts';

interface DocsSecretsDependencies {
  readonly docs: {
    readonly secret?: string | undefined;
    readonly previousSecret: readonly string[];
    readonly callbackContextTokenExpiration: number;
  };
  readonly readSecret: SecretReader;
  readonly history: Pick<SecretHistoryRepository, 'update'>;
  /** The machine's clock: tokens of the editing server follow no tenant's. */
  readonly clock: Clock;
}

/** A secret, and its version in the store of secrets. */
interface ReadSecret {
  readonly text: string;
  readonly versionId?: string | undefined;
}

/** An earlier secret, and until when it is accepted (epoch ms). */
interface EarlierSecret {
  readonly secret: string;
  readonly until: number;
}

interface Secrets {
  readonly current: string;
  readonly earlier: readonly EarlierSecret[];
  readonly readAt: number;
}

/** How long read secrets serve (ms). */
const FRESH_MS = 300_000;
/** Least time between two looks for another secret, when a token does not verify (ms). */
const LOOK_PAUSE_MS = 30_000;

/** The secret that the platform shares with the editing server, and those before while sessions need them. */
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
    const { current, earlier } = await this.#secrets(isSuspect ? LOOK_PAUSE_MS : FRESH_MS);
    const now = this.#deps.clock.now();
    const open = earlier.filter(({ until }) => now < until).map(({ secret }) => secret);
    return [current, ...open];
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
    if (docs.secret === undefined) throw new Error('svc.docs.secret is not set');
    const reference = referenceOf(docs.secret);
    const [current, named] = await Promise.all([
      this.#textOf(docs.secret),
      docs.previousSecret.length === 0
        ? this.#labelled(reference, 'AWSPREVIOUS')
        : Promise.all(
            docs.previousSecret.map(async (each) => ({ text: await this.#textOf(each) })),
          ),
    ]);
    if (!isUsable(current)) {
      throw new Error('svc.docs.secret is empty, or a secret that anybody knows');
    }
    // Where no secret was ever replaced nobody has to keep account of them; one of a store is replaced without a word.
    const isKept = named.length > 0 || reference !== undefined;
    const earlier = isKept ? await this.#earlierOf(current, named, reference) : [];
    return { current, earlier, readAt: clock.now() };
  }

  /** Each is accepted as long as a context token lives that was made with it at last. */
  async #earlierOf(
    current: string,
    named: readonly ReadSecret[],
    reference: string | undefined,
  ): Promise<readonly EarlierSecret[]> {
    const { readSecret, history, clock, docs } = this.#deps;
    const now = clock.now();
    const versionId = reference && (await readSecret.versionOf?.(reference, 'AWSCURRENT'));
    const trace = traceOf({ text: current, versionId });
    const before = named.map(traceOf);
    const { earlier } = await history.update((known) => historyWith(known, trace, before, now));
    const lifeMs = docs.callbackContextTokenExpiration * 1_000;
    const texts = new Map(named.map(({ text }) => [digestOf(text), text]));
    const accepted = earlier
      .map((each) => ({ ...each, until: each.replacedAt + lifeMs }))
      .filter(({ until }) => now < until)
      .slice(0, MOST_EARLIER_SECRETS);
    const found = await Promise.all(
      accepted.map(async ({ until, ...each }) => {
        const secret = texts.get(each.digest) ?? (await this.#textOfVersion(each, reference));
        return secret === undefined || !isUsable(secret) ? [] : [{ secret, until }];
      }),
    );
    return found.flat();
  }

  async #textOf(value: string): Promise<string> {
    const reference = referenceOf(value);
    return reference === undefined ? value : this.#deps.readSecret(reference);
  }

  /** The version of a secret that has a label, if there is one. */
  async #labelled(reference: string | undefined, stage: SecretStage): Promise<ReadSecret[]> {
    const { readSecret } = this.#deps;
    const versionId = reference && (await readSecret.versionOf?.(reference, stage));
    if (!reference || !versionId) return [];
    return [{ text: await readSecret(reference, versionId), versionId }];
  }

  /** What has no label in the store of secrets may be gone. */
  async #textOfVersion(
    { digest, versionId }: SecretTrace,
    reference: string | undefined,
  ): Promise<string | undefined> {
    if (versionId === undefined || reference === undefined) return undefined;
    try {
      const text = await this.#deps.readSecret(reference, versionId);
      return digestOf(text) === digest ? text : undefined;
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }
}

const isUsable = (secret: string): boolean => secret !== '' && !isKnownSecret(secret);

const referenceOf = (value: string): string | undefined =>
  value.startsWith(SECRET_REFERENCE) ? value.slice(SECRET_REFERENCE.length) : undefined;

const digestOf = (secret: string): string =>
  createHash('sha256').update('docs/age/v1\0').update(secret).digest('base64url');

const traceOf = ({ text, versionId }: ReadSecret): SecretTrace => ({
  digest: digestOf(text),
  ...(versionId !== undefined && { versionId }),
});
