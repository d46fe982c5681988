import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityAccess } from '../../access/entity-access.ts';
import { withinGrant } from '../../access/record-rules.ts';
import { grantOfTarget, viewedNow } from '../../access/view-grants.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import type { Filter } from '../../domain/query/filter.ts';
import { readFilter, readNames } from '../../domain/query/list-query.ts';
import type { Moment } from '../../domain/query/moments.ts';
import { isRelated, parseOrder, type SortKey } from '../../domain/query/order.ts';
import { relatedPath } from '../../domain/query/related.ts';
import type { RelatedRecords } from '../../queries/related-records.ts';

/** The query of an export's call. */
export type ExportParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an export holds: the records that were asked for, and of those what its caller may see. */
export interface ExportScope {
  readonly filter: Filter;
  /** Left out: oldest record first. */
  readonly order?: readonly SortKey[];
  /** Fields that the caller may see; all when there is no list. */
  readonly visible: readonly string[] | null;
  /** References that are shown as the records that they name. */
  readonly expanded?: readonly string[];
  /** Fingerprints of the grants by which that was judged. */
  readonly grantedBy?: string | readonly string[];
}

/** Parameters of an export that are no filters. */
const OWN = ['format', 'fields', 'q', 'filter', 'sort', 'expand'];

/** Decides by the current definitions and grants what a caller may export. */
export class ExportScopes {
  readonly #access: EntityAccess;
  readonly #catalog: EntityCatalog;
  readonly #related: RelatedRecords;

  constructor(dependencies: {
    readonly access: EntityAccess;
    readonly catalog: EntityCatalog;
    readonly related: RelatedRecords;
  }) {
    this.#access = dependencies.access;
    this.#catalog = dependencies.catalog;
    this.#related = dependencies.related;
  }

  /**
   * What a call may export.
   * @param moment when the call was made, for `today` and `now`
   * @throws Problem `INVALID_PARAMETER` (400), `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
   */
  async judged(
    model: EntityModel,
    parameters: ExportParameters,
    principal: Principal,
    moment: Moment,
  ): Promise<ExportScope> {
    const access = this.#access;
    const grant = await access.check(model, principal, 'view');
    const targets = new Set<string>();
    const asked = await this.#related.within(
      (find) =>
        readFilter(parameters, model, OWN, {
          moment,
          related: (test) => {
            targets.add(test.entity);
            return find(test);
          },
        }),
      principal,
    );
    const order = parameters.sort === undefined ? undefined : parseOrder(parameters.sort, model);
    for (const { field } of order?.filter(isRelated) ?? []) {
      targets.add(relatedPath('sort', field, model).entity);
    }
    const expanded = readNames('expand', parameters.expand, (name) => isReference(model, name));
    for (const name of expanded ?? []) targets.add(model.field(name)?.reference?.entity ?? '');
    const others = [...targets].filter((entity) => entity !== model.code).sort();
    const grants = others.map((entity) => grantOfTarget(this.#catalog, access, entity, principal));
    return {
      filter: withinGrant(model, asked, order ?? [], grant),
      ...(order && { order }),
      visible: grant.fields ? [...grant.fields] : null,
      ...(expanded && { expanded: expanded.filter((name) => grant.fields?.has(name) ?? true) }),
      grantedBy: [await viewedNow(access, model, principal), ...(await Promise.all(grants))],
    };
  }
}

const isReference = (model: EntityModel, name: string): boolean => {
  const field = model.field(name);
  return field?.reference !== undefined && !field.encrypted && !field.writeOnly;
};
