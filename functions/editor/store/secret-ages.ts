import { createHash } from 'node:crypto';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { notExists } from '../../../shared/store/conditions.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';

interface AgeItem extends Item {
  /** Epoch ms of the machine. */
  readonly firstSeenAt: number;
}

interface SecretAgesDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/**
 * Since when secrets are used. An item has a digest of a secret, of which nothing can be read.
 *
 * Access pattern: one secret, get `DOCSECRET#<digest> / SEEN`.
 */
export class SecretAges {
  readonly #deps: SecretAgesDependencies;
  readonly #known = new Map<string, number>();

  constructor(dependencies: SecretAgesDependencies) {
    this.#deps = dependencies;
  }

  /** When a secret was first used (epoch ms); now, when it never was. */
  async firstSeen(secret: string): Promise<number> {
    const digest = createHash('sha256').update('docs/age/v1\0').update(secret).digest('base64url');
    const known = this.#known.get(digest) ?? (await this.#stored(digest));
    this.#known.set(digest, known);
    return known;
  }

  async #stored(digest: string): Promise<number> {
    const { table, unitOfWork, clock } = this.#deps;
    const key = { pk: `DOCSECRET#${digest}`, sk: 'SEEN' };
    return unitOfWork(async (unit) => {
      const found = await table.get<AgeItem>(key);
      if (found) return found.firstSeenAt;
      const firstSeenAt = clock.now();
      const item = { ...key, type: 'DOCS_SECRET_AGE', firstSeenAt };
      unit.put(item, { condition: notExists, otherwise: 'retry' });
      return firstSeenAt;
    });
  }
}
