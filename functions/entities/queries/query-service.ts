import type { Clock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { common, isGranted, isNarrowed, withinGrant } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { allOf, everything, type Filter, fieldsOf, neededBy } from '../domain/query/filter.ts';
import { readListQuery, readNames } from '../domain/query/list-query.ts';
import { ownField, positionOf } from '../domain/query/order.ts';
import { refersTo } from '../domain/query/related.ts';
import type { Total } from '../domain/search/counts/counting.ts';
import type { FoundPage, PageSearch } from '../domain/search/page-collector.ts';
import type { Search } from '../domain/search/row-walk.ts';
import { checkWindow, findPage, findPageBefore, findPageFromEnd } from '../domain/search/run.ts';
import { isCounted } from '../domain/search/totals.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import { CountedRecords } from './counted-records.ts';
import type { CursorSeal } from './cursor-seal.ts';
import { checkTrash, identityOf, listDeleted } from './deleted-list.ts';
import { KeptPlaces } from './kept-places.ts';
import { begunPage, type Seal, toLinkedPage } from './linked-page.ts';
import type { ListCall, ListOutcome } from './list-call.ts';
import { type IsLeaving, type Referring, referringTo } from './references.ts';
import { RelatedRecords } from './related-records.ts';
import { Searches } from './searches.ts';
import { Totals } from './totals.ts';
import { wholePage } from './whole-page.ts';

export interface QueryServiceDependencies {
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
  readonly catalog: EntityCatalog;
  readonly cursorSeal: CursorSeal;
  readonly clock: Clock;
}

type LiveSearch = Pick<PageSearch, 'filter' | 'order' | 'looksAhead'> & {
  readonly seal: Seal | undefined;
  /** Which related records decide the order. */
  readonly seen: unknown;
};

/** Finds records by filter, words and order. */
export class QueryService {
  readonly #deps: QueryServiceDependencies;
  readonly #searches: Searches;
  readonly #totals: Totals;
  readonly #counted: CountedRecords;
  readonly #related: RelatedRecords;
  readonly #places: KeptPlaces;

  constructor(dependencies: QueryServiceDependencies) {
    this.#deps = dependencies;
    this.#searches = new Searches(dependencies);
    this.#places = new KeptPlaces(dependencies.clock);
    this.#totals = new Totals(this.#searches);
    this.#related = new RelatedRecords(dependencies, this.#searches);
    this.#counted = new CountedRecords(dependencies.access, this.#related, this.#searches);
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
    const { filter: asked, order: named } = await this.#related.within(
      (related) => readListQuery(call.parameters, model, { related, moment: access.moment() }),
      principal,
    );
    const filter = withinGrant(model, allOf([asked, referring(model, call)]), named, grant);
    const sealed = (plain: string): Promise<string> => cursorSeal.sealed(plain);
    if (isTrash) {
      checkTrash(call);
      const seal = isNarrowed(grant) ? sealed : undefined;
      const search = this.#searches.open(model, filter, { isConsistent: true });
      const page = await listDeleted({ filter, call, principal, seal }, search);
      return this.#whole(model, page, grant, { ...call, consistent: true });
    }
    const { consistent: isConsistent = false } = call;
    const fields = named.map(ownField);
    const search = this.#searches.open(model, filter, { isConsistent, fields });
    const ordered = this.#related.ordered(named, search, { isConsistent, principal });
    const { order, ...related } = await ordered;
    const isPartial = isNarrowed(grant) || related.isNarrowed;
    if (call.explain && isPartial) throw mustSeeEverything();
    const seal = isPartial ? sealed : undefined;
    const asksFor = { filter, order, looksAhead: isNarrowed(grant), seal, seen: related.seen };
    const found = await this.#listLive(asksFor, call, search, principal);
    const warnings = warningsOf(model, asked);
    const page = warnings.length > 0 ? { ...found, warnings } : found;
    return this.#whole(model, page, grant, call);
  }

  /**
   * What the caller sees of the records of a page, with the large values that are shown. Where these are what judges the
   * records, they are judged once more: they may have changed meanwhile.
   */
  async #whole(
    model: EntityModel,
    page: ListOutcome['page'],
    grant: RecordGrant,
    { parameters, consistent = false }: ListCall,
  ): Promise<ListOutcome> {
    const asked = readNames('fields', parameters.fields, () => true);
    const shown = common(asked && new Set(asked), grant.fields);
    const judging = neededBy(model, grant.filter, []);
    const isJudged = judging.values().some((field) => shown?.has(field) ?? true);
    const needed = shown && (isJudged ? judging.union(shown) : shown);
    const read = this.#deps.largeValues.inParts(model, page.content, needed, consistent);
    const isSeen = (record: RecordHeader): boolean => !isJudged || isGranted(model, record, grant);
    return {
      page: await wholePage(page, read, { shown, isSeen }),
      grant: { ...grant, filter: everything },
    };
  }

  async #listLive(
    asked: LiveSearch,
    call: ListCall,
    search: Search,
    principal: Principal,
  ): Promise<ListOutcome['page']> {
    const { filter, order, looksAhead, seal } = asked;
    const begun = begunPage(call, identityOf(search.model, call, principal), order);
    const { start, skip, size, identity } = begun;
    // Whoever follows a list knows the total of its first page.
    const mode = start && call.count !== 'exact' ? 'none' : call.count;
    const counted = isCounted(filter, search)
      ? await this.#totals.fromCounters(filter, search, mode)
      : undefined;
    if (!start) checkWindow(skip, counted?.value);
    const kept = this.#kept(asked, call, identity, search.model, start?.walk);
    const request = {
      ...{ filter, order, skip, size, position: start?.position, looksAhead },
      ...(kept && { kept }),
    };
    const found = start?.isBackward
      ? await findPageBefore(request, search)
      : await find(request, counted, search);
    const before = start ? undefined : skip;
    const total = counted ?? (await this.#totals.ofPage(filter, found, before, mode, search));
    const end = before === undefined ? undefined : before + size;
    const shown = isLast(found, end, total) ? { ...found, next: undefined } : found;
    const page = await toLinkedPage(shown, begun, { total, seal, walk: kept?.walk });
    return call.explain ? { ...page, explain: explain(found, search) } : page;
  }

  /** What earlier pages have found out. Nothing is kept for consistent reads and for lists that go on cheaply anyway. */
  #kept(
    { filter, order, seen }: LiveSearch,
    { consistent }: ListCall,
    identity: unknown,
    { definition }: EntityModel,
    walk: string | undefined,
  ) {
    const isPlain = filter.kind === 'all' && order.length === 1 && !order[0]?.places;
    if (consistent || isPlain) return undefined;
    return this.#places.of([identity, filter, seen, definition.version], walk);
  }

  /** Counts the records that meet the filters of a call. @throws Problem `INVALID_PARAMETER` (400) */
  count(...call: Parameters<CountedRecords['count']>): ReturnType<CountedRecords['count']> {
    return this.#counted.count(...call);
  }

  /** Counts records for each value of fields, most first. */
  facets(...call: Parameters<CountedRecords['facets']>): ReturnType<CountedRecords['facets']> {
    return this.#counted.facets(...call);
  }

  /**
   * Whether live records reference another one; strongly consistent.
   * @param model entity of the records that may refer to it, as it is now
   * @param isLeaving whether a record is about to be deleted as well
   */
  referringTo(
    model: EntityModel,
    field: string,
    id: string,
    isLeaving?: IsLeaving,
  ): Promise<Referring> {
    return referringTo(this.#searches, { model, field }, id, isLeaving);
  }

  /** Whether a caller may know that an entity has a field. */
  async knowsField(entity: string, field: string, principal: Principal): Promise<boolean> {
    const { access, catalog } = this.#deps;
    return catalog.withEntity(entity, async (model) => {
      const grant = await access.grantOf(model, principal, 'view');
      return grant !== undefined && (grant.fields?.has(field) ?? true);
    });
  }
}

/** The condition of a call for records that refer to another one. */
function referring(model: EntityModel, { within }: ListCall): Filter {
  const field = within && model.queryField(within.field);
  return field ? refersTo(field, [within.id]) : everything;
}

async function find(
  request: PageSearch,
  counted: Total | undefined,
  search: Search,
): Promise<FoundPage> {
  const { skip, size, position } = request;
  const isNearerToEnd = counted !== undefined && !position && skip > 0 && skip > counted.value / 2;
  if (!isNearerToEnd) return findPage(request, search);
  if (skip >= counted.value) {
    const placeOf = (record: RecordHeader) => positionOf(request.order, record, search.model);
    return { records: [], placeOf, isComplete: true, plan: 'beyond the end', isWhole: false };
  }
  return findPageFromEnd({ ...request, size }, counted.value, search);
}

/**
 * Whether a page that was asked for by its number ends where its total does. One that was cut by the limit of work leads on.
 * @param end number of records up to the end of the page
 */
const isLast = (found: FoundPage, end: number | undefined, total: Total | undefined): boolean =>
  found.isComplete && end !== undefined && total?.relation === 'eq' && end >= total.value;

/** Refuses `explain` to callers who do not see everything: figures about the work would tell of hidden records. */
const mustSeeEverything = (): Error =>
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
