import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import type { UniqueClaim } from '../domain/records/index-rows.ts';
import { problems } from '../errors.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface ConflictFinderDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
}

/** Finds the record that holds a unique value, for those who may view it. */
export class ConflictFinder {
  readonly #deps: ConflictFinderDependencies;

  constructor(dependencies: ConflictFinderDependencies) {
    this.#deps = dependencies;
  }

  /** The problem `UNIQUE_VIOLATION`; names the record when the caller may view it and the fields that are the same. */
  async violation(model: EntityModel, claim: UniqueClaim, principal: Principal): Promise<Error> {
    const conflictId = await this.conflictId(model, claim, principal);
    return problems.uniqueViolation({ fields: claim.fields, conflictId });
  }

  /** The record that holds a value, if the caller may view it and the fields that are the same. */
  async conflictId(
    model: EntityModel,
    { name, key, fields }: UniqueClaim,
    principal: Principal,
  ): Promise<string | undefined> {
    const grant = await this.#deps.access.grantOf(model, principal, 'view');
    const isShown = (field: string): boolean =>
      model.field(field)?.writeOnly !== true && (grant?.fields?.has(field) ?? true);
    if (!grant || !fields.every(isShown)) return undefined;
    const id = await this.#deps.repository.claimant(model.code, name, key, true);
    if (id === undefined) return undefined;
    for await (const { deletedAt } of this.#granted(model, [id], grant)) {
      if (deletedAt === undefined) return id;
    }
    return undefined;
  }

  /** Ids that records have which the caller may view, those in the trash as well. */
  async idsInUse(
    model: EntityModel,
    ids: readonly string[],
    principal: Principal,
  ): Promise<readonly string[]> {
    const grant = await this.#deps.access.grantOf(model, principal, 'view');
    if (!grant) return [];
    const found: string[] = [];
    for await (const { id } of this.#granted(model, ids, grant)) found.push(id);
    return found;
  }

  /** Those that a grant shows, with the large values that it looks at. */
  async *#granted(
    model: EntityModel,
    ids: readonly string[],
    grant: RecordGrant,
  ): AsyncGenerator<RecordHeader> {
    const needed = neededBy(model, grant.filter, []);
    const source = createRecordSource(model, this.#deps, true, needed);
    for (let at = 0; at < ids.length; at += 100) {
      for await (const some of source.headers(ids.slice(at, at + 100))) {
        yield* some.filter((header) => isGranted(model, header, grant));
      }
    }
  }
}
