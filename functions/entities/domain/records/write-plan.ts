import type { EntityModel } from '../definitions/model.ts';
import type { RecordHeader } from '../entity/record.ts';
import { codecOf } from '../values/codecs.ts';
import { cutToBytes, fold, MAX_KEY_BYTES } from '../values/folding.ts';
import {
  diffRows,
  droppedClaims,
  facetsOf,
  type IndexRow,
  indexRows,
  NO_VALUE,
  PART_SEPARATOR,
  totalsOf,
  type UniqueClaim,
  uniqueClaims,
  valueKey,
  wantedClaims,
} from './index-rows.ts';

/** Position of a live record in the tree of a hierarchical entity. */
export interface TreeRow {
  readonly parentId: string | undefined;
  /** Orders siblings: the order field, then the label. */
  readonly key: string;
  readonly label: string;
}

/** A reference that must point to a live record. */
export interface ReferenceCheck {
  readonly field: string;
  readonly entity: string;
  readonly id: string;
}

/** Counters that one update changes, as long as others take the rest. */
export const COUNTERS_OF_ITEM = 200;

/** Changes of counters by their names. */
export type CounterChange = ReadonlyMap<string, number>;

/** All writes that follow from a change of one record. */
export interface WritePlan {
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
  readonly rows: { readonly added: readonly IndexRow[]; readonly removed: readonly IndexRow[] };
  readonly claims: {
    readonly added: readonly UniqueClaim[];
    readonly removed: readonly UniqueClaim[];
  };
  readonly tree: { readonly added?: TreeRow; readonly removed?: TreeRow };
  readonly counters: CounterChange;
  readonly references: readonly ReferenceCheck[];
}

/** Computes all writes between two states of a record. */
export function planWrite(
  model: EntityModel,
  before: RecordHeader | undefined,
  changed: RecordHeader,
): WritePlan {
  const after = withUnclaimed(model, before, changed);
  const claimsBefore = before ? uniqueClaims(model, before) : [];
  const claimsAfter = uniqueClaims(model, after);
  const dropped = before ? droppedClaims(model, before) : [];
  const treeBefore = before && treeRow(model, before);
  const treeAfter = treeRow(model, after);
  const isSameTree = JSON.stringify(treeBefore) === JSON.stringify(treeAfter);
  return {
    before,
    after,
    rows: diffRows(before ? indexRows(model, before) : [], indexRows(model, after)),
    claims: {
      added: claimsAfter.filter((claim) => !claimsBefore.some((other) => isSame(claim, other))),
      removed: [
        ...claimsBefore.filter((claim) => !claimsAfter.some((other) => isSame(claim, other))),
        ...dropped,
      ],
    },
    tree: isSameTree
      ? {}
      : { ...(treeAfter && { added: treeAfter }), ...(treeBefore && { removed: treeBefore }) },
    counters: counterChange(model, before, after),
    references: newReferences(model, before, after, treeBefore?.key !== treeAfter?.key),
  };
}

const isSame = (one: UniqueClaim, other: UniqueClaim): boolean =>
  one.name === other.name && one.key === other.key;

/** Keeps a record without claims to values that another record held when the constraint was declared, until the values change. */
function withUnclaimed(
  model: EntityModel,
  before: RecordHeader | undefined,
  { unclaimed, ...after }: RecordHeader,
): RecordHeader {
  if (!unclaimed || !before || after.deletedAt !== undefined) return after;
  // By the same generation, as the record claims nothing of later ones.
  const past = wantedClaims(model, { ...before, generation: after.generation });
  const kept = wantedClaims(model, after)
    .filter(({ name }) => unclaimed.includes(name))
    .filter((claim) => past.some((other) => isSame(claim, other)))
    .map(({ name }) => name);
  return kept.length > 0 ? { ...after, unclaimed: kept } : after;
}

/** The place of a live record in the tree by the generation that wrote it; none when the entity has no tree. */
export function treeRow(
  { definition, life }: EntityModel,
  header: RecordHeader,
): TreeRow | undefined {
  const { treeSince = 1 } = life;
  if (!definition.hierarchical || header.generation < treeSince) return undefined;
  if (header.deletedAt !== undefined) return undefined;
  const { labelField, treeOrderField } = definition.layout;
  const label = String((labelField && header.values[labelField]) ?? '');
  return {
    parentId: header.parentId,
    key: [
      ...(treeOrderField ? [orderKey(definition.fields, treeOrderField, header)] : []),
      cutToBytes(fold(label), MAX_KEY_BYTES),
    ].join(PART_SEPARATOR),
    label: cutToBytes(label, MAX_KEY_BYTES * 2),
  };
}

function orderKey(
  fields: EntityModel['definition']['fields'],
  code: string,
  { values }: RecordHeader,
): string {
  const field = fields.find((each) => each.code === code);
  const key = field && codecOf(field).encode(values[code]);
  return key === undefined ? NO_VALUE : valueKey(key);
}

/** How counters change with a record. @param after none when it is purged */
export function counterChange(
  model: EntityModel,
  before: RecordHeader | undefined,
  after: RecordHeader | undefined,
): CounterChange {
  const countsOf = (header: RecordHeader | undefined, step: number): CounterChange => {
    const names = header ? [...totalsOf(model, header), ...facetsOf(model, header)] : [];
    return new Map(names.map((name) => [name, step]));
  };
  return addCounts(countsOf(before, -1), countsOf(after, 1));
}

/** Adds two counter changes. */
export function addCounts(one: CounterChange, other: CounterChange): CounterChange {
  const sum = new Map(one);
  for (const [name, step] of other) sum.set(name, (sum.get(name) ?? 0) + step);
  for (const [name, step] of sum) if (step === 0) sum.delete(name);
  return sum;
}

/**
 * New references; of a restored record all references. A new place among siblings refers to the parent again: who
 * deletes that one reads its children page by page, and would miss one that changes from a later page to an earlier.
 */
function newReferences(
  model: EntityModel,
  before: RecordHeader | undefined,
  after: RecordHeader,
  isPlaced: boolean,
): ReferenceCheck[] {
  if (after.deletedAt !== undefined) return [];
  const past = before && before.deletedAt === undefined ? referencesOf(model, before) : [];
  const known = new Set(past.map(({ field, id }) => `${field}\n${id}`));
  return referencesOf(model, after).filter(
    ({ field, id }) => !known.has(`${field}\n${id}`) || (isPlaced && field === 'parentId'),
  );
}

/** The records that a record refers to, its parent included, which must be there. */
export function referencesOf({ definition }: EntityModel, header: RecordHeader): ReferenceCheck[] {
  const ofFields = definition.fields.flatMap(({ code, reference }) => {
    if (!reference || reference.onDelete === 'none') return [];
    const value = header.values[code];
    const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
    return [...new Set(ids)].map((id) => ({ field: code, entity: reference.entity, id }));
  });
  const { parentId } = header;
  const isChild = definition.hierarchical && parentId !== undefined;
  const parent = { field: 'parentId', entity: definition.code, id: parentId ?? '' };
  return isChild ? [...ofFields, parent] : ofFields;
}

/** Writes of a plan as one transaction needs them. */
export function countWrites({ rows, claims, tree, references, counters }: WritePlan): number {
  return (
    rows.added.length +
    rows.removed.length +
    claims.added.length +
    claims.removed.length +
    (tree.added ? 1 : 0) +
    (tree.removed ? 1 : 0) +
    references.length +
    Math.max(1, Math.ceil(counters.size / COUNTERS_OF_ITEM)) +
    2
  );
}
