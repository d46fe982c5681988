import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import type { FlatRecord } from '../../domain/entity/record.ts';
import { type ExpandedRecords, idsIn, replaced } from '../../records/expanded-records.ts';

/** A reference that a file shows as the records that it names. */
interface ExpandedField {
  readonly field: string;
  readonly entity: string;
  /** Columns of a spreadsheet: `customer.name`. A list has none. */
  readonly columns: readonly string[];
}

/** Most records that are kept in memory, because other records of the file probably refer to them, too. */
const MAX_KEPT = 200;

/** Shows what the records of a file refer to. */
export class Expansion {
  readonly #fields: readonly ExpandedField[];
  readonly #records: ExpandedRecords;
  readonly #principal: Principal;
  /** What was read, by entity and id; `undefined`: gone or hidden. */
  readonly #kept = new Map<string, FlatRecord | undefined>();

  private constructor(
    fields: readonly ExpandedField[],
    records: ExpandedRecords,
    principal: Principal,
  ) {
    this.#fields = fields;
    this.#records = records;
    this.#principal = principal;
  }

  /** @param fields references of the entity */
  static async open(
    model: EntityModel,
    fields: readonly string[],
    records: ExpandedRecords,
    principal: Principal,
  ): Promise<Expansion> {
    const opened = fields.flatMap((code) => {
      const { reference, fieldType } = model.field(code) ?? {};
      return reference
        ? [{ field: code, entity: reference.entity, isMany: fieldType === 'MULTI' }]
        : [];
    });
    const expanded = opened.map(async ({ field, entity, isMany }) => {
      const columns = isMany ? [] : await records.columns(entity, principal);
      return { field, entity, columns: columns.map((column) => `${field}.${column}`) };
    });
    return new Expansion(await Promise.all(expanded), records, principal);
  }

  /** Columns of a spreadsheet with those of the records behind each reference. */
  columns(own: readonly string[]): string[] {
    const more = new Map(this.#fields.map(({ field, columns }) => [field, columns]));
    return own.flatMap((column) => [column, ...(more.get(column) ?? [])]);
  }

  /** Records in the place of ids. */
  async records(given: readonly FlatRecord[]): Promise<readonly FlatRecord[]> {
    let records = given;
    for (const { field, entity } of this.#fields) {
      records = replaced(records, field, await this.#found(entity, idsIn(records, field)));
    }
    return records;
  }

  /** Records with the values behind references as further members: `customer.name`. */
  async cells(given: readonly FlatRecord[]): Promise<readonly FlatRecord[]> {
    const records = given.map((record): Record<string, unknown> => ({ ...record }));
    for (const { field, entity, columns } of this.#fields) {
      const found = columns.length > 0 ? await this.#found(entity, idsIn(given, field)) : new Map();
      for (const record of records) {
        const target: FlatRecord | undefined = found.get(String(record[field]));
        for (const column of columns) record[column] = target?.[column.slice(field.length + 1)];
      }
    }
    return records as unknown as FlatRecord[];
  }

  async #found(entity: string, ids: readonly string[]): Promise<ReadonlyMap<string, FlatRecord>> {
    const unread = ids.filter((id) => !this.#kept.has(`${entity}#${id}`));
    if (this.#kept.size + unread.length > MAX_KEPT) this.#kept.clear();
    const missing = ids.filter((id) => !this.#kept.has(`${entity}#${id}`));
    const read = await this.#records.forFile(entity, missing, this.#principal);
    for (const id of missing) this.#kept.set(`${entity}#${id}`, read.get(id));
    return new Map(
      ids.flatMap((id) => {
        const record = this.#kept.get(`${entity}#${id}`);
        return record ? [[id, record]] : [];
      }),
    );
  }
}
