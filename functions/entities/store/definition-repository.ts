import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { BatchWriter } from '../../../shared/store/batch-writer.ts';
import type { WriteGuard } from '../../../shared/store/commit-writes.ts';
import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { readAll } from '../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type {
  EntityDefinition,
  EntityHead,
  EntityLayout,
  IncomingReference,
} from '../domain/entity/entity.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';

/*
 * Access patterns
 *   definition with schema and fields  query  DYN_ENTITY_DEFINITION#<code> / DYN_FIELD_DEFINITION#<schemaVersion>#<field>, META, SCHEMA
 *   has it changed                     get    DYN_ENTITY_DEFINITION#<code> / META
 *   all definitions                    query  DYN_ENTITY_DEFINITION / <code>
 *   who has this code or apiPath       get    DYN_UNIQUE#!path#<code or apiPath> / U
 *   who refers to a purged entity      get    DYN_ENTITY_DEFINITION#<code> / INCOMING
 *   schema history, newest first       query  DYN_ENTITY_DEFINITION#<code>#VERSIONS / v#<6 digits>, reverse
 */
const LIST_PARTITION = 'DYN_ENTITY_DEFINITION';
const partition = (code: string): string => `${LIST_PARTITION}#${code}`;
const headKey = (code: string): Key => ({ pk: partition(code), sk: 'META' });
const incomingKey = (code: string): Key => ({ pk: partition(code), sk: 'INCOMING' });
const schemaKey = (code: string): Key => ({ pk: partition(code), sk: 'SCHEMA' });
const padded = (version: number): string => String(version).padStart(6, '0');
const fieldPrefix = (version: number): string => `DYN_FIELD_DEFINITION#${padded(version)}#`;
const nameKey = (name: string): Key => ({ pk: `DYN_UNIQUE#!path#${name}`, sk: 'U' });
const versionsPartition = (code: string): string => `${partition(code)}#VERSIONS`;
const versionKey = (code: string, version: number): Key => ({
  pk: versionsPartition(code),
  sk: `v#${padded(version)}`,
});

/** Schema versions that are kept. */
const KEPT_VERSIONS = 50;

const PARALLEL = 8;

/** What a list shows of a definition. */
export type DefinitionSummary = Omit<
  EntityHead,
  'indexes' | 'uniques' | 'incoming' | 'options' | 'life'
>;

/** An earlier form schema of an entity. */
export interface SchemaVersion {
  readonly schemaVersion: number;
  readonly schemaText: string;
  readonly at: string;
  readonly by: string;
}

type HeadItem = Item & { readonly head: EntityHead; readonly layout: EntityLayout };
type SchemaItem = Item & { readonly text: string };
type FieldItem = Item & { readonly field: FieldDefinition };
/** Entries that were written earlier say nothing about retention. */
type ListItem = Item & { readonly retentionDays?: number };
type IncomingItem = Item & { readonly incoming: readonly IncomingReference[] };
type SummaryItem = Item & { readonly summary: DefinitionSummary };

/** Stored entity definitions, their fields and their history. */
export class DefinitionRepository {
  readonly #table: Table;
  readonly #batchWrite: BatchWriter;

  constructor({ table, batchWrite }: { table: Table; batchWrite: BatchWriter }) {
    this.#table = table;
    this.#batchWrite = batchWrite;
  }

  /** A definition as it is stored now; also a deleted one. */
  async find(code: string): Promise<EntityDefinition | undefined> {
    const items = await readAll<Item>(this.#table, { partition: partition(code) });
    const head = items.find(({ sk }) => sk === 'META') as HeadItem | undefined;
    const schema = items.find(({ sk }) => sk === 'SCHEMA') as SchemaItem | undefined;
    if (!head || !schema) return undefined;
    const prefix = fieldPrefix(head.head.schemaVersion);
    const fields = (items as FieldItem[])
      .filter(({ sk }) => sk.startsWith(prefix))
      .map(({ field }) => field)
      .sort((one, other) => one.order - other.order);
    return { ...head.head, layout: head.layout, schemaText: schema.text, fields };
  }

  async findHead(code: string): Promise<EntityHead | undefined> {
    return (await this.#table.get<HeadItem>(headKey(code)))?.head;
  }

  /** The key of the part that says whether a definition changed, to be read together with records. */
  headKey(code: string): Key {
    return headKey(code);
  }

  headOf(item: Item | undefined): EntityHead | undefined {
    return (item as HeadItem | undefined)?.head;
  }

  /** The code of the entity that has this code or apiPath. */
  async codeOf(name: string): Promise<string | undefined> {
    return (await this.#table.get<Item & { code: string }>(nameKey(name)))?.code;
  }

  /** All definitions in the order of their codes, deleted ones too. */
  async list(): Promise<readonly DefinitionSummary[]> {
    return (await readAll<SummaryItem>(this.#table, { partition: LIST_PARTITION })).map(
      ({ summary }) => summary,
    );
  }

  /** Entities whose deleted records expire, and after how many days. */
  async retentions(): Promise<readonly { readonly code: string; readonly days: number }[]> {
    const items = await readAll<ListItem>(this.#table, { partition: LIST_PARTITION });
    const all = await mapLimited(items, PARALLEL, async ({ sk: code, retentionDays }) => ({
      code,
      days: retentionDays ?? (await this.findHead(code))?.options.trashRetentionDays ?? 0,
    }));
    return all.filter(({ days }) => days > 0);
  }

  /** Writes the fields of a schema version; they are invisible until the version is committed. */
  async writeFields(code: string, { schemaVersion, fields }: EntityDefinition): Promise<void> {
    const puts = fields.map((field) => ({
      pk: partition(code),
      sk: fieldPrefix(schemaVersion) + field.code,
      type: 'DYN_FIELD_DEFINITION',
      field,
    }));
    await this.#batchWrite({ puts });
  }

  /** Deletes the fields of schema versions that are no longer in force. */
  async deleteOldFields(code: string, schemaVersion: number): Promise<void> {
    const current = fieldPrefix(schemaVersion);
    const items = await readAll<Item>(this.#table, { partition: partition(code) });
    const deletes = items.filter(({ sk, type }) => type === 'DYN_FIELD_DEFINITION' && sk < current);
    await this.#batchWrite({ deletes });
  }

  /** Stages a new state of a definition; `previousVersion` is 0 for a new one. */
  stage(
    unit: UnitOfWork,
    definition: EntityDefinition,
    previousVersion: number,
    otherwise: NonNullable<WriteGuard['otherwise']> = 'retry',
  ): void {
    const { schemaText: _text, fields: _fields, layout, ...head } = definition;
    unit.put(
      {
        ...headKey(head.code),
        type: 'DYN_ENTITY_DEFINITION',
        version: head.version,
        createdAt: head.createdAt,
        updatedAt: head.updatedAt,
        head,
        layout,
      },
      { condition: versionIs(previousVersion), otherwise },
    );
    const { indexes, uniques, incoming, options, life, ...summary } = head;
    unit.put({
      pk: LIST_PARTITION,
      sk: head.code,
      type: 'DYN_ENTITY_DEFINITION',
      summary,
      retentionDays: options.trashRetentionDays ?? 0,
    });
  }

  stageSchema(unit: UnitOfWork, definition: EntityDefinition): void {
    const { code, schemaText, schemaVersion, updatedAt: at, updatedBy: by } = definition;
    unit.put({ ...schemaKey(code), type: 'DYN_ENTITY_DEFINITION', text: schemaText });
    const entry: SchemaVersion = { schemaVersion, schemaText, at, by };
    unit.put({ ...versionKey(code, schemaVersion), type: 'DYN_ENTITY_DEFINITION', ...entry });
    if (schemaVersion > KEPT_VERSIONS) unit.delete(versionKey(code, schemaVersion - KEPT_VERSIONS));
  }

  stageName(unit: UnitOfWork, name: string, code: string, otherwise: () => Error): void {
    const item = { ...nameKey(name), type: 'DYN_ENTITY_DEFINITION', code };
    unit.put(item, { condition: notExists, otherwise });
  }

  stageNameFree(unit: UnitOfWork, name: string): void {
    unit.delete(nameKey(name));
  }

  /** Schema versions, newest first. */
  async versions(code: string): Promise<readonly SchemaVersion[]> {
    return readAll<Item & SchemaVersion>(this.#table, {
      partition: versionsPartition(code),
      reverse: true,
    });
  }

  async findVersion(code: string, version: number): Promise<SchemaVersion | undefined> {
    return this.#table.get<Item & SchemaVersion>(versionKey(code, version));
  }

  /** References to an entity that was purged, which its successor has from the beginning. */
  async findLeftIncoming(code: string): Promise<readonly IncomingReference[]> {
    return (await this.#table.get<IncomingItem>(incomingKey(code)))?.incoming ?? [];
  }

  stageNoLeftIncoming(unit: UnitOfWork, code: string): void {
    unit.delete(incomingKey(code));
  }

  /** Deletes the fields and the history of the schema of an entity that is purged. */
  async deleteParts(code: string): Promise<void> {
    const items = await readAll<Item>(this.#table, { partition: partition(code) });
    const fields = items.filter(({ type }) => type === 'DYN_FIELD_DEFINITION');
    const versions = await readAll<Item>(this.#table, { partition: versionsPartition(code) });
    await this.#batchWrite({ deletes: [...fields, ...versions] });
  }

  /**
   * Stages the end of a definition, which releases its code and path. What other entities declare stays: their
   * references to it.
   */
  stageGone(unit: UnitOfWork, { code, apiPath, incoming, version }: EntityDefinition): void {
    const others = incoming.filter(({ entity }) => entity !== code);
    unit.delete(headKey(code), { condition: versionIs(version), otherwise: 'retry' });
    unit.delete(schemaKey(code));
    unit.delete({ pk: LIST_PARTITION, sk: code });
    for (const name of new Set([code, apiPath])) unit.delete(nameKey(name));
    if (others.length === 0) return;
    unit.put({ ...incomingKey(code), type: 'DYN_ENTITY_DEFINITION', incoming: others });
  }
}
