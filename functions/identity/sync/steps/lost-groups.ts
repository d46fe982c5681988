import type { Resource } from '../../domain/directory/scim-path.ts';
import { holdsDepartmentsBack } from '../../domain/plan/guard.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';
import type { StepDependencies } from './dependencies.ts';

/**
 * Groups that are departments, that the source has and did not list: a page that was lost must neither remove a
 * department nor take its members out of it.
 * @param listed ids of the groups that were listed
 */
export async function lostGroups(
  { departments }: Pick<StepDependencies, 'departments'>,
  sourceId: string,
  client: Pick<IdentitySourceClient, 'find'>,
  listed: ReadonlySet<string>,
): Promise<readonly Resource[]> {
  const known = await departments.ofSource(sourceId);
  const linked = known.flatMap(({ externalId }) => externalId ?? []);
  const missing = linked.filter((id) => !listed.has(id));
  // Somebody looks at such a plan before it is applied.
  if (holdsDepartmentsBack(missing.length, linked.length)) return [];
  const found: Resource[] = [];
  for (const id of missing) {
    const group = await client.find('Groups', id);
    if (group) found.push(group);
  }
  return found;
}
