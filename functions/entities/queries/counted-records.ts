import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { withinGrant } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { AnswerRoom } from '../domain/query/answer-room.ts';
import type { Filter } from '../domain/query/filter.ts';
import { readFilter } from '../domain/query/list-query.ts';
import { visitRecords } from '../domain/search/counts/counting.ts';
import { FacetTally, fromCounters } from '../domain/search/counts/facet-counts.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { isCounted } from '../domain/search/totals.ts';
import type { ListCall } from './list-call.ts';
import type { RelatedRecords } from './related-records.ts';
import { MOST, type Searches } from './searches.ts';
import { Totals } from './totals.ts';

/** The records that a call asks for, and those that its caller sees. */
interface Asked {
  readonly asked: Filter;
  readonly grant: RecordGrant;
}

/** Counts the records that a call asks for, of those that its caller sees. */
export class CountedRecords {
  readonly #access: EntityAccess;
  readonly #related: RelatedRecords;
  readonly #searches: Searches;
  readonly #totals: Totals;

  constructor(access: EntityAccess, related: RelatedRecords, searches: Searches) {
    this.#access = access;
    this.#related = related;
    this.#searches = searches;
    this.#totals = new Totals(searches);
  }

  /**
   * Reads the filters of a call.
   * @param own its parameters that are no filters
   * @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403)
   */
  async asked(
    model: EntityModel,
    parameters: ListCall['parameters'],
    own: readonly string[],
    principal: Principal,
  ): Promise<Asked> {
    const grant = await this.#access.check(model, principal, 'view');
    const moment = this.#access.moment();
    const asked = await this.#related.within(
      (related) => readFilter(parameters, model, own, { related, moment }),
      principal,
    );
    return { asked, grant };
  }

  /**
   * Opens the search for these records.
   * @param fields that the figures are of
   * @throws Problem `FORBIDDEN` (403) when a hidden field is named
   */
  open(
    model: EntityModel,
    { asked, grant }: Asked,
    fields: readonly string[],
    limit = MOST,
  ): { readonly filter: Filter; readonly search: Search } {
    const named = fields.map((field) => ({ field, descending: false }));
    const filter = withinGrant(model, asked, named, grant);
    return { filter, search: this.#searches.open(model, filter, { limit, fields }) };
  }

  /** Counts them. @throws Problem `INVALID_PARAMETER` (400) */
  async count(
    model: EntityModel,
    parameters: ListCall['parameters'],
    principal: Principal,
    mode: 'auto' | 'exact' = 'auto',
  ): Promise<{ readonly count: number; readonly relation: 'eq' | 'gte' }> {
    const asked = await this.asked(model, parameters, ['count', 'q', 'filter'], principal);
    const { filter, search } = this.open(model, asked, []);
    const total = isCounted(filter, search)
      ? await this.#totals.fromCounters(filter, search, mode)
      : await this.#totals.counted(filter, mode, search);
    return { count: total?.value ?? 0, relation: total?.relation ?? 'eq' };
  }

  /**
   * Counts them for each value of fields.
   * @returns the counts, most first, and whether they are exact.
   */
  async facets(
    model: EntityModel,
    fields: readonly string[],
    parameters: ListCall['parameters'],
    principal: Principal,
  ): Promise<{
    readonly facets: Readonly<Record<string, readonly { value: unknown; count: number }[]>>;
    readonly isExact: boolean;
  }> {
    const asked = await this.asked(model, parameters, ['fields', 'q', 'filter'], principal);
    const { filter, search } = this.open(model, asked, fields);
    if (filter.kind === 'all' && fields.every((field) => model.isCounted(field))) {
      const { facets, live } = await search.source.counters();
      return { facets: fromCounters(model, fields, facets, live), isExact: true };
    }
    const tally = new FacetTally(fields, new AnswerRoom(MAX_RESPONSE_BYTES));
    const isExact = await visitRecords(filter, search, (record) => tally.add(record));
    return { facets: tally.counts(), isExact };
  }
}
