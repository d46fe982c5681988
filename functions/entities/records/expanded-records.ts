import { MAX_RESPONSE_BYTES } from '../../../shared/http/answer-size.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { isGranted } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../domain/entity/record.ts';
import { neededBy } from '../domain/query/filter.ts';
import { largeBytes } from '../domain/records/large-values.ts';
import { toFlat } from '../domain/records/present.ts';
import { columnsOf, withColumns } from '../domain/transfer/columns.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';
import type { RecordReader } from './record-reader.ts';

export interface ExpandedRecordsDependencies {
  readonly reader: Pick<RecordReader, 'decrypted'>;
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly largeValues: Pick<LargeValueStore, 'inParts'>;
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

  /**
   * Records in the place of the ids in a field.
   * @returns the first records, as many as an answer may have room for. One that is too large for any by itself has ids
   *   in the place of what is beyond that.
   */
  async expand(
    model: EntityModel,
    records: readonly FlatRecord[],
    field: string,
    principal: Principal,
  ): Promise<FlatRecord[]> {
    const entity = model.field(field)?.reference?.entity;
    const ids = idsIn(records, field);
    if (entity === undefined || ids.length === 0) return [...records];
    const shown = await this.#shown(entity, ids, principal);
    return replaced(fitting(records, field, shown), field, shown.found);
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
      const found = new Map<string, FlatRecord>();
      for await (const { headers } of this.#inParts(model, ids, needed)) {
        for (const header of headers.filter((one) => isGranted(model, one, grant))) {
          found.set(header.id, withColumns(toFlat(model, header), columns));
        }
      }
      return found;
    });
  }

  /** Reads records in their order, until those that are shown are more than an answer holds. */
  #shown(entity: string, ids: readonly string[], principal: Principal): Promise<Shown> {
    const found = new Map<string, FlatRecord>();
    const sizes = new Map<string, number>();
    const unread = new Set<string>();
    const shown = { found, sizes, unread };
    return this.#within(entity, principal, shown, async (model, grant) => {
      let bytes = 0;
      for (const id of ids) unread.add(id);
      const needed = grant.fields && neededBy(model, grant.filter, [...grant.fields]);
      for await (const { headers, looked } of this.#inParts(model, ids, needed)) {
        for (const id of looked) unread.delete(id);
        for (const { flat, size } of await this.#flat(model, headers, grant)) {
          found.set(flat.id, flat);
          sizes.set(flat.id, size);
          bytes += size;
        }
        if (bytes > MAX_RESPONSE_BYTES) return shown;
      }
      return shown;
    });
  }

  /** Records as the caller sees them, and the bytes of large ones. */
  #flat(model: EntityModel, headers: readonly RecordHeader[], grant: RecordGrant) {
    const seen = headers.filter((header) => isGranted(model, header, grant));
    return Promise.all(
      seen.map(async (header) => {
        const open = await this.#deps.reader.decrypted(model, header);
        const flat = toFlat(model, open, { visible: grant.fields });
        return { flat, size: largeBytes(header, flat) };
      }),
    );
  }

  /** Live records in the order of their ids, and the ids of which that is known by then. */
  async *#inParts(model: EntityModel, all: readonly string[], fields?: ReadonlySet<string>) {
    const { repository, largeValues } = this.#deps;
    for (let at = 0; at < all.length; at += BATCH) {
      const ids = all.slice(at, at + BATCH);
      const page = await repository.findHeaders(model.code, ids, false);
      const live = [...page.values()].filter(({ deletedAt }) => deletedAt === undefined);
      for await (const headers of largeValues.inParts(model, live, fields)) {
        yield { headers, looked: headers.map(({ id }) => id) };
      }
      yield { headers: [], looked: ids };
    }
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

/** Records that others refer to. */
interface Shown {
  /** Those that the caller sees. */
  readonly found: ReadonlyMap<string, FlatRecord>;
  /** Bytes of large ones. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Ids of those that were not looked at. */
  readonly unread: ReadonlySet<string>;
}

/** The first records whose references an answer may have room for, at least one. */
function fitting(
  records: readonly FlatRecord[],
  field: string,
  { sizes, unread }: Shown,
): readonly FlatRecord[] {
  let bytes = 0;
  const end = records.findIndex((record, at) => {
    const ids = idsIn([record], field);
    for (const id of ids) bytes += sizes.get(id) ?? 0;
    return at > 0 && (bytes > MAX_RESPONSE_BYTES || ids.some((id) => unread.has(id)));
  });
  return end < 0 ? records : records.slice(0, end);
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
