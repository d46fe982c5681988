import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { isNarrowed, withinGrant } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { everything, neededBy } from '../domain/query/filter.ts';
import { isRelated, type SortKey } from '../domain/query/order.ts';
import {
  checkRelated,
  type FindRelated,
  notSortable,
  type RelatedTest,
  relatedPath,
  relatedTooLong,
  tooManyRelated,
} from '../domain/query/related.ts';
import { matchingIds } from '../domain/search/counts/counting.ts';
import { RelatedPlaces } from '../domain/search/related/places.ts';
import type { Search } from '../domain/search/row-walk.ts';
import type { Searches } from './searches.ts';

/** Most records of another entity that may meet a condition. */
const MAX_IDS = 10_000;
/** So many long texts are read in time by a table and a bucket that are not disturbed. */
const FEW_LARGE = 8;

/** An order that may look at related records. */
export interface RelatedOrdering {
  readonly order: readonly SortKey[];
  /** Whether the caller sees only some of the related records or their fields. */
  readonly isNarrowed: boolean;
  /** Those that the caller sees, and by which definition. */
  readonly seen?: unknown;
}

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

  /**
   * The order of a list with what decides it, where that is a field of related records.
   * @param search the search of the list, whose work it shares
   * @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403) for fields and records that the caller does not see
   */
  async ordered(
    order: readonly SortKey[],
    search: Search,
    { isConsistent, principal }: { readonly isConsistent: boolean; readonly principal: Principal },
  ): Promise<RelatedOrdering> {
    const [key] = order;
    if (!key || !isRelated(key)) return { order, isNarrowed: false };
    const { field, entity, code } = relatedPath('sort', key.field, search.model);
    return this.#inTarget(entity, notSortable(key.field), async (target) => {
      const grant = await this.#access.check(target, principal, 'view');
      if (!target.queryField(code)?.sortable) throw notSortable(key.field);
      const own = { field: code, descending: key.descending };
      const seen = withinGrant(target, everything, [own], grant);
      const fields = neededBy(target, seen, [code]);
      const places = new RelatedPlaces({
        ...{ field, by: code, descending: key.descending, seen },
        target: this.#searches.beside(search, target, isConsistent, fields),
      });
      return {
        order: [{ ...key, places }],
        isNarrowed: isNarrowed(grant),
        seen: [seen, target.definition.version],
      };
    });
  }

  /** Runs work with another entity. @param gone the result, or the error, when it does not exist any more */
  async #inTarget<T>(
    entity: string,
    gone: Error | T,
    work: (target: EntityModel) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#catalog.withEntity(entity, work);
    } catch (error) {
      const isGone = error instanceof Problem && error.code === 'ENTITY_NOT_FOUND';
      if (!isGone) throw error;
      if (gone instanceof Error) throw gone;
      return gone;
    }
  }

  async #ids(test: RelatedTest, principal: Principal): Promise<readonly string[]> {
    // Nothing refers to records of an entity that is gone.
    return this.#inTarget<readonly string[]>(test.entity, [], async (target) => {
      const grant = await this.#access.check(target, principal, 'view');
      const filter = withinGrant(target, test.filterOf(target), [], grant);
      const search = this.#searches.open(target, filter);
      const ids = await matchingIds(filter, MAX_IDS, search);
      if (ids) return ids;
      const { isLate, larges } = search.budget;
      if (!isLate) throw tooManyRelated(test, MAX_IDS);
      throw larges > FEW_LARGE ? relatedTooLong(test) : tooLate(test);
    });
  }
}

/** The problem of a condition that took too long: the table may have been slow, so another try may succeed, as that of a job does. */
const tooLate = ({ parameter }: RelatedTest): Error => {
  const detail = `${parameter}: looking for the related records took longer than one request may; try again, or narrow it.`;
  return httpProblems.serviceUnavailable({ detail });
};
