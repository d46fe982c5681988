import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { RecordHeader, TreeNodeRow } from '../domain/entity/record.ts';
import { problems } from '../errors.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import { stageTreeLock, stageTreeUnmoved } from '../store/record-staging.ts';

/** Maximum depth of a tree. */
const MAX_LEVELS = 100;
/** Below this depth a new record conflicts with concurrent moves: they could push it too deep. */
const CALM_LEVELS = 10;
/** Maximum depth that one move may add to a subtree. */
const MAX_DEEPER = 50;
/** Children are read node by node up to so many nodes; a larger part of a tree is cheaper to read with the rest. */
const MAX_NODE_READS = 64;
const PARALLEL = 8;
/** Most nodes of a tree that one move reads. */
const MAX_TREE_NODES = 50_000;

/** What is read of a tree to judge a place in it. */
export interface TreeReads {
  findHeader(
    entity: string,
    id: string,
  ): Promise<Pick<RecordHeader, 'parentId' | 'deletedAt'> | undefined>;
  treeRows(
    entity: string,
    request: Parameters<RecordRepository['treeRows']>[1],
  ): Promise<readonly Pick<TreeNodeRow, 'id' | 'parentId'>[]>;
}

const moved = new WeakSet<UnitOfWork>();
const placed = new WeakSet<UnitOfWork>();
const unmoved = new WeakSet<UnitOfWork>();

/**
 * Checks the place of a record that comes into the tree, and has the unit fail when a deep one is moved meanwhile.
 * @throws Problem `HIERARCHY_CYCLE` (409), `HIERARCHY_TOO_DEEP` (422), `REFERENCE_NOT_FOUND` (400)
 */
export async function checkNewPlace(
  unit: UnitOfWork,
  repository: RecordRepository,
  entity: string,
  { id, parentId }: Pick<RecordHeader, 'id' | 'parentId'>,
): Promise<void> {
  if (moved.has(unit)) throw onlyOneMove();
  placed.add(unit);
  const above = await countAncestors(repository, entity, id, parentId);
  if (above < CALM_LEVELS || unmoved.has(unit)) return;
  const seen = await repository.treeLock(entity);
  await countAncestors(repository, entity, id, parentId);
  unmoved.add(unit);
  stageTreeUnmoved(unit, entity, seen);
}

/** A record before and after a move. */
interface Move {
  readonly before: RecordHeader;
  readonly after: RecordHeader;
}

/**
 * Checks the new place of a record with everything below it. Moves happen one after the other, so that two of them
 * together make no cycle and no tree that is too deep.
 * @throws Problem `HIERARCHY_CYCLE` (409), `HIERARCHY_TOO_DEEP` (422), `REFERENCE_NOT_FOUND`, `VALIDATION_FAILED` (400)
 */
export async function checkMove(
  unit: UnitOfWork,
  repository: RecordRepository,
  entity: string,
  move: Move,
): Promise<void> {
  if (moved.has(unit) || placed.has(unit)) throw onlyOneMove();
  const seen = await repository.treeLock(entity);
  await previewMove(repository, entity, move);
  moved.add(unit);
  stageTreeLock(unit, entity, seen);
}

/**
 * Checks the new place of a record in the tree as it is.
 * @throws Problem `HIERARCHY_CYCLE` (409), `HIERARCHY_TOO_DEEP` (422), `REFERENCE_NOT_FOUND` (400)
 */
export async function previewMove(
  repository: TreeReads,
  entity: string,
  { before, after }: Move,
): Promise<void> {
  const { id } = after;
  const above = await countAncestors(repository, entity, id, after.parentId);
  const [child] = await repository.treeRows(entity, { parentId: id, limit: 1 });
  if (!child) return;
  const deeper = above - (await countAncestors(repository, entity, id, before.parentId, true));
  if (deeper > MAX_DEEPER) {
    const detail = `One move may place a subtree at most ${MAX_DEEPER} levels deeper; move it in steps.`;
    throw problems.hierarchyTooDeep({ max: MAX_LEVELS }, { detail });
  }
  if (deeper > 0) await refuseHeight(repository, entity, id, MAX_LEVELS - 1 - above);
}

/** Checks the place of a record that comes into the tree as it is. @throws what `checkNewPlace` throws */
export async function previewPlace(
  repository: TreeReads,
  entity: string,
  { id, parentId }: Pick<RecordHeader, 'id' | 'parentId'>,
): Promise<void> {
  await countAncestors(repository, entity, id, parentId);
}

/** Refuses a second move in one unit: each is checked against the stored tree, so two could be invalid together. */
function onlyOneMove(): Error {
  const detail =
    'a call that does all or nothing moves one record, and adds none below others then';
  return httpProblems.validationFailed([{ pointer: '/parentId', code: 'MOVED_TWICE', detail }]);
}

/** Walks up from a parent. @returns how many records are above its child */
async function countAncestors(
  repository: TreeReads,
  entity: string,
  id: string,
  parentId: string | undefined,
  isOld = false,
): Promise<number> {
  let current = parentId;
  let above = 0;
  for (; current !== undefined; above += 1) {
    if (current === id) throw problems.hierarchyCycle();
    if (above === MAX_LEVELS - 1) throw problems.hierarchyTooDeep({ max: MAX_LEVELS });
    const header = await repository.findHeader(entity, current);
    const isLive = header !== undefined && header.deletedAt === undefined;
    if (!isLive && above === 0 && !isOld) {
      throw problems.referenceNotFound({ field: 'parentId', entity, id: current });
    }
    current = header?.parentId;
  }
  return above;
}

/** @throws Problem `HIERARCHY_TOO_DEEP` (422) when more levels than these are below a record */
async function refuseHeight(
  repository: TreeReads,
  entity: string,
  root: string,
  maxLevels: number,
): Promise<void> {
  let childrenOf = (parentId: string) => repository.treeRows(entity, { parentId, limit: 10_000 });
  let reads = 0;
  let level: readonly string[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) throw problems.hierarchyTooDeep({ max: MAX_LEVELS });
    if (reads <= MAX_NODE_READS && reads + level.length > MAX_NODE_READS) {
      const all = await wholeTree(repository, entity);
      childrenOf = async (parentId) => all.get(parentId) ?? [];
    }
    reads += level.length;
    const below: string[] = [];
    for (let at = 0; at < level.length; at += PARALLEL) {
      const found = await Promise.all(level.slice(at, at + PARALLEL).map(childrenOf));
      below.push(...found.flat().map(({ id }) => id));
    }
    level = below;
  }
}

async function wholeTree(repository: TreeReads, entity: string) {
  const rows = await repository.treeRows(entity, { limit: MAX_TREE_NODES + 1 });
  if (rows.length > MAX_TREE_NODES) {
    const detail = `The tree has more than ${MAX_TREE_NODES} nodes, so the subtree can only be moved up or in smaller parts.`;
    throw problems.hierarchyTooDeep({ max: MAX_LEVELS }, { detail });
  }
  return Map.groupBy(rows, ({ parentId }) => parentId ?? '');
}
