import type { DirectoryGroup } from '../../domain/directory/directory.ts';
import { readGroups } from '../../domain/directory/group.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';

/** The groups that a source lists, page by page. */
export async function listGroups(
  client: Pick<IdentitySourceClient, 'page'>,
): Promise<readonly Resource[]> {
  const resources: Resource[] = [];
  let page = await client.page({ kind: 'Groups' });
  resources.push(...page.resources);
  while (page.next) {
    page = await client.page({ kind: 'Groups', position: page.next });
    resources.push(...page.resources);
  }
  return resources;
}

export const readAllGroups = async (
  client: Pick<IdentitySourceClient, 'page'>,
): Promise<readonly DirectoryGroup[]> => readGroups(await listGroups(client));
