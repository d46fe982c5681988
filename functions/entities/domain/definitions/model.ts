import { once } from '../../../../shared/primitives/once.ts';
import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import type { EntityDefinition } from '../entity/entity.ts';
import type { FieldDefinition, IndexDefinition, UniqueConstraint } from '../entity/field.ts';
import type { ConversionStep, EntityLife, GoneField } from '../entity/life.ts';
import type { RecordHeader } from '../entity/record.ts';
import { toDataSchema } from '../schema/flatten.ts';
import { type FormDocument, readDocument } from '../schema/read-document.ts';
import type { RecordValidator } from '../schema/validator.ts';
import { type Codec, codecOf } from '../values/codecs.ts';
import { lifeOf } from './generations.ts';

const validation = () => import('../schema/validator.ts');

/** One indexed value of a record. */
export interface Entry {
  /** The sort key of the value. */
  readonly key: string;
  readonly value: unknown;
}

/** A record, or the values of one that is not stored yet. */
type Readable = Pick<RecordHeader, 'values'> & Partial<RecordHeader>;

/** A field that filters and orders may name: of the schema, or one that every record has. */
export interface QueryField {
  readonly code: string;
  readonly codec: Codec;
  readonly isMany: boolean;
  readonly sortable: boolean;
  /** The values of a record; none when it has no value. */
  entries(header: Readable): readonly Entry[];
}

/** A compiled definition: fields by code, indexes to write and to read, the validator. */
export class EntityModel {
  readonly definition: EntityDefinition;
  readonly life: EntityLife;
  readonly #fields: ReadonlyMap<string, FieldDefinition>;
  readonly #queryFields: ReadonlyMap<string, QueryField>;
  /** Codes of encrypted and `writeOnly` fields that are gone: records still have their values. */
  readonly #pastSecrets: ReadonlySet<string>;
  #document: FormDocument | undefined;
  /** Reading needs no validator: it is loaded and compiled for the first record that is written. */
  readonly #validator = once(() => this.#compile());

  constructor(definition: EntityDefinition) {
    this.definition = definition;
    this.life = lifeOf(definition);
    this.#pastSecrets = new Set((this.life.gone ?? []).filter(isSecret).map(({ code }) => code));
    this.#fields = new Map(definition.fields.map((field) => [field.code, field]));
    this.#queryFields = new Map(
      [
        ...definition.fields.filter(({ searchable }) => searchable).map(schemaField),
        ...systemFields(definition),
      ].map((field) => [field.code, field]),
    );
  }

  get code(): string {
    return this.definition.code;
  }

  get document(): FormDocument {
    this.#document ??= readDocument(this.definition.schemaText);
    return this.#document;
  }

  /** What breaks the schema; fills in defaults of missing fields. */
  async validate(values: Record<string, unknown>): Promise<readonly ProblemItem[]> {
    const check = await this.#validator();
    return check(values);
  }

  /** Unknown fields are rejected earlier, so the schema does not check for them. */
  async #compile(): Promise<RecordValidator> {
    const { compileValidator } = await validation();
    const { schema, dialect } = this.document;
    const { additionalProperties: _open, ...data } = toDataSchema(schema);
    return compileValidator(data, dialect);
  }

  field(code: string): FieldDefinition | undefined {
    return this.#fields.get(code);
  }

  /** Whether records may have a member that is no field: the names of secret fields that are gone stay theirs. */
  isMember(code: string): boolean {
    const isFree = !this.#fields.has(code) && !this.#pastSecrets.has(code);
    return this.definition.layout.openEnded && isFree;
  }

  /** The field that has a code, and those that had it before they were renamed: its values in a history may be theirs. */
  fieldsEverNamed(code: string): readonly FieldDefinition[] {
    return this.definition.fields.filter(
      (field) => field.code === code || field.formerCodes?.includes(code),
    );
  }

  queryField(code: string): QueryField | undefined {
    return this.#queryFields.get(code);
  }

  /** Indexes that a write maintains. */
  get writtenIndexes(): readonly IndexDefinition[] {
    return this.definition.indexes.filter(({ state }) => state !== 'DROPPING');
  }

  /** Constraints that a write holds. */
  get uniques(): readonly UniqueConstraint[] {
    return this.definition.uniques.filter(({ state }) => state !== 'DROPPING');
  }

  /** Constraints whose values records release with their next write. */
  get droppedUniques(): readonly UniqueConstraint[] {
    return this.definition.uniques.filter(({ state }) => state === 'DROPPING');
  }

  /** Number of the last change of what records carry; stored with each record that is written. */
  get generation(): number {
    return this.life.generation;
  }

  /** Whether the counters of a field know every record. */
  isCounted(code: string): boolean {
    const { counters, filled } = this.life;
    const counter = counters[code];
    const isComplete = counter !== undefined && counter.since <= filled;
    return isComplete && (this.definition.life !== undefined || !!this.readyIndex([code]));
  }

  /** Whether a range of `createdAt` finds every record: by the ids, and by the list of those whose ids do not tell the time. */
  get isDated(): boolean {
    const { untimedSince, filled } = this.life;
    return untimedSince !== undefined && untimedSince <= filled;
  }

  /** The index over exactly these fields that queries may use. */
  readyIndex(fields: readonly string[], kind: IndexDefinition['kind'] = 'field') {
    return this.definition.indexes.find(
      (index) =>
        index.state === 'READY' &&
        index.kind === kind &&
        index.fields.length === fields.length &&
        index.fields.every((field, at) => field === fields[at]),
    );
  }

  /** The indexes over several fields that queries may use. */
  get readyComposites(): readonly IndexDefinition[] {
    return this.definition.indexes.filter(
      ({ kind, state }) => kind === 'composite' && state === 'READY',
    );
  }

  /** Fields that `q` searches. */
  get wordFields(): readonly string[] {
    return this.definition.fields
      .filter(({ searchMode }) => searchMode === 'word')
      .map(({ code }) => code);
  }
}

const isSecret = ({ encrypted, writeOnly = false }: GoneField): boolean => encrypted || writeOnly;

function schemaField(field: FieldDefinition): QueryField {
  const codec = codecOf(field);
  const isMany = field.fieldType === 'MULTI';
  return {
    code: field.code,
    codec,
    isMany,
    sortable: field.sortable,
    entries: ({ values }) => {
      const value = values[field.code];
      const all: readonly unknown[] = isMany && Array.isArray(value) ? value : [value];
      return all.flatMap((one) => entryOf(codec, one));
    },
  };
}

function entryOf(codec: Codec, value: unknown): Entry[] {
  const key = codec.encode(value);
  return key === undefined ? [] : [{ key, value }];
}

function systemFields({ hierarchical }: EntityDefinition): QueryField[] {
  const one = (
    code: string,
    codec: Codec,
    read: (header: Readable) => unknown,
    sortable = false,
  ): QueryField => ({
    code,
    codec,
    isMany: false,
    sortable,
    entries: (header) => entryOf(codec, read(header)),
  });
  const instant = codecOf({ fieldType: 'DATETIME' });
  const id = codecOf({ fieldType: 'REFERENCE' });
  const name = codecOf({ fieldType: 'UUID' });
  return [
    one('id', id, ({ id }) => id, true),
    one('createdAt', instant, ({ createdAt }) => createdAt, true),
    one('updatedAt', instant, ({ updatedAt }) => updatedAt, true),
    one('createdBy', name, ({ createdBy }) => createdBy, true),
    one('updatedBy', name, ({ updatedBy }) => updatedBy, true),
    one('version', codecOf({ fieldType: 'INTEGER' }), ({ version }) => version),
    ...(hierarchical ? [one('parentId', id, ({ parentId }) => parentId)] : []),
  ];
}

/** A record with the values that its definition reads in it: renamed, of a wider type, with defaults. */
export function converted({ life }: EntityModel, header: RecordHeader): RecordHeader {
  const steps = life.steps.filter(({ generation }) => generation > header.generation);
  if (steps.length === 0) return header;
  const sealed = new Set(header.sealed);
  const values: Record<string, unknown> = { ...header.values };
  for (const { renamed, defaults, retyped } of steps) {
    for (const { from, to } of renamed) {
      if (move(values, from, to) && sealed.delete(from)) sealed.add(to);
    }
    for (const [code, value] of Object.entries(defaults)) values[code] ??= value;
    for (const type of retyped.filter(({ code }) => code in values && !sealed.has(code))) {
      values[type.code] = widen(type, values[type.code]);
    }
  }
  return { ...header, values, ...(header.sealed && { sealed: [...sealed] }) };
}

/** Moves a value to another code, unless that has one. @returns whether it was moved */
function move(values: Record<string, unknown>, from: string, to: string): boolean {
  if (to in values || !Object.hasOwn(values, from)) return false;
  values[to] = values[from];
  delete values[from];
  return true;
}

/** The value of a field that was stored as a cipher text, in the type that its field has now. */
export function widened({ life }: EntityModel, code: string, value: unknown, generation: number) {
  const types: ConversionStep['retyped'][number][] = [];
  let name = code;
  for (const step of life.steps.toReversed()) {
    if (step.generation <= generation) break;
    types.unshift(...step.retyped.filter((type) => type.code === name));
    name = step.renamed.find(({ to }) => to === name)?.from ?? name;
  }
  return types.reduce((current, type) => widen(type, current), value);
}

/** Converts a stored value to the wider type that its field has now. */
function widen(
  { fieldType, dataType }: Pick<FieldDefinition, 'fieldType' | 'dataType'>,
  value: unknown,
): unknown {
  if (fieldType === 'MULTI') return Array.isArray(value) ? value : [value];
  if (dataType === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    return String(value);
  }
  if (fieldType === 'DATETIME' && typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) {
    return `${value}T00:00:00Z`;
  }
  return value;
}
