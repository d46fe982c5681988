import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import type { Stretch } from '../../domain/search/long/stretches.ts';
import { columnsOf } from '../../domain/transfer/columns.ts';
import type { RecordWalk, WalkLimits } from '../../queries/record-walk.ts';
import type { RelatedRecords } from '../../queries/related-records.ts';
import type { ExpandedRecords } from '../../records/expanded-records.ts';
import { Expansion } from './expansion.ts';
import { ExportFile, type ExportRequest, exported } from './export-file.ts';

/** Opens what an export needs: the records to read and the file to write. */
export class ExportSource {
  readonly #walk: RecordWalk;
  readonly #related: RelatedRecords;
  readonly #expanded: ExpandedRecords;

  constructor(dependencies: {
    readonly walk: RecordWalk;
    readonly related: RelatedRecords;
    readonly expanded: ExpandedRecords;
  }) {
    this.#walk = dependencies.walk;
    this.#related = dependencies.related;
    this.#expanded = dependencies.expanded;
  }

  /** The records in their order. */
  records(
    model: EntityModel,
    request: Pick<ExportRequest, 'filter' | 'order' | 'fields' | 'visible'>,
    principal: Principal,
    limits: WalkLimits,
  ): AsyncGenerator<Stretch> {
    const { filter, order } = request;
    const walked = { model, filter, fields: columnsOf(model, exported(request)) };
    if (!order) return this.#walk.follow(walked, limits);
    const ordered = async (search: Parameters<RelatedRecords['ordered']>[1]) => {
      const found = await this.#related.ordered(order, search, { isConsistent: true, principal });
      return found.order;
    };
    return this.#walk.inOrder(walked, order, ordered, limits);
  }

  /** The file that they are written to. */
  async file(
    model: EntityModel,
    request: Omit<ExportRequest, 'filter'>,
    principal: Principal,
  ): Promise<ExportFile> {
    const { expanded = [] } = request;
    const expansion =
      expanded.length > 0
        ? await Expansion.open(model, expanded, this.#expanded, principal)
        : undefined;
    return new ExportFile(model, request, expansion);
  }
}
