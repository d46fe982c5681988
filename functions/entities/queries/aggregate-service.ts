import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { type AggregateQuery, FIGURES, readAggregate } from '../domain/query/aggregate.ts';
import { AnswerRoom } from '../domain/query/answer-room.ts';
import type { Filter } from '../domain/query/filter.ts';
import { type Group, Tally } from '../domain/query/tally.ts';
import { visitRecords } from '../domain/search/counts/counting.ts';
import { fromCounters } from '../domain/search/counts/facet-counts.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { CountedRecords } from './counted-records.ts';
import type { ListCall } from './list-call.ts';
import { RelatedRecords } from './related-records.ts';
import { EXACT, MOST, type Searches } from './searches.ts';

/** Figures of the records that a call asks for. */
export interface Aggregate {
  readonly groups: readonly Group[];
  /** Records that the figures are of. */
  readonly count: number;
  /** Whether these are all; `false` when the work limit of one request was reached. */
  readonly complete: boolean;
}

/** Counts, sums and averages of records by groups. */
export class AggregateService {
  readonly #counted: CountedRecords;

  constructor(
    dependencies: { readonly access: EntityAccess; readonly catalog: EntityCatalog },
    searches: Searches,
  ) {
    const related = new RelatedRecords(dependencies, searches);
    this.#counted = new CountedRecords(dependencies.access, related, searches);
  }

  /** @throws Problem `INVALID_PARAMETER` (400), `FORBIDDEN` (403) when a hidden field is named */
  async aggregate(
    model: EntityModel,
    parameters: ListCall['parameters'],
    principal: Principal,
    mode: 'auto' | 'exact' = 'auto',
  ): Promise<Aggregate> {
    const own = ['groupBy', ...FIGURES, 'count', 'q', 'filter'];
    const asked = await this.#counted.asked(model, parameters, own, principal);
    const query = readAggregate(parameters, model);
    const fields = [...query.groupBy, ...query.figures].map(({ field }) => field.code);
    const limit = mode === 'exact' ? EXACT : MOST;
    const { filter, search } = this.#counted.open(model, asked, fields, limit);
    return (await counted(query, filter, search)) ?? added(query, filter, search);
  }
}

/** Counts of all records, or by the values of a counted field. */
async function counted(
  { groupBy, figures }: AggregateQuery,
  filter: Filter,
  { model, source }: Search,
): Promise<Aggregate | undefined> {
  const [key, ...others] = groupBy;
  if (filter.kind !== 'all' || figures.length > 0 || others.length > 0) return undefined;
  if (key && (key.length !== undefined || !model.isCounted(key.field.code))) return undefined;
  const { facets, live } = await source.counters();
  const count = Math.max(0, live);
  if (!key) return { groups: [{ by: {}, count }], count, complete: true };
  const { code } = key.field;
  const values = fromCounters(model, [code], facets, live)[code] ?? [];
  const keyOf = (value: unknown): string =>
    value === null ? '' : `1${key.field.codec.encode(value)}`;
  const groups = values
    .toSorted((one, other) => (keyOf(one.value) < keyOf(other.value) ? -1 : 1))
    .map(({ value, count: each }) => ({ by: { [key.name]: value }, count: each }));
  return { groups, count, complete: true };
}

/** Looks at each record. */
async function added(query: AggregateQuery, filter: Filter, search: Search): Promise<Aggregate> {
  const tally = new Tally(query, new AnswerRoom(MAX_RESPONSE_BYTES));
  let count = 0;
  const complete = await visitRecords(filter, search, (record) => {
    tally.add(record);
    count += 1;
  });
  return { groups: tally.groups(), count, complete };
}
