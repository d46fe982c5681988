import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { fieldsSeen, isGranted } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import { readNames } from '../domain/query/list-query.ts';
import { toFlat } from '../domain/records/present.ts';
import type { RecordReader } from '../records/record-reader.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

type Given = string | readonly string[] | undefined;

/** Fields and expansions that a caller requests. */
export interface Presentation {
  readonly fields?: Given;
  readonly expand?: Given;
}

export interface RecordPresenterDependencies {
  readonly reader: RecordReader;
  readonly repository: RecordRepository;
  readonly largeValues: LargeValueStore;
  readonly access: EntityAccess;
  readonly catalog: EntityCatalog;
}

/** Maps stored records to responses. */
export class RecordPresenter {
  readonly #deps: RecordPresenterDependencies;

  constructor(dependencies: RecordPresenterDependencies) {
    this.#deps = dependencies;
  }

  /** Records of a list with decrypted fields. */
  open(model: EntityModel, headers: readonly RecordHeader[]): Promise<RecordHeader[]> {
    return Promise.all(headers.map((header) => this.#deps.reader.decrypted(model, header)));
  }

  /**
   * Records with the requested and granted fields; references in `expand` become the referenced records,
   * if the caller may see them.
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
      async (records, field) => this.#expand(model, await records, field, principal),
      Promise.resolve(flat),
    );
  }

  async #expand(
    model: EntityModel,
    records: FlatRecord[],
    field: string,
    principal: Principal,
  ): Promise<FlatRecord[]> {
    const target = model.field(field)?.reference?.entity;
    const ids = [...new Set(records.flatMap((record) => idsOf(record[field])))];
    if (target === undefined || ids.length === 0) return records;
    const found = await this.#visible(target, ids, principal).catch(
      () => new Map<string, FlatRecord>(),
    );
    const replace = (value: unknown): unknown =>
      typeof value === 'string' ? (found.get(value) ?? value) : value;
    return records.map((record) => {
      const value = record[field];
      if (value === undefined) return record;
      return { ...record, [field]: Array.isArray(value) ? value.map(replace) : replace(value) };
    });
  }

  /** Records of an entity that the caller may see. */
  async #visible(
    entity: string,
    ids: readonly string[],
    principal: Principal,
  ): Promise<ReadonlyMap<string, FlatRecord>> {
    const { catalog, access, repository, largeValues } = this.#deps;
    return catalog.withEntity(entity, async (model) => {
      const grant = await access.check(model, principal, 'view');
      const found = new Map<string, FlatRecord>();
      for (let at = 0; at < ids.length; at += 100) {
        const headers = await repository.findHeaders(entity, ids.slice(at, at + 100), false);
        for (const header of await largeValues.completeAll(model, [...headers.values()])) {
          if (header.deletedAt !== undefined || !isGranted(model, header, grant)) continue;
          const open = await this.#deps.reader.decrypted(model, header);
          found.set(header.id, toFlat(model, open, { visible: grant.fields }));
        }
      }
      return found;
    });
  }
}

function idsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
}
