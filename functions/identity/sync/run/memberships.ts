import type { DirectoryGroup } from '../../domain/directory/directory.ts';
import type { Memberships } from '../../domain/directory/map-user.ts';
import { buildTree, type DepartmentTree, type GroupScope } from '../../domain/directory/tree.ts';

/** Groups of a source by their members, and the departments that they are. */
export class MembershipIndex implements Memberships {
  readonly tree: DepartmentTree;
  readonly #departments: ReadonlySet<string>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #groups = new Map<string, string[]>();

  constructor(groups: readonly DirectoryGroup[], scope: GroupScope) {
    this.tree = buildTree(groups, scope);
    this.#departments = new Set(this.tree.departments.map(({ externalId }) => externalId));
    this.#names = new Map(groups.map(({ externalId, name }) => [externalId, name]));
    for (const { externalId, users } of groups) {
      for (const user of users) {
        const known = this.#groups.get(user);
        if (known) known.push(externalId);
        else this.#groups.set(user, [externalId]);
      }
    }
  }

  has(groupId: string): boolean {
    return this.#departments.has(groupId);
  }

  of(userId: string): readonly string[] {
    return this.#groups.get(userId) ?? [];
  }

  nameOf(groupId: string): string | undefined {
    return this.#names.get(groupId);
  }
}
