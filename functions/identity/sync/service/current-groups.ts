import type { DirectoryGroup } from '../../domain/directory/directory.ts';
import { readGroups } from '../../domain/directory/group.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import {
  type DepartmentPlan,
  linksOf,
  planDepartments,
} from '../../domain/plan/department-plan.ts';
import type { DepartmentOperation } from '../../domain/plan/operations.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';
import { MembershipIndex } from '../run/memberships.ts';
import { lostGroups } from '../steps/by-id.ts';
import type { StepDependencies } from '../steps/dependencies.ts';
import { listGroups } from './read-groups.ts';

type Dependencies = Pick<StepDependencies, 'departments' | 'states' | 'ids'>;
type Create = Extract<DepartmentOperation, { kind: 'create' }>;

/** What a source says of its groups now, and what would be done about the departments that they are. */
export interface CurrentGroups {
  readonly groups: readonly DirectoryGroup[];
  readonly memberships: MembershipIndex;
  readonly plan: DepartmentPlan;
  readonly rootId: string;
}

/**
 * Reads the groups of a source, those that its list has lost among them.
 * @param found a group that was read before
 * @returns `undefined` before the first run: there is nothing to hang departments and accounts below
 */
export async function currentGroups(
  dependencies: Dependencies,
  source: IdentitySource,
  client: IdentitySourceClient,
  found: readonly Resource[] = [],
): Promise<CurrentGroups | undefined> {
  const { departments, states, ids } = dependencies;
  const { organization, scope } = source.strategyConfig;
  const rootId = organization.targetId ?? (await states.of(source.id)).rootDepartmentId;
  if (rootId === undefined) return undefined;
  const listed = await listGroups(client);
  const known = [...listed, ...found.filter(({ id }) => !listed.some((each) => each.id === id))];
  const { found: lost } = await lostGroups(
    ...([dependencies, source.id, client, new Set(known.map(({ id }) => String(id)))] as const),
  );
  const groups = readGroups([...known, ...lost]);
  const memberships = new MembershipIndex(groups, scope);
  const links = linksOf(await departments.ofSource(source.id));
  const plan = planDepartments({ ...memberships.tree, links, rootId, newId: ids });
  return { groups, memberships, plan, rootId };
}

/** Departments that are to be made for these groups, and above them: parents first. */
export function neededFor({ plan }: CurrentGroups, groupIds: readonly string[]): readonly Create[] {
  const creates = plan.operations.filter((each) => each.kind === 'create');
  const byId = new Map(creates.map((create) => [create.id, create]));
  const needed = new Set<string>();
  for (const groupId of groupIds) {
    let id = plan.idOf.get(groupId);
    for (let at = byId.get(id ?? ''); at && !needed.has(at.id); at = byId.get(id ?? '')) {
      needed.add(at.id);
      id = at.parentId;
    }
  }
  return creates.filter(({ id }) => needed.has(id));
}
