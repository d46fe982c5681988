import type { DirectoryGroup } from '../../domain/directory/directory.ts';
import { readGroups } from '../../domain/directory/group.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import { numbered, type RunFiles } from '../../store/run-files.ts';
import type { Run } from './run.ts';

/** The groups of a snapshot. */
export async function readStoredGroups(
  { files }: { readonly files: RunFiles },
  run: Run,
): Promise<readonly DirectoryGroup[]> {
  const resources: Resource[] = [];
  for (let number = 1; number <= run.snapshot.groupPages; number += 1) {
    resources.push(...(await files.read<readonly Resource[]>(run, numbered('groups', number))));
  }
  return readGroups(resources);
}
