import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../primitives/clock.ts';
import type { Key, Table } from './table.ts';
import type { RunUnitOfWork } from './unit-of-work.ts';

export interface CapabilityStoreDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

interface CapabilityItem extends Key {
  readonly facts: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Expiring capability tokens. Items store the hash of a token, never the token.
 *
 * Access pattern: one capability, get `<prefix>#<SHA-256 of the token> / CAPABILITY`.
 */
export class CapabilityStore {
  readonly #prefix: string;
  readonly #deps: CapabilityStoreDependencies;

  /** @param prefix of the partition keys; the module must be granted to write it, such as `DYN_LINK`. */
  constructor(prefix: string, dependencies: CapabilityStoreDependencies) {
    this.#prefix = prefix;
    this.#deps = dependencies;
  }

  /** Issues a token for some facts. */
  async issue(
    facts: Readonly<Record<string, unknown>>,
    seconds: number,
  ): Promise<{ readonly token: string; readonly expiresAt: number }> {
    const { unitOfWork, clock } = this.#deps;
    const token = randomBytes(32).toString('base64url');
    const expiresAt = clock.now() + seconds * 1_000;
    await unitOfWork(async (unit) => {
      unit.put({
        ...this.#key(token),
        type: 'capability',
        facts,
        expiresAt,
        ttl: Math.ceil(expiresAt / 1_000),
      });
    });
    return { token, expiresAt };
  }

  /** The facts of a token; `undefined` when it is unknown or has expired. */
  async find(token: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const item = await this.#deps.table.get<CapabilityItem>(this.#key(token));
    return item && item.expiresAt > this.#deps.clock.now() ? item.facts : undefined;
  }

  #key(token: string): Key {
    const hash = createHash('sha256').update(token).digest('hex');
    return { pk: `${this.#prefix}#${hash}`, sk: 'CAPABILITY' };
  }
}
