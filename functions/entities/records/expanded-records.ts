import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import { toFlat } from '../domain/records/present.ts';
import { columnsOf, withColumns } from '../domain/transfer/columns.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { RecordReader } from './record-reader.ts';

export interface ExpandedRecordsDependencies {
  readonly reader: Pick<RecordReader, 'decrypted'>;
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly largeValues: Pick<LargeValueStore, 'completeAll'>;
  readonly access: EntityAccess;
  readonly catalog: EntityCatalog;
}

const BATCH = 100;
/** Problems that mean that the caller sees none of the records. */
const HIDDEN: ReadonlySet<string> = new Set(['ENTITY_NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED']);

/** Reads the records that others refer to, as far as a caller sees them. */
export class ExpandedRecords {
  readonly #deps: ExpandedRecordsDependencies;

  constructor(dependencies: ExpandedRecordsDependencies) {
    this.#deps = dependencies;
  }

  /** Records in the place of the ids in a field. */
  async expand(
    model: EntityModel,
    records: readonly FlatRecord[],
    field: string,
    principal: Principal,
  ): Promise<FlatRecord[]> {
    const entity = model.field(field)?.reference?.entity;
    const ids = idsIn(records, field);
    if (entity === undefined || ids.length === 0) return [...records];
    return replaced(records, field, await this.#shown(entity, ids, principal));
  }

  /** Columns of a file for the records that a field refers to. */
  columns(entity: string, principal: Principal): Promise<readonly string[]> {
    return this.#within(entity, principal, [], async (model, { fields }) =>
      columnsOf(model, fields && [...fields]),
    );
  }

  /** Records as files hold them: without encrypted fields, and without values above 4 KB. */
  async forFile(
    entity: string,
    ids: readonly string[],
    principal: Principal,
  ): Promise<ReadonlyMap<string, FlatRecord>> {
    const none = new Map<string, FlatRecord>();
    return this.#within(entity, principal, none, async (model, grant) => {
      const columns = columnsOf(model, grant.fields && [...grant.fields]);
      const needed = neededBy(model, grant.filter, []);
      const found = await this.#read(model, ids, async (headers) => {
        const current = await this.#deps.largeValues.completeAll(model, headers, needed);
        return current.filter((header) => isGranted(model, header, grant));
      });
      return new Map(
        found.map((header) => [header.id, withColumns(toFlat(model, header), columns)]),
      );
    });
  }

  #shown(
    entity: string,
    ids: readonly string[],
    principal: Principal,
  ): Promise<ReadonlyMap<string, FlatRecord>> {
    const { largeValues, reader } = this.#deps;
    const none = new Map<string, FlatRecord>();
    return this.#within(entity, principal, none, async (model, grant) => {
      const found = await this.#read(model, ids, async (headers) => {
        const whole = await largeValues.completeAll(model, headers);
        const seen = whole.filter((header) => isGranted(model, header, grant));
        return Promise.all(seen.map((header) => reader.decrypted(model, header)));
      });
      return new Map(
        found.map((header) => [header.id, toFlat(model, header, { visible: grant.fields })]),
      );
    });
  }

  async #read(
    { code }: EntityModel,
    ids: readonly string[],
    some: (headers: readonly RecordHeader[]) => Promise<readonly RecordHeader[]>,
  ): Promise<RecordHeader[]> {
    const found: RecordHeader[] = [];
    for (let at = 0; at < ids.length; at += BATCH) {
      const page = await this.#deps.repository.findHeaders(code, ids.slice(at, at + BATCH), false);
      const live = [...page.values()].filter(({ deletedAt }) => deletedAt === undefined);
      found.push(...(await some(live)));
    }
    return found;
  }

  /** Runs work with an entity and the caller's grant. @param hidden the result when the caller may see nothing of it */
  async #within<T>(
    entity: string,
    principal: Principal,
    hidden: T,
    work: (model: EntityModel, grant: RecordGrant) => Promise<T>,
  ): Promise<T> {
    const { catalog, access } = this.#deps;
    try {
      return await catalog.withEntity(entity, async (model) => {
        const grant = await access.check(model, principal, 'view');
        return work(model, grant);
      });
    } catch (error) {
      if (error instanceof Problem && HIDDEN.has(error.code)) return hidden;
      throw error;
    }
  }
}

/** The ids in a field of records, each once. */
export const idsIn = (records: readonly FlatRecord[], field: string): string[] => [
  ...new Set(
    records.flatMap((record) => {
      const value = record[field];
      return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
    }),
  ),
];

/** Records with what was found in the place of ids. */
export function replaced(
  records: readonly FlatRecord[],
  field: string,
  found: ReadonlyMap<string, FlatRecord>,
): FlatRecord[] {
  const replace = (value: unknown): unknown =>
    typeof value === 'string' ? (found.get(value) ?? value) : value;
  return records.map((record) => {
    const value = record[field];
    if (value === undefined) return record;
    return { ...record, [field]: Array.isArray(value) ? value.map(replace) : replace(value) };
  });
}
