import type { Clock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { isNarrowed, withinGrant } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { type Filter, fieldsOf, fieldsRead } from '../domain/query/filter.ts';
import {
  decodePageStart,
  readFilter,
  readListQuery,
  readNames,
} from '../domain/query/list-query.ts';
import { positionOf, toText } from '../domain/query/order.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { fromCounters, tally } from '../domain/search/facet-counts.ts';
import type { Search } from '../domain/search/find.ts';
import { linksOf } from '../domain/search/page-links.ts';
import {
  checkWindow,
  countRecords,
  type FoundPage,
  findPage,
  findPageBefore,
  findPageFromEnd,
  MAX_COUNT,
  type PageSearch,
  type Total,
} from '../domain/search/run.ts';
import { Budget, metered } from '../domain/search/source.ts';
import { countFromCounters, isCounted } from '../domain/search/totals.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { createRecordSource } from '../store/record-source.ts';
import type { CursorSeal } from './cursor-seal.ts';
import { checkTrash, identityOf, listDeleted } from './deleted-list.ts';
import { type Seal, toLinkedPage } from './linked-page.ts';
import type { ListCall, ListOutcome } from './list-call.ts';
import { searchOf } from './record-walk.ts';

export interface QueryServiceDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
  readonly catalog: EntityCatalog;
  readonly cursorSeal: CursorSeal;
  readonly clock: Clock;
}

/** Work limit of one request. */
const MAX_ROWS = 20_000;
const MAX_HEADERS = 2_000;
const MAX_MS = 3_000;
/** Most records that are looked at at once for a reference from outside of what is being deleted. */
const MAX_REFERRING = 100;
/** Most records that are looked at where no index tells yet which ones refer to another. */
const UNINDEXED_HEADERS = 200;
/** Work limit of the count that comes with a list, unless an exact one is asked for. */
const COUNTED_ROWS = 5_000;
const COUNTED_HEADERS = 1_000;
const MOST = { maxRows: MAX_ROWS, maxHeaders: MAX_HEADERS, maxMs: MAX_MS };
/** Work limit of an exact count. */
const EXACT_ROWS = 1_000_000;
const EXACT = { maxRows: EXACT_ROWS, maxHeaders: 50_000, maxMs: 20_000 };

/**
 * What is known of references to a record. `unknown`: the index of the field is being built, and there are too many
 * records to look at each; `unsearchable`: no index will ever tell.
 */
export type Referring = 'none' | 'some' | 'unknown' | 'unsearchable';

type LiveSearch = Pick<PageSearch, 'filter' | 'order' | 'looksAhead'> & {
  readonly seal: Seal | undefined;
};

/** Finds records by filter, words and order. */
export class QueryService {
  readonly #deps: QueryServiceDependencies;

  constructor(dependencies: QueryServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * One page of records.
   * @throws Problem `INVALID_PARAMETER`, `INVALID_CURSOR`, `PAGE_WINDOW_EXCEEDED`, `SORT_NEEDS_INDEX` (400), `FORBIDDEN` (403)
   */
  async list(model: EntityModel, given: ListCall, principal: Principal): Promise<ListOutcome> {
    const { access, cursorSeal } = this.#deps;
    const cursor = given.cursor && (await cursorSeal.opened(given.cursor));
    const call = { ...given, cursor };
    const isTrash = call.deleted === 'only';
    const action = isTrash ? 'delete' : 'view';
    const allowed = await access.check(model, principal, action);
    const grant = await access.seen(model, principal, allowed);
    const { filter: asked, order } = readListQuery(call.parameters, model);
    const filter = withinGrant(model, asked, order, grant);
    const seal = isNarrowed(grant) ? (plain: string) => cursorSeal.sealed(plain) : undefined;
    if (isTrash) {
      checkTrash(call);
      return {
        grant,
        page: await listDeleted({ filter, call, principal, seal }, this.open(model, true)),
      };
    }
    if (call.explain && isNarrowed(grant)) throw explainsToo();
    const shown = readNames('fields', call.parameters.fields, () => true);
    const needed = shown && neededBy(model, filter, [...shown, ...order.map(({ field }) => field)]);
    const search = this.#open(model, call.consistent ?? false, MOST, needed);
    const asksFor = { filter, order, looksAhead: isNarrowed(grant), seal };
    const page = await this.#listLive(asksFor, call, search, principal);
    const warnings = warningsOf(model, asked);
    return { grant, page: warnings.length > 0 ? { ...page, warnings } : page };
  }

  async #listLive(
    { filter, order, looksAhead, seal }: LiveSearch,
    call: ListCall,
    search: Search,
    principal: Principal,
  ): Promise<ListOutcome['page']> {
    const { size, cursor, count } = call;
    const identity = identityOf(search.model, call, principal);
    const start = cursor === undefined ? undefined : decodePageStart(cursor, identity, order);
    const number = start?.page ?? call.page ?? 0;
    const skip = start ? start.skip : number * size;
    // Whoever follows a list knows the total of its first page.
    const mode = start && count !== 'exact' ? 'none' : count;
    const counted = isCounted(filter, search)
      ? await this.#countCheap(filter, search, mode)
      : undefined;
    if (!start) checkWindow(skip, counted?.value);
    const request = { filter, order, skip, size, position: start?.position, looksAhead };
    const found = start?.isBackward
      ? await findPageBefore(request, search)
      : await find(request, counted, search);
    const before = start ? undefined : skip;
    const total = counted ?? (await this.#total(filter, found, before, mode, search));
    const isLast = before !== undefined && total?.relation === 'eq' && before + size >= total.value;
    const placeOf = (header: RecordHeader) => positionOf(order, header, search.model);
    const shown = isLast ? { ...found, next: undefined } : found;
    const links = linksOf(shown, { order, number, start, placeOf });
    return {
      ...(await toLinkedPage({ content: found.records, size, total }, links, {
        ...{ placeOf, identity, seal },
      })),
      sort: order.map(toText),
      complete: found.isComplete,
      ...(call.explain && { explain: explain(found, search) }),
    };
  }

  /** Counts the records that meet the filters of a call. @throws Problem `INVALID_PARAMETER` (400) */
  async count(
    model: EntityModel,
    parameters: ListCall['parameters'],
    principal: Principal,
    mode: 'auto' | 'exact' = 'auto',
  ): Promise<{ readonly count: number; readonly relation: 'eq' | 'gte' }> {
    const grant = await this.#deps.access.check(model, principal, 'view');
    const asked = readFilter(parameters, model, ['count', 'q', 'filter']);
    const filter = withinGrant(model, asked, [], grant);
    const search = this.open(model, false);
    const total = isCounted(filter, search)
      ? await this.#countCheap(filter, search, mode)
      : await this.#countFully(filter, mode, search);
    return { count: total?.value ?? 0, relation: total?.relation ?? 'eq' };
  }

  /**
   * Counts records for each value of fields.
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
    const grant = await this.#deps.access.check(model, principal, 'view');
    const asked = readFilter(parameters, model, ['fields', 'q', 'filter']);
    const counted = fields.map((field) => ({ field, descending: false }));
    const filter = withinGrant(model, asked, counted, grant);
    const search = this.#open(model, false, MOST, neededBy(model, filter, fields));
    if (filter.kind === 'all' && fields.every((field) => model.isCounted(field))) {
      const { facets, live } = await search.source.counters();
      return { facets: fromCounters(model, fields, facets, live), isExact: true };
    }
    const { records, next } = await findPage(
      { filter, order: [{ field: 'id', descending: true }], skip: 0, size: MAX_HEADERS },
      search,
    );
    const tallies = fields.map(
      (field) => [field, tally(records.map(({ values }) => values[field]))] as const,
    );
    return { facets: Object.fromEntries(tallies), isExact: next === undefined };
  }

  /**
   * Whether live records reference another one; strongly consistent.
   * @param model entity of the records that may refer to it, as it is now
   * @param isLeaving whether a record is about to be deleted as well
   */
  async referringTo(
    model: EntityModel,
    field: string,
    id: string,
    isLeaving: (record: RecordHeader) => boolean = () => false,
  ): Promise<Referring> {
    if (!model.queryField(field)) return model.field(field)?.reference ? 'unsearchable' : 'none';
    const filter = parseFilterObject({ [field]: id }, model);
    const order = [{ field: 'id', descending: true }];
    const maxHeaders = model.readyIndex([field]) ? MAX_HEADERS : UNINDEXED_HEADERS;
    const most = { maxRows: MAX_ROWS, maxHeaders, maxMs: MAX_MS };
    let at: FoundPage['next'];
    for (let size = 2; ; size = MAX_REFERRING) {
      const request = { filter, order, size, skip: 0, ...at };
      const found: FoundPage = await findPage(request, this.#open(model, true, most));
      if (found.records.some((record) => !isLeaving(record))) return 'some';
      if (!found.isComplete) return 'unknown';
      at = found.next;
      if (!at) return 'none';
    }
  }

  /** Whether a caller may know that an entity has a field. */
  async knowsField(entity: string, field: string, principal: Principal): Promise<boolean> {
    const { access, catalog } = this.#deps;
    return catalog.withEntity(entity, async (model) => {
      const grant = await access.grantOf(model, principal, 'view');
      return grant !== undefined && (grant.fields?.has(field) ?? true);
    });
  }

  /** Opens a search of an entity with the work that one request may do. */
  open(model: EntityModel, consistent: boolean, isExact = false): Search {
    return this.#open(model, consistent, isExact ? EXACT : MOST);
  }

  #open(
    model: EntityModel,
    consistent: boolean,
    { maxMs, ...most }: Record<'maxRows' | 'maxHeaders' | 'maxMs', number>,
    fields?: ReadonlySet<string>,
  ): Search {
    const { clock } = this.#deps;
    const endsAt = clock.now() + maxMs;
    const budget = new Budget({ ...most, isLate: () => clock.now() > endsAt });
    const source = metered(createRecordSource(model, this.#deps, consistent, fields), budget);
    return searchOf(model, source, budget);
  }

  async #countCheap(
    filter: Filter,
    search: Search,
    mode: ListCall['count'],
  ): Promise<Total | undefined> {
    if (mode === 'none') return undefined;
    const value = countFromCounters(filter, search, await search.source.counters());
    return value === undefined ? undefined : { value, relation: 'eq' };
  }

  /** @param before records before the page; `undefined` when a cursor led to it */
  async #total(
    filter: Filter,
    found: FoundPage,
    before: number | undefined,
    mode: ListCall['count'],
    search: Search,
  ): Promise<Total | undefined> {
    if (mode === 'none') return undefined;
    if (before !== undefined && found.isWhole && found.records.length > 0) {
      return { value: before + found.records.length, relation: 'eq' };
    }
    if (mode === 'exact') return this.#countFully(filter, mode, search);
    const most = { maxRows: COUNTED_ROWS, maxHeaders: COUNTED_HEADERS, maxMs: MAX_MS };
    const { model } = search;
    const counting = this.#open(model, false, most, neededBy(model, filter, []));
    const total = await countRecords(filter, MAX_COUNT, counting);
    const shown = (before ?? 0) + found.records.length + (found.next ? 1 : 0);
    return total.relation === 'eq' ? total : { ...total, value: Math.max(total.value, shown) };
  }

  #countFully(filter: Filter, mode: ListCall['count'], { model }: Search): Promise<Total> {
    const isExact = mode === 'exact';
    const counting = this.#open(model, false, isExact ? EXACT : MOST, neededBy(model, filter, []));
    return countRecords(filter, isExact ? EXACT_ROWS : MAX_COUNT, counting);
  }
}

/** Fields whose large values a search needs. */
const neededBy = (
  { wordFields }: EntityModel,
  filter: Filter,
  shown: readonly string[],
): ReadonlySet<string> => new Set([...shown, ...fieldsRead(filter, wordFields)]);

async function find(
  request: PageSearch,
  counted: Total | undefined,
  search: Search,
): Promise<FoundPage> {
  const { skip, size, position } = request;
  const isNearerToEnd = counted !== undefined && !position && skip > 0 && skip > counted.value / 2;
  if (!isNearerToEnd) return findPage(request, search);
  if (skip >= counted.value) {
    return { records: [], isComplete: true, plan: 'beyond the end', isWhole: false };
  }
  return findPageFromEnd({ ...request, size }, counted.value, search);
}

/** The work of a query tells of the records that the caller does not see. */
const explainsToo = (): Error =>
  httpProblems.forbidden({}, { detail: 'Only who sees every record and field may use explain.' });

function warningsOf(model: EntityModel, filter: Filter): string[] {
  const building = new Set(
    model.definition.indexes
      .filter(({ state }) => state === 'WRITE_ONLY' || state === 'BUILDING')
      .flatMap(({ fields }) => fields),
  );
  return [...new Set(fieldsOf(filter))]
    .filter((field) => building.has(field))
    .map((field) => `The index of ${field} is being built; until then each record is looked at.`);
}

function explain(found: FoundPage, { budget }: Search): Readonly<Record<string, unknown>> {
  const { requests, rows, headers } = budget;
  return { plan: found.plan, requests, rows, headers };
}
