import type { EntityModel } from '../definitions/model.ts';
import type { RecordHeader } from '../entity/record.ts';
import { codecOf } from '../values/codecs.ts';
import { cutToBytes, fold, MAX_KEY_BYTES } from '../values/folding.ts';
import {
  diffRows,
  facetsOf,
  type IndexRow,
  indexRows,
  NO_VALUE,
  PART_SEPARATOR,
  type UniqueClaim,
  uniqueClaims,
  valueKey,
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

/** Counter changes: of live and deleted records, and of each `field=value`. */
export interface CounterChange {
  readonly live: number;
  readonly deleted: number;
  readonly facets: ReadonlyMap<string, number>;
}

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
  after: RecordHeader,
): WritePlan {
  const claimsBefore = before ? uniqueClaims(model, before) : [];
  const claimsAfter = uniqueClaims(model, after);
  const treeBefore = before && treeRow(model, before);
  const treeAfter = treeRow(model, after);
  const isSameTree = JSON.stringify(treeBefore) === JSON.stringify(treeAfter);
  return {
    before,
    after,
    rows: diffRows(before ? indexRows(model, before) : [], indexRows(model, after)),
    claims: {
      added: claimsAfter.filter((claim) => !claimsBefore.some((other) => isSame(claim, other))),
      removed: claimsBefore.filter((claim) => !claimsAfter.some((other) => isSame(claim, other))),
    },
    tree: isSameTree
      ? {}
      : { ...(treeAfter && { added: treeAfter }), ...(treeBefore && { removed: treeBefore }) },
    counters: counterChange(model, before, after),
    references: newReferences(model, before, after),
  };
}

const isSame = (one: UniqueClaim, other: UniqueClaim): boolean =>
  one.name === other.name && one.key === other.key;

/** The place of a live record in the tree; none when the entity has no tree. */
export function treeRow({ definition }: EntityModel, header: RecordHeader): TreeRow | undefined {
  if (!definition.hierarchical || header.deletedAt !== undefined) return undefined;
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

function counterChange(
  model: EntityModel,
  before: RecordHeader | undefined,
  after: RecordHeader,
): CounterChange {
  const isLive = (header: RecordHeader | undefined): number =>
    header && header.deletedAt === undefined ? 1 : 0;
  const isDeleted = (header: RecordHeader | undefined): number =>
    header && header.deletedAt !== undefined ? 1 : 0;
  const facets = new Map<string, number>();
  const add = (name: string, step: number) => facets.set(name, (facets.get(name) ?? 0) + step);
  for (const name of before ? facetsOf(model, before) : []) add(name, -1);
  for (const name of facetsOf(model, after)) add(name, 1);
  for (const [name, step] of facets) if (step === 0) facets.delete(name);
  return {
    live: isLive(after) - isLive(before),
    deleted: isDeleted(after) - isDeleted(before),
    facets,
  };
}

/** Adds two counter changes. */
export function addCounts(one: CounterChange, other: CounterChange): CounterChange {
  const facets = new Map(one.facets);
  for (const [name, step] of other.facets) facets.set(name, (facets.get(name) ?? 0) + step);
  for (const [name, step] of facets) if (step === 0) facets.delete(name);
  return { live: one.live + other.live, deleted: one.deleted + other.deleted, facets };
}

/** New references; of a restored record all references. */
function newReferences(
  model: EntityModel,
  before: RecordHeader | undefined,
  after: RecordHeader,
): ReferenceCheck[] {
  if (after.deletedAt !== undefined) return [];
  const past = before && before.deletedAt === undefined ? referencesOf(model, before) : [];
  const known = new Set(past.map(({ field, id }) => `${field}\n${id}`));
  return referencesOf(model, after).filter(({ field, id }) => !known.has(`${field}\n${id}`));
}

function referencesOf({ definition }: EntityModel, header: RecordHeader): ReferenceCheck[] {
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
export function countWrites({ rows, claims, tree, references }: WritePlan): number {
  return (
    rows.added.length +
    rows.removed.length +
    claims.added.length +
    claims.removed.length +
    (tree.added ? 1 : 0) +
    (tree.removed ? 1 : 0) +
    references.length +
    3
  );
}
