import type { RefusedUser } from '../../domain/directory/directory.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import { holdsDepartmentsBack } from '../../domain/plan/guard.ts';
import type { IdentitySource } from '../../domain/sources/source.ts';
import type { IdentitySourceClient, PagePosition } from '../../providers/provider.ts';
import { ONLY } from '../../store/run-files.ts';
import type { Run } from '../run/run.ts';
import { findsListed, isWithin } from './confirmer.ts';
import type { StepDependencies } from './dependencies.ts';

/** Groups that a list has lost. */
export interface LostGroups {
  readonly found: readonly Resource[];
  /** Whether those that were not found either are gone: a source may find no group by id. */
  readonly isSure: boolean;
}

/**
 * Groups that are departments, that the source has and did not list: a page that was lost must neither remove a
 * department nor take its members out of it.
 * @param listed ids of the groups that were listed
 */
export async function lostGroups(
  { departments }: Pick<StepDependencies, 'departments'>,
  sourceId: string,
  client: Pick<IdentitySourceClient, 'find' | 'page'>,
  listed: ReadonlySet<string>,
): Promise<LostGroups> {
  const known = await departments.ofSource(sourceId);
  const linked = known.flatMap(({ externalId }) => externalId ?? []);
  const missing = linked.filter((id) => !listed.has(id));
  // Somebody looks at such a plan before it is applied.
  if (holdsDepartmentsBack(missing.length, linked.length)) return { found: [], isSure: true };
  const found: Resource[] = [];
  for (const id of missing) {
    const group = await client.find('Groups', id);
    if (group) found.push(group);
  }
  const isSure = found.length === missing.length || (await findsListed(client, 'Groups'));
  return { found, isSure };
}

/** Users that are asked for one by one, between two looks at the time. */
const AT_ONCE = 25;

/** Some of the users that were asked for by their ids. */
export interface SomeUsers {
  readonly resources: readonly Resource[];
  /** Ids without a user that the run could change. */
  readonly refused: readonly RefusedUser[];
  readonly next: PagePosition | undefined;
}

/**
 * Reads users by their ids. Whoever is linked and not found, or is out of the scope by now, is in neither list: the plan
 * takes them for missing, as it does when they are not listed.
 */
export async function readSomeUsers(
  { files, users }: Pick<StepDependencies, 'files' | 'users'>,
  run: Run,
  source: IdentitySource,
  client: IdentitySourceClient,
): Promise<SomeUsers> {
  const ids = await files.read<readonly string[]>(run, ONLY);
  const { read: from } = run.snapshot.position ?? { read: 0 };
  const some = ids.slice(from, from + AT_ONCE);
  const resources: Resource[] = [];
  const refused: RefusedUser[] = [];
  for (const id of some) {
    const resource = await client.find('Users', id);
    if (resource && (await isWithin(source, client, id))) resources.push(resource);
    else if (!(await users.findByExternal(source.id, id))) {
      refused.push({ externalId: id, refused: resource ? 'OUT_OF_SCOPE' : 'NOT_FOUND' });
    }
  }
  const read = from + some.length;
  const position = { startIndex: read + 1, read, total: ids.length, size: AT_ONCE };
  return { resources, refused, next: read < ids.length ? position : undefined };
}
