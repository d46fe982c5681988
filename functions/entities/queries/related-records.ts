import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { withinGrant } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import { neededBy } from '../domain/query/filter.ts';
import {
  checkRelated,
  type FindRelated,
  type RelatedTest,
  tooManyRelated,
} from '../domain/query/related.ts';
import { matchingIds } from '../domain/search/run.ts';
import { MOST, type Searches } from './searches.ts';

/** Records of another entity that a condition may meet. */
const MAX_IDS = 10_000;

/** Answers conditions on the records that others refer to, as far as the caller sees those. */
export class RelatedRecords {
  readonly #access: EntityAccess;
  readonly #catalog: EntityCatalog;
  readonly #searches: Searches;

  constructor(
    { access, catalog }: { readonly access: EntityAccess; readonly catalog: EntityCatalog },
    searches: Searches,
  ) {
    this.#access = access;
    this.#catalog = catalog;
    this.#searches = searches;
  }

  /**
   * Reads a query whose conditions may lead to other entities.
   * @param read reads it; once to learn what to look for, and once more with what was found
   * @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403) for fields and records that the caller does not see
   */
  async within<T>(read: (related: FindRelated) => T, principal: Principal): Promise<T> {
    const wanted: RelatedTest[] = [];
    const query = read((test) => {
      wanted.push(test);
      return [];
    });
    if (wanted.length === 0) return query;
    checkRelated(wanted);
    const found = await Promise.all(wanted.map((test) => this.#ids(test, principal)));
    const next = found.values();
    return read(() => next.next().value ?? []);
  }

  async #ids(test: RelatedTest, principal: Principal): Promise<readonly string[]> {
    try {
      return await this.#catalog.withEntity(test.entity, async (target) => {
        const grant = await this.#access.check(target, principal, 'view');
        const filter = withinGrant(target, test.filterOf(target), [], grant);
        const search = this.#searches.open(target, false, MOST, neededBy(target, filter, []));
        const ids = await matchingIds(filter, MAX_IDS, search);
        if (!ids) throw tooManyRelated(test, MAX_IDS);
        return ids;
      });
    } catch (error) {
      // Nothing refers to records of an entity that is gone.
      if (error instanceof Problem && error.code === 'ENTITY_NOT_FOUND') return [];
      throw error;
    }
  }
}
