import type { Department } from '../../../../shared/ports/identity.ts';
import type { WantedDepartment } from '../directory/directory.ts';
import { fingerprint } from '../directory/fingerprint.ts';
import type { TreeIssue } from '../directory/tree.ts';
import type { DepartmentCounts, DepartmentOperation } from './operations.ts';

/** A department that is linked with a source. */
export interface LinkedDepartment {
  readonly externalId: string;
  readonly departmentId: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly hash: string;
}

/** The departments that a source has made, as links. */
export const linksOf = (departments: readonly Department[]): readonly LinkedDepartment[] =>
  departments.flatMap(({ id: departmentId, externalId, parentId, name, hash = '' }) =>
    externalId === undefined ? [] : { departmentId, externalId, parentId, name, hash },
  );

export interface DepartmentPlan {
  /** Parents before their children; removals last, children first. */
  readonly operations: readonly DepartmentOperation[];
  readonly counts: DepartmentCounts;
  /** Ids of departments by the ids of their groups. */
  readonly idOf: ReadonlyMap<string, string>;
}

interface Input {
  readonly departments: readonly WantedDepartment[];
  readonly issues: readonly TreeIssue[];
  readonly links: readonly LinkedDepartment[];
  readonly rootId: string;
  /** The id of the department of a new group. */
  readonly newId: (externalId: string) => string;
}

/** Compares the departments of a source with those that are linked with it. */
export function planDepartments(input: Input): DepartmentPlan {
  const { departments, issues, links, rootId, newId } = input;
  const known = new Map(links.map((link) => [link.externalId, link]));
  const idOf = new Map<string, string>();
  const operations: DepartmentOperation[] = [];
  let [created, updated] = [0, 0];
  for (const { externalId, name, parent } of departments) {
    const link = known.get(externalId);
    const parentId = parent === undefined ? rootId : (idOf.get(parent) ?? rootId);
    const hash = fingerprint([name, parent ?? rootId]);
    const id = link?.departmentId ?? newId(externalId);
    idOf.set(externalId, id);
    if (!link) {
      created += 1;
      operations.push({ kind: 'create', id, externalId, name, parentId, hash });
    } else if (link.hash !== hash) {
      updated += 1;
      operations.push({
        ...{ kind: 'update', id, externalId, name, hash },
        ...(link.name !== name && { newName: name }),
        ...(link.parentId !== parentId && { newParentId: parentId }),
      });
    }
  }
  const gone = bottomUp(links.filter(({ externalId }) => !idOf.has(externalId)));
  for (const { departmentId, externalId, name } of gone) {
    operations.push({ kind: 'remove', id: departmentId, externalId, name });
  }
  operations.push(...issues.map((issue) => ({ kind: 'note' as const, ...issue })));
  const total = departments.length;
  const unchanged = total - created - updated;
  const counts = { created, updated, removed: gone.length, unchanged, total, linked: links.length };
  return { operations, counts, idOf };
}

/** The plan without removals, which are left to a run of all. */
export const withoutRemovals = ({ operations, counts, idOf }: DepartmentPlan): DepartmentPlan => ({
  operations: operations.filter(({ kind }) => kind !== 'remove'),
  counts: { ...counts, removed: 0 },
  idOf,
});

/** Children before their parents, as far as both are among them. */
function bottomUp(links: readonly LinkedDepartment[]): readonly LinkedDepartment[] {
  const byId = new Map(links.map((link) => [link.departmentId, link]));
  const depthOf = (link: LinkedDepartment): number => {
    let depth = 0;
    let at = byId.get(link.parentId ?? '');
    for (; at && depth < links.length; at = byId.get(at.parentId ?? '')) depth += 1;
    return depth;
  };
  return links
    .map((link) => ({ link, depth: depthOf(link) }))
    .sort((a, b) => b.depth - a.depth)
    .map(({ link }) => link);
}
