import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { WriteGuard } from '../../../shared/store/commit-writes.ts';
import { exists, versionIs } from '../../../shared/store/conditions.ts';
import type { Condition, Key } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import type { IndexRow } from '../domain/records/index-rows.ts';
import {
  COUNTERS_OF_ITEM,
  type CounterChange,
  type TreeRow,
} from '../domain/records/write-plan.ts';
import {
  COUNTER_ITEMS,
  claimKey,
  counterKey,
  isUnchanged,
  recordKey,
  rowItem,
  rowKey,
  spillKey,
  toItem,
  trashKey,
  treeKey,
  treeLockKey,
} from './record-items.ts';

/** Serialises moves in a tree: each one updates the lock at the version it read. */
export function stageTreeLock(unit: UnitOfWork, entity: string, seen: number): void {
  const item = { ...treeLockKey(entity), type: 'DYN_TREE', version: seen + 1 };
  unit.put(item, { condition: versionIs(seen), otherwise: 'retry' });
}

/** Condition: no record of the tree was moved since its lock was read. */
export function stageTreeUnmoved(unit: UnitOfWork, entity: string, seen: number): void {
  unit.check(treeLockKey(entity), { condition: versionIs(seen), otherwise: 'retry' });
}

/** Stages a record. `seen` is what was read; none when there must be none yet. */
export function stageHeader(
  unit: UnitOfWork,
  entity: string,
  header: RecordHeader,
  {
    seen,
    otherwise,
  }: {
    seen: RecordHeader | undefined;
    otherwise: NonNullable<WriteGuard['otherwise']>;
  },
): void {
  const contended = seen?.contended && { contended: true as const };
  unit.put(toItem(entity, { ...header, ...contended }), {
    condition: isUnchanged(seen),
    otherwise,
  });
}

/** Stages the cipher texts of a record under a newer key; its version, stamps and expiry stay. */
export function stageSealed(
  unit: UnitOfWork,
  entity: string,
  seen: RecordHeader,
  { values, digests }: Required<Pick<RecordHeader, 'values' | 'digests'>>,
): void {
  unit.update(
    recordKey(entity, seen.id),
    {
      expression: 'SET v = :values, seals = :seals, digests = :digests',
      values: {
        ':values': JSON.stringify(values),
        ':seals': (seen.seals ?? 0) + 1,
        ':digests': digests,
      },
    },
    { condition: isUnchanged(seen), otherwise: 'retry' },
  );
}

/** Stages what a record stores by a newer definition; its version, stamps and expiry stay. */
export function stageRewritten(
  unit: UnitOfWork,
  entity: string,
  stored: RecordHeader,
  seen: RecordHeader,
): void {
  const { generation, values, spilled = [], digests, sealed, unclaimed } = stored;
  const lists = Object.entries({
    spilled: spilled.length > 0 ? spilled : undefined,
    digests,
    sealed,
    unclaimed,
  });
  const set = lists.filter(([, list]) => list !== undefined);
  const gone = lists.filter(([, list]) => list === undefined).map(([name]) => name);
  const sets = ['v = :v', 'sv = :sv', ...set.map(([name]) => `${name} = :${name}`)].join(', ');
  unit.update(
    recordKey(entity, seen.id),
    {
      expression: `SET ${sets}${gone.length > 0 ? ` REMOVE ${gone.join(', ')}` : ''}`,
      values: {
        ':v': JSON.stringify(values),
        ':sv': generation,
        ...Object.fromEntries(set.map(([name, list]) => [`:${name}`, list])),
      },
    },
    { condition: isUnchanged(seen), otherwise: 'retry' },
  );
}

/** Stages the rows that a record gains and loses. */
export function stageRows(
  unit: UnitOfWork,
  entity: string,
  shards: number,
  id: string,
  rows: { added: readonly IndexRow[]; removed: readonly IndexRow[] },
): void {
  for (const row of rows.added) unit.put(rowItem(entity, shards, row, id));
  for (const row of rows.removed) unit.delete(rowKey(entity, shards, row, id));
}

/** Claims a unique value, which another record may release in the same unit; a value held by another fails the unit. */
export function stageClaim(
  unit: UnitOfWork,
  entity: string,
  claim: { name: string; key: string },
  {
    takenBy,
    freedBy = takenBy,
    otherwise,
  }: { takenBy: string; freedBy?: string | undefined; otherwise: () => Error | Promise<Error> },
): void {
  const condition: Condition = {
    expression: 'attribute_not_exists(pk) OR rid IN (:takenBy, :freedBy)',
    values: { ':takenBy': takenBy, ':freedBy': freedBy },
  };
  const key = claimKey(entity, claim.name, claim.key);
  const item = { ...key, type: 'DYN_UNIQUE', rid: takenBy };
  unit.put(item, { condition, otherwise });
}

/** Releases a unique value. */
export function stageClaimFree(
  unit: UnitOfWork,
  entity: string,
  claim: { name: string; key: string },
): void {
  unit.delete(claimKey(entity, claim.name, claim.key));
}

/** Moves a record to its place in the tree. */
export function stageTree(
  unit: UnitOfWork,
  entity: string,
  id: string,
  tree: { added?: TreeRow; removed?: TreeRow },
): void {
  const added = tree.added && treeKey(entity, tree.added, id);
  const removed = tree.removed && treeKey(entity, tree.removed, id);
  if (added) unit.put({ ...added, label: tree.added?.label });
  if (removed && removed.sk !== added?.sk) unit.delete(removed);
}

/** The counter item that the next change adds to: each process begins at a random one and takes them by turns. */
let nextItem = Math.floor(Math.random() * COUNTER_ITEMS);

/**
 * Adds to the counters, on one of their items after the other to reduce conflicts; on more of them when there are many.
 * @throws Problem `UNIT_TOO_LARGE` (422) when a transaction of many records changes more of them than its updates take
 */
export function stageCounters(
  unit: UnitOfWork,
  entity: string,
  shards: number,
  steps: CounterChange,
): void {
  const all = [...steps];
  const first = nextItem;
  nextItem = (nextItem + 1) % COUNTER_ITEMS;
  // A transaction may write an item once.
  const size = Math.max(COUNTERS_OF_ITEM, Math.ceil(all.length / COUNTER_ITEMS));
  if (size > MAX_COUNTERS_OF_ITEM) throw tooManyCounters(all.length);
  for (let from = 0; from < all.length; from += size) {
    const item = (first + from / size) % COUNTER_ITEMS;
    stageSteps(unit, counterKey(entity, shards, item), all.slice(from, from + size));
  }
}

/** An expression has at most 300 parts. */
const MAX_COUNTERS_OF_ITEM = 290;

function tooManyCounters(writes: number): Error {
  const maxWrites = MAX_COUNTERS_OF_ITEM * COUNTER_ITEMS;
  const detail = `The records of the request change ${writes} counts of values in one transaction; the limit is ${maxWrites}. Split the request.`;
  return httpProblems.unitTooLarge({ writes, maxWrites }, { detail });
}

function stageSteps(
  unit: UnitOfWork,
  counters: Key,
  steps: readonly (readonly [name: string, step: number])[],
): void {
  const parts = steps.map(([name, step], at) => ({ name, step, at: at.toString(36) }));
  unit.update(counters, {
    expression: `ADD ${parts.map(({ at }) => `#${at} :${at}`).join(', ')}`,
    names: Object.fromEntries(parts.map(({ name, at }) => [`#${at}`, name])),
    values: Object.fromEntries(parts.map(({ step, at }) => [`:${at}`, step])),
  });
}

/** Adds a record to the trash, or removes it when it is restored. */
export function stageTrash(
  unit: UnitOfWork,
  entity: string,
  before: RecordHeader | undefined,
  after: RecordHeader,
): void {
  if (before?.deletedAt === after.deletedAt) return;
  if (after.deletedAt !== undefined) {
    unit.put({ ...trashKey(entity, after.deletedAt, after.id) });
  }
  if (before?.deletedAt !== undefined) unit.delete(trashKey(entity, before.deletedAt, before.id));
}

/** Deletes a row of the trash, once. */
export function stageTrashRowGone(
  unit: UnitOfWork,
  entity: string,
  { deletedAt, id }: { readonly deletedAt: string; readonly id: string },
): void {
  unit.delete(trashKey(entity, deletedAt, id), { condition: exists, otherwise: 'retry' });
}

/** Condition: the referenced record is not live at commit. */
export function stageTargetGone(
  unit: UnitOfWork,
  entity: string,
  id: string,
  otherwise: () => Error,
): void {
  const expression = 'attribute_not_exists(pk) OR attribute_exists(deletedAt)';
  unit.check(recordKey(entity, id), { condition: { expression }, otherwise });
}

/** Marks a record whose deletion is being checked, or takes the mark off. */
export function stageMark(
  unit: UnitOfWork,
  entity: string,
  seen: RecordHeader,
  mark: string | undefined,
): void {
  unit.update(
    recordKey(entity, seen.id),
    mark
      ? { expression: 'SET deleting = :mark', values: { ':mark': mark } }
      : { expression: 'REMOVE deleting' },
    { condition: isUnchanged(seen), otherwise: 'retry' },
  );
}

/** Permanently deletes a record; its rows and claims were deleted when it was moved to the trash. */
export function stagePurge(unit: UnitOfWork, entity: string, header: RecordHeader): void {
  const { id, deletedAt, spilled = [] } = header;
  unit.delete(recordKey(entity, id), {
    condition: versionIs(header.version),
    otherwise: 'retry',
  });
  for (const field of spilled) unit.delete(spillKey(entity, id, field));
  if (deletedAt !== undefined) unit.delete(trashKey(entity, deletedAt, id));
}
