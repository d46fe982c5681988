import type { DirectoryGroup } from '../../domain/directory/directory.ts';
import { readGroups } from '../../domain/directory/group.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import type { IdentitySourceClient } from '../../providers/provider.ts';

/** All groups of a source, page by page. */
export async function readAllGroups(
  client: Pick<IdentitySourceClient, 'page'>,
): Promise<readonly DirectoryGroup[]> {
  const resources: Resource[] = [];
  let page = await client.page({ kind: 'Groups' });
  resources.push(...page.resources);
  while (page.next) {
    page = await client.page({ kind: 'Groups', position: page.next });
    resources.push(...page.resources);
  }
  return readGroups(resources);
}
