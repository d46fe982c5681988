import type { DirectoryGroup, WantedDepartment } from './directory.ts';

/** Names or ids of the groups that are taken, with what is below them; none included: all. */
export interface GroupScope {
  readonly includeGroups: readonly string[];
  readonly excludeGroups: readonly string[];
}

/** What is odd about a group; it is a department all the same. */
export interface TreeIssue {
  readonly externalId: string;
  readonly name: string;
  readonly code: 'CYCLE' | 'MULTIPLE_PARENTS';
}

/** Departments of a source, parents before their children. */
export interface DepartmentTree {
  readonly departments: readonly WantedDepartment[];
  readonly issues: readonly TreeIssue[];
}

/**
 * Makes a tree of groups: of several parents the first by id counts, and groups of a circle hang below the root.
 * @param scope groups outside of it are left out; what is below them is as well, or hangs below the root
 */
export function buildTree(
  groups: readonly DirectoryGroup[],
  scope: GroupScope = { includeGroups: [], excludeGroups: [] },
): DepartmentTree {
  const byId = new Map(groups.map((group) => [group.externalId, group]));
  const { parents, issues } = chooseParents(groups, byId);
  for (const id of [...idsInCircles(parents)].sort()) {
    parents.delete(id);
    issues.push({ externalId: id, name: byId.get(id)?.name ?? id, code: 'CYCLE' });
  }
  const ordered = topDown(groups, parents);
  const kept = keep(ordered, parents, scope);
  const depths = new Map<string, number>();
  const departments = kept.map(({ externalId, name }) => {
    const above = parents.get(externalId);
    const parent = above !== undefined && depths.has(above) ? above : undefined;
    const depth = parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(externalId, depth);
    return { externalId, name, parent, depth };
  });
  return { departments, issues: issues.filter(({ externalId }) => depths.has(externalId)) };
}

function chooseParents(
  groups: readonly DirectoryGroup[],
  byId: ReadonlyMap<string, DirectoryGroup>,
): { readonly parents: Map<string, string>; readonly issues: TreeIssue[] } {
  const all = new Map<string, Set<string>>();
  for (const { externalId, groups: children } of groups) {
    for (const child of children) {
      if (!byId.has(child)) continue;
      const known = all.get(child) ?? new Set<string>();
      all.set(child, known.add(externalId));
    }
  }
  const parents = new Map<string, string>();
  const issues: TreeIssue[] = [];
  for (const [child, candidates] of all) {
    const [first = ''] = [...candidates].sort();
    parents.set(child, first);
    if (candidates.size > 1) {
      issues.push({
        externalId: child,
        name: byId.get(child)?.name ?? child,
        code: 'MULTIPLE_PARENTS',
      });
    }
  }
  return { parents, issues };
}

/** Each group has one parent at most: whoever comes back to itself is in a circle. */
function idsInCircles(parents: ReadonlyMap<string, string>): readonly string[] {
  const settled = new Set<string>();
  const circles: string[] = [];
  for (const start of parents.keys()) {
    const path: string[] = [];
    const places = new Map<string, number>();
    let at: string | undefined = start;
    while (at !== undefined && !settled.has(at) && !places.has(at)) {
      places.set(at, path.length);
      path.push(at);
      at = parents.get(at);
    }
    const begin = at === undefined ? undefined : places.get(at);
    if (begin !== undefined) circles.push(...path.slice(begin));
    for (const id of path) settled.add(id);
  }
  return circles;
}

/** Groups by depth, then by id. */
function topDown(
  groups: readonly DirectoryGroup[],
  parents: ReadonlyMap<string, string>,
): readonly DirectoryGroup[] {
  const children = Map.groupBy(groups, ({ externalId }) => parents.get(externalId));
  const ordered: DirectoryGroup[] = [];
  for (let level = children.get(undefined) ?? []; level.length > 0; ) {
    const sorted = [...level].sort((a, b) => (a.externalId < b.externalId ? -1 : 1));
    ordered.push(...sorted);
    level = sorted.flatMap(({ externalId }) => children.get(externalId) ?? []);
  }
  return ordered;
}

function keep(
  ordered: readonly DirectoryGroup[],
  parents: ReadonlyMap<string, string>,
  { includeGroups, excludeGroups }: GroupScope,
): readonly DirectoryGroup[] {
  if (includeGroups.length + excludeGroups.length === 0) return ordered;
  const wanted = new Map<string, boolean>();
  return ordered.filter((group) => {
    const names = [group.externalId, group.name];
    const above = wanted.get(parents.get(group.externalId) ?? '');
    const isWanted = excludeGroups.some((name) => names.includes(name))
      ? false
      : includeGroups.some((name) => names.includes(name)) || (above ?? includeGroups.length === 0);
    wanted.set(group.externalId, isWanted);
    return isWanted;
  });
}
