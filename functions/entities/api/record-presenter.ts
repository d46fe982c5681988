import { type CutPage, cutPage } from '../../../shared/http/paging.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { fieldsSeen } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import { readNames } from '../domain/query/list-query.ts';
import { toFlat } from '../domain/records/present.ts';
import type { ListFacts, ListOutcome } from '../queries/list-call.ts';
import type { ExpandedRecords } from '../records/expanded-records.ts';
import type { RecordReader } from '../records/record-reader.ts';

type Given = string | readonly string[] | undefined;

/** Fields and expansions that a caller requests. */
export interface Presentation {
  readonly fields?: Given;
  readonly expand?: Given;
}

export interface RecordPresenterDependencies {
  readonly reader: RecordReader;
  readonly expanded: ExpandedRecords;
  readonly access: EntityAccess;
}

/** Maps stored records to responses. */
export class RecordPresenter {
  readonly #deps: RecordPresenterDependencies;

  constructor(dependencies: RecordPresenterDependencies) {
    this.#deps = dependencies;
  }

  /** A page of records as the caller sees them; of its first ones where an answer has no room for what they refer to. */
  async page(
    model: EntityModel,
    { page, grant }: ListOutcome,
    presentation: Presentation,
    principal: Principal,
  ): Promise<CutPage<FlatRecord> & ListFacts> {
    const open = page.content.map((header) => this.#deps.reader.decrypted(model, header));
    const headers = await Promise.all(open);
    const content = await this.present(model, headers, presentation, grant, principal);
    const shown = { ...page, content };
    return content.length < headers.length ? cutPage(shown, content) : shown;
  }

  /**
   * Records with the requested and granted fields; references in `expand` become the referenced records,
   * if the caller may see them. These are the first records where an answer has no room for all of those.
   * @throws Problem `INVALID_PARAMETER` (400) for an unknown field or one that is not a reference
   */
  async present(
    model: EntityModel,
    headers: readonly RecordHeader[],
    { fields, expand }: Presentation,
    grant: RecordGrant,
    principal: Principal,
  ): Promise<FlatRecord[]> {
    const isKnown = (name: string): boolean =>
      model.field(name) !== undefined || model.queryField(name) !== undefined;
    const wanted = readNames('fields', fields, isKnown);
    const expanded = readNames(
      'expand',
      expand,
      (name) => model.field(name)?.reference !== undefined,
    );
    const seen = await this.#deps.access.seen(model, principal, grant);
    const flat = headers.map((header) => {
      const visible = fieldsSeen(model, header, seen);
      return toFlat(model, header, { visible, wanted: wanted && new Set(wanted) });
    });
    return (expanded ?? []).reduce(
      async (records, field) => this.#deps.expanded.expand(model, await records, field, principal),
      Promise.resolve(flat),
    );
  }
}
