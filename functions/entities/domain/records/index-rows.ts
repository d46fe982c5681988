import { createHash } from 'node:crypto';
import { claimsName, hasClaims, hasRows, totalNames } from '../definitions/generations.ts';
import type { EntityModel, Entry } from '../definitions/model.ts';
import type { EntityDefinition } from '../entity/entity.ts';
import type { IndexDefinition, UniqueConstraint } from '../entity/field.ts';
import type { RecordHeader } from '../entity/record.ts';
import { codecOf } from '../values/codecs.ts';
import { compareKeys, fold, foldCase, MAX_KEY_BYTES, wordsOf } from '../values/folding.ts';
import { timeOfId } from '../values/ids.ts';

/** Separator of key and record id; sorts below every character of a key. */
export const ID_SEPARATOR = '\u001f';
/** Separates the parts of a composite key. */
export const PART_SEPARATOR = '\u001e';
/** Key of a missing value; sorts before every value. */
export const NO_VALUE = '0';
const VALUE = '1';
/** Index that lists every live record by its id. */
export const ID_INDEX = '_id';
/** Index that lists the records whose ids do not tell when they were made, by that instant. */
export const UNTIMED_INDEX = '~c';

/** Names of all indexes of an entity. */
export const indexNames = ({ indexes }: Pick<EntityDefinition, 'indexes'>): string[] => [
  ID_INDEX,
  UNTIMED_INDEX,
  ...indexes.map(({ name }) => name),
];

/** An index row: queries scan rows before they read records. */
export interface IndexRow {
  readonly index: string;
  /** Sort key without the id. */
  readonly key: string;
  /** The exact text when the key is folded or cut; `false` when the record must be read to compare. */
  readonly text?: string | false;
}

/** Key of a value in an index. */
export const valueKey = (encoded: string): string => `${VALUE}${encoded}`;

/** The sort key of a row. */
export function rowSortKey(row: Pick<IndexRow, 'index' | 'key'>, id: string): string {
  return row.index === ID_INDEX ? id : `${row.key}${ID_SEPARATOR}${id}`;
}

/** The rows that a live record has by the generation that wrote it; none for a deleted one. */
export function indexRows(model: EntityModel, header: RecordHeader): IndexRow[] {
  if (header.deletedAt !== undefined) return [];
  const rows = model.writtenIndexes
    .filter((index) => hasRows(index, header.generation))
    .flatMap((index) => rowsOf(model, index, header));
  return [...listingRows(model, header), ...rows];
}

/** How far the time of an id may be from that of its record. */
export const ID_TOLERANCE_MS = 100;

/** The row that lists a record by its id, and by when it was made if the id does not tell that. */
function listingRows(
  { life }: EntityModel,
  { id, createdAt, generation }: RecordHeader,
): IndexRow[] {
  const { untimedSince = Number.POSITIVE_INFINITY } = life;
  const made = timeOfId(id);
  const isTimed = made !== undefined && Math.abs(made - Date.parse(createdAt)) <= ID_TOLERANCE_MS;
  if (isTimed || generation < untimedSince) return [{ index: ID_INDEX, key: '' }];
  return [
    { index: ID_INDEX, key: '', text: false },
    { index: UNTIMED_INDEX, key: valueKey(createdAt) },
  ];
}

/** The rows of a record in one index. */
function rowsOf(model: EntityModel, index: IndexDefinition, header: RecordHeader): IndexRow[] {
  const { name } = index;
  if (index.kind === 'words') {
    return recordWords(index.fields, header).map((key) => ({ index: name, key }));
  }
  const perField = index.fields.map((code) => {
    const field = model.queryField(code);
    return { entries: field?.entries(header) ?? [], isExact: field?.codec.isExact ?? true };
  });
  const [only, ...more] = perField;
  if (only && more.length === 0) {
    if (only.entries.length === 0) return [{ index: name, key: NO_VALUE }];
    const distinct = new Map(only.entries.map((entry) => [entry.key, entry]));
    return [...distinct.values()].map((entry) => ({
      index: name,
      key: valueKey(entry.key),
      ...(only.isExact ? {} : textOf(entry, distinct.size < only.entries.length)),
    }));
  }
  return [{ index: name, key: compositeKey(perField.map(({ entries: [entry] }) => entry)) }];
}

const compositeKey = (entries: readonly (Entry | undefined)[]): string =>
  entries.map((entry) => (entry ? valueKey(entry.key) : NO_VALUE)).join(PART_SEPARATOR);

/** Longest key of a row in bytes: a sort key has 1 024, and 37 of them are the separator and the id. */
export const MAX_ROW_KEY_BYTES = 1_024 - 37;

/** An index over several fields whose values are too long for one key. */
export interface OverlongKey {
  readonly fields: readonly string[];
  readonly bytes: number;
}

/** Indexes over several fields that cannot hold the values of a record. */
export function overlongKeys(
  model: EntityModel,
  header: Pick<RecordHeader, 'values'>,
): OverlongKey[] {
  return model.writtenIndexes.flatMap(({ kind, fields }) => {
    if (kind !== 'composite') return [];
    const entries = fields.map((code) => model.queryField(code)?.entries(header)[0]);
    const bytes = Buffer.byteLength(compositeKey(entries));
    return bytes > MAX_ROW_KEY_BYTES ? [{ fields, bytes }] : [];
  });
}

function textOf({ key, value }: Entry, isShared: boolean): Pick<IndexRow, 'text'> {
  const text = String(value);
  if (text === key && !isShared) return {};
  const fits = !isShared && text.isWellFormed() && Buffer.byteLength(text) <= MAX_KEY_BYTES;
  return { text: fits ? text : false };
}

/** The words of a record that `q` finds. */
export function recordWords(
  fields: readonly string[],
  { values }: Pick<RecordHeader, 'values'>,
): string[] {
  const texts = fields.flatMap((code) => {
    const value = values[code];
    return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
  });
  return wordsOf(texts).sort(compareKeys);
}

/** Unique identity of a row within a record. */
export const identityOf = ({ index, key }: Pick<IndexRow, 'index' | 'key'>): string =>
  `${index}\n${key}`;

/** Rows to put and rows to delete when a record changes. */
export function diffRows(
  before: readonly IndexRow[],
  after: readonly IndexRow[],
): { readonly added: IndexRow[]; readonly removed: IndexRow[] } {
  const past = new Map(before.map((row) => [identityOf(row), row]));
  const present = new Set(after.map(identityOf));
  return {
    added: after.filter((row) => {
      const known = past.get(identityOf(row));
      return !known || known.text !== row.text;
    }),
    removed: before.filter((row) => !present.has(identityOf(row))),
  };
}

/** Claim on a unique value. */
export interface UniqueClaim {
  /** Name under which the values of the constraint are claimed. */
  readonly name: string;
  readonly fields: readonly string[];
  readonly key: string;
}

const MAX_CLAIM_BYTES = 1_024;

/** The claims of a live record by the generation that wrote it, but for those that another record holds. */
export function uniqueClaims(model: EntityModel, header: RecordHeader): UniqueClaim[] {
  return wantedClaims(model, header).filter(({ name }) => !header.unclaimed?.includes(name));
}

/** What a live record would claim; a constraint with a missing value claims nothing. */
export function wantedClaims(model: EntityModel, header: RecordHeader): UniqueClaim[] {
  if (header.deletedAt !== undefined) return [];
  return model.uniques
    .filter((unique) => hasClaims(unique, header.generation))
    .flatMap((unique) => {
      const parts = unique.fields.map((code) => {
        const field = model.queryField(code);
        const [entry] = field?.entries(header) ?? [];
        if (!field || !entry) return undefined;
        return claimPart(model, code, { ...entry, isExact: field.codec.isExact });
      });
      return claimOf(unique, parts);
    });
}

/** The claims that a record still holds of constraints that were dropped: by the values that it was stored with. */
export function droppedClaims(model: EntityModel, header: RecordHeader): UniqueClaim[] {
  if (header.deletedAt !== undefined) return [];
  const { values } = header.stored ?? header;
  return model.droppedUniques
    .filter((unique) => hasClaims(unique, header.generation))
    .flatMap((unique) => {
      const parts = unique.fields.map((code, at) => {
        const { accents = false, ...type } = unique.types?.[at] ?? { fieldType: 'JSON' };
        const { encode, isExact } = codecOf(type);
        const value: unknown = Array.isArray(values[code]) ? values[code][0] : values[code];
        const key = encode(value);
        return key === undefined ? undefined : partOf({ key, value, isExact }, accents);
      });
      return claimOf(unique, parts);
    })
    .filter(({ name }) => !header.unclaimed?.includes(name));
}

function claimOf(unique: UniqueConstraint, parts: readonly (string | undefined)[]): UniqueClaim[] {
  if (parts.includes(undefined)) return [];
  const key = claimKey(parts as string[]);
  return [{ name: claimsName(unique), fields: unique.fields, key }];
}

/** The part of a claim's key that stands for the value of one field. */
export function claimPart(
  model: EntityModel,
  code: string,
  entry: Entry & { readonly isExact: boolean },
): string {
  return partOf(entry, model.field(code)?.accents === true);
}

function partOf(
  { key, value, isExact }: Entry & { readonly isExact: boolean },
  accents: boolean,
): string {
  if (isExact) return key;
  return accents ? foldCase(String(value)) : fold(String(value));
}

/** The key under which a value is claimed; a long one is kept as its digest. */
export function claimKey(parts: readonly string[]): string {
  const key = parts.join(PART_SEPARATOR);
  return Buffer.byteLength(key) > MAX_CLAIM_BYTES ? `sha256:${sha256(key)}` : key;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Names of the counters that a live record counts in by the generation that wrote it: `field=value`. */
export function facetsOf({ life }: EntityModel, header: RecordHeader): string[] {
  if (header.deletedAt !== undefined) return [];
  return Object.entries(life.counters).flatMap(([code, { name, since }]) => {
    const value = header.values[code];
    return header.generation >= since && isCountable(value) ? [facetName(name, value)] : [];
  });
}

/** Names of the counters of all records that a record counts in. */
export function totalsOf({ life }: EntityModel, { generation, deletedAt }: RecordHeader): string[] {
  const { since, next } = life.totals;
  return [since, ...(next === undefined ? [] : [next])]
    .filter((each) => generation >= each)
    .map((each) => totalNames(each)[deletedAt === undefined ? 'live' : 'deleted']);
}

const isCountable = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_KEY_BYTES);

/** Name of the counter of a value. @param counter name of the counters of its field */
export const facetName = (counter: string, value: unknown): string => `${counter}=${String(value)}`;
