import { problems } from './errors.ts';
import type { RecordRepository } from './record-repository.ts';

/** Levels of a tree at most. */
const MAX_LEVELS = 100;

/**
 * Walks up from a new parent and refuses what would make a cycle or too deep a tree.
 * @param id the record that is to hang below the parent.
 * @throws Problem `HIERARCHY_CYCLE` (409), `HIERARCHY_TOO_DEEP` (422), `REFERENCE_NOT_FOUND` (400)
 */
export async function checkAncestors(
  repository: RecordRepository,
  entity: string,
  id: string,
  parentId: string,
): Promise<void> {
  let current: string | undefined = parentId;
  for (let level = 1; current !== undefined; level += 1) {
    if (current === id) throw problems.hierarchyCycle();
    if (level >= MAX_LEVELS) throw problems.hierarchyTooDeep({ max: MAX_LEVELS });
    const header = await repository.findHeader(entity, current);
    const isLive = header !== undefined && header.deletedAt === undefined;
    if (!isLive && level === 1) {
      throw problems.referenceNotFound({ field: 'parentId', entity, id: parentId });
    }
    current = header?.parentId;
  }
}
