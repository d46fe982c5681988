import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { UniqueClaim } from '../domain/records/index-rows.ts';
import type { ReferenceCheck } from '../domain/records/write-plan.ts';
import type { ConflictFinder } from '../records/conflict-finder.ts';
import type { RecordRepository } from '../store/record-repository.ts';

export interface StoredFactsDependencies {
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly conflicts: Pick<ConflictFinder, 'conflictId' | 'idsInUse'>;
}

/** What changes need to know of what is stored. */
export interface Wanted {
  readonly ids: readonly string[];
  readonly claims: readonly UniqueClaim[];
  readonly references: readonly ReferenceCheck[];
}

/** Whether a record may be referred to. */
type Target = 'live' | 'lost' | 'leaving';

/** Lookups of unique values at the same time. */
const PARALLEL = 8;
const BATCH = 100;

/** Looks up what is stored, for several changes at the same time and each thing once: while a dry run runs, nothing else counts. */
export class StoredFacts {
  readonly #deps: StoredFactsDependencies;
  readonly #ids = new Map<string, boolean>();
  readonly #holders = new Map<string, string | undefined>();
  readonly #targets = new Map<string, Target>();

  constructor(dependencies: StoredFactsDependencies) {
    this.#deps = dependencies;
  }

  async lookUp(model: EntityModel, wanted: Wanted, principal: Principal): Promise<void> {
    await Promise.all([
      this.#lookUpIds(model, wanted.ids, principal),
      this.#lookUpHolders(model, wanted.claims, principal),
      this.#lookUpTargets(wanted.references),
    ]);
  }

  /** Whether a record has an id that was looked up. */
  isUsed(id: string): boolean {
    return this.#ids.get(id) ?? false;
  }

  /** Who holds a unique value that was looked up. */
  holder(claim: UniqueClaim): string | undefined {
    return this.#holders.get(nameOf(claim));
  }

  target(reference: ReferenceCheck): Target {
    return this.#targets.get(targetOf(reference)) ?? 'lost';
  }

  async #lookUpIds(
    model: EntityModel,
    wanted: readonly string[],
    principal: Principal,
  ): Promise<void> {
    const ids = wanted.filter((id) => !this.#ids.has(id));
    if (ids.length === 0) return;
    const used = new Set(await this.#deps.conflicts.idsInUse(model, ids, principal));
    for (const id of ids) this.#ids.set(id, used.has(id));
  }

  async #lookUpHolders(
    model: EntityModel,
    wanted: readonly UniqueClaim[],
    principal: Principal,
  ): Promise<void> {
    const claims = wanted.filter((claim) => !this.#holders.has(nameOf(claim)));
    await mapLimited(claims, PARALLEL, async (claim) => {
      const id = await this.#deps.conflicts.conflictId(model, claim, principal);
      this.#holders.set(nameOf(claim), id);
    });
  }

  async #lookUpTargets(wanted: readonly ReferenceCheck[]): Promise<void> {
    const unknown = wanted.filter((each) => !this.#targets.has(targetOf(each)));
    for (const [entity, some] of Map.groupBy(unknown, (each) => each.entity)) {
      const ids = [...new Set(some.map(({ id }) => id))];
      for (let at = 0; at < ids.length; at += BATCH) {
        const part = ids.slice(at, at + BATCH);
        const found = await this.#deps.repository.findHeaders(entity, part, true);
        for (const id of part) this.#targets.set(`${entity}#${id}`, stateOf(found.get(id)));
      }
    }
  }
}

const nameOf = ({ name, key }: UniqueClaim): string => `${name}#${key}`;
const targetOf = ({ entity, id }: ReferenceCheck): string => `${entity}#${id}`;

function stateOf(header: RecordHeader | undefined): Target {
  if (!header || header.deletedAt !== undefined) return 'lost';
  return header.deleting === undefined ? 'live' : 'leaving';
}
