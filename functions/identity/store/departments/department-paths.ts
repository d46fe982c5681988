import type { Department } from '../../../../shared/ports/identity.ts';
import type { StoredDepartment } from './department-items.ts';

/** More levels than any tree has; a circle that two moves at once have made ends there. */
const MAX_DEPTH = 100;

/**
 * Departments with the ids from the root to themselves.
 * @param read reads departments by id; called once for each level above the given ones.
 */
export async function withPaths(
  departments: readonly StoredDepartment[],
  read: (ids: readonly string[]) => Promise<readonly StoredDepartment[]>,
): Promise<readonly Department[]> {
  const known = new Map(departments.map((each) => [each.id, each]));
  let above = missingParents(departments, known);
  for (let depth = 0; above.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const found = await read(above);
    for (const each of found) known.set(each.id, each);
    above = missingParents(found, known);
  }
  return departments.map((each) => ({ ...each, path: pathOf(each, known) }));
}

const missingParents = (
  departments: readonly StoredDepartment[],
  known: ReadonlyMap<string, StoredDepartment>,
): readonly string[] => [
  ...new Set(
    departments.flatMap(({ parentId }) =>
      parentId === undefined || known.has(parentId) ? [] : parentId,
    ),
  ),
];

function pathOf(
  department: StoredDepartment,
  known: ReadonlyMap<string, StoredDepartment>,
): readonly string[] {
  const path = [department.id];
  let { parentId } = department;
  while (parentId !== undefined && !path.includes(parentId) && path.length < MAX_DEPTH) {
    path.unshift(parentId);
    parentId = known.get(parentId)?.parentId;
  }
  return path;
}
