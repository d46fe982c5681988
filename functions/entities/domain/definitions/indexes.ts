import { isStampField } from '../entity/entity.ts';
import type { FieldDefinition, IndexDefinition, UniqueConstraint } from '../entity/field.ts';
import { type JsonObject, own } from '../entity/json.ts';

/**
 * Name of the index over the words of a record, as short as can be: each row has it. Its rows are spread by the first letters of their
 * words, too; those of indexes of words that were built under the name `~w` are not.
 */
export const WORD_INDEX = '~';

/** Name of the list of all records, which a field may have, too. */
const LIST_OF_IDS = '_id';

/** An index that a schema asks for. */
type WantedIndex = Pick<IndexDefinition, 'kind' | 'fields'>;

/** The indexes that follow from the fields and from `x-indexes`. */
export function wantedIndexes(
  fields: readonly FieldDefinition[],
  schema: JsonObject,
  hierarchical: boolean,
): WantedIndex[] {
  const searchable = fields.filter((field) => field.searchable).map(({ code }) => code);
  const words = fields.filter((field) => field.searchMode === 'word').map(({ code }) => code);
  return [
    ...[...searchable, ...(hierarchical ? ['parentId'] : [])].map(
      (code): WantedIndex => ({ kind: 'field', fields: [code] }),
    ),
    ...combinations(schema, 'x-indexes').flatMap((names): WantedIndex[] => {
      if (names.length > 1) return [{ kind: 'composite', fields: names }];
      return names.some(isStampField) ? [{ kind: 'field', fields: names }] : [];
    }),
    ...(words.length > 0 ? [{ kind: 'words', fields: words } as const] : []),
  ];
}

/** The sets of fields that must be unique. */
export function wantedUniques(
  fields: readonly FieldDefinition[],
  schema: JsonObject,
): (readonly string[])[] {
  return [
    ...fields.filter(({ unique }) => unique).map(({ code }) => [code]),
    ...combinations(schema, 'x-unique'),
  ];
}

function combinations(schema: JsonObject, keyword: string): string[][] {
  const given = own(schema, keyword);
  return Array.isArray(given) ? (given as string[][]) : [];
}

/** How the indexes of an entity change with its schema. */
export interface IndexChange {
  readonly indexes: readonly IndexDefinition[];
  readonly uniques: readonly UniqueConstraint[];
  /** Whether some index must be built or dropped by a job. */
  readonly needsJob: boolean;
}

/**
 * Carries indexes over to a new schema: needed ones are kept, new ones start `WRITE_ONLY`, and those not
 * needed or with another encoding are dropped. A new index has a new name, so old rows never
 * mix with new ones.
 * @param changed fields whose values or their encoding have changed.
 */
export function carryIndexes(
  before: Pick<IndexChange, 'indexes' | 'uniques'> & {
    readonly fields: readonly FieldDefinition[];
  },
  wanted: {
    readonly indexes: readonly WantedIndex[];
    readonly uniques: readonly (readonly string[])[];
  },
  { changed, generation }: { readonly changed: ReadonlySet<string>; readonly generation: number },
): IndexChange {
  const isFirst = generation === 1;
  const state = isFirst ? 'READY' : 'WRITE_ONLY';
  const kept = before.indexes.filter(
    (index) =>
      index.state !== 'DROPPING' &&
      !index.fields.some((field) => changed.has(field)) &&
      wanted.indexes.some((each) => isSame(each, index)),
  );
  const added = wanted.indexes
    .filter((each) => !kept.some((index) => isSame(each, index)))
    .map(
      (each): IndexDefinition => ({
        ...each,
        name: isFirst ? baseName(each) : `${baseName(each)}@${generation}`,
        state,
      }),
    );
  const dropped = before.indexes
    .filter((index) => !kept.includes(index))
    .map((index): IndexDefinition => ({ until: generation, ...index, state: 'DROPPING' }));
  const { uniques, released } = carryUniques(before, wanted.uniques, changed, generation);
  const isBuilding = [...added, ...uniques].some((each) => each.state !== 'READY');
  return {
    indexes: [...kept, ...added, ...dropped],
    uniques: [...uniques, ...released],
    needsJob: isBuilding || dropped.length > 0 || released.length > 0,
  };
}

/** The constraints of a new schema, and those that records still have to release their values of. */
function carryUniques(
  before: {
    readonly uniques: readonly UniqueConstraint[];
    readonly fields: readonly FieldDefinition[];
  },
  wanted: readonly (readonly string[])[],
  changed: ReadonlySet<string>,
  generation: number,
) {
  const names = new Set(wanted.map((fields) => fields.join('+')));
  const kept = before.uniques.filter(
    ({ name, fields, state }) =>
      state !== 'DROPPING' && names.has(name) && !fields.some((field) => changed.has(field)),
  );
  const uniques = wanted.map((fields): UniqueConstraint => {
    const name = fields.join('+');
    const known = kept.find((each) => each.name === name);
    if (known) return known;
    return generation === 1
      ? { name, fields, state: 'READY' }
      : { name, fields, state: 'WRITE_ONLY', since: generation };
  });
  const types = new Map(before.fields.map((field) => [field.code, typesOf(field)]));
  const released = before.uniques
    .filter((unique) => !kept.includes(unique))
    .map(
      (unique): UniqueConstraint => ({
        until: generation,
        types: unique.fields.map((code) => types.get(code) ?? { fieldType: 'JSON' }),
        ...unique,
        state: 'DROPPING',
      }),
    );
  return { uniques, released };
}

const typesOf = ({ fieldType, elementType, accents }: FieldDefinition) => ({
  fieldType,
  ...(elementType && { elementType }),
  ...(accents && { accents }),
});

function baseName({ kind, fields }: WantedIndex): string {
  const name = kind === 'words' ? WORD_INDEX : fields.join('+');
  return name === LIST_OF_IDS ? `${name}@1` : name;
}

function isSame(one: WantedIndex, other: WantedIndex): boolean {
  return (
    one.kind === other.kind &&
    one.fields.length === other.fields.length &&
    one.fields.every((field, at) => field === other.fields[at])
  );
}
