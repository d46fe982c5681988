import type { DirectoryGroup } from './directory.ts';
import type { Resource } from './scim-path.ts';

const MAX_NAME = 255;

/** Reads groups: a member without a type is a group when a group has its id. */
export function readGroups(resources: readonly Resource[]): readonly DirectoryGroup[] {
  const ids = new Set(resources.map(({ id }) => String(id)));
  return resources.map((resource) => {
    const externalId = String(resource.id);
    const name = typeof resource.displayName === 'string' ? resource.displayName.trim() : '';
    const members = membersOf(resource);
    return {
      externalId,
      name: (name || externalId).slice(0, MAX_NAME).toWellFormed(),
      groups: members.filter((member) => isGroup(member, ids)).map(({ value }) => value),
      users: members.filter((member) => !isGroup(member, ids)).map(({ value }) => value),
    };
  });
}

interface Member {
  readonly value: string;
  readonly type?: unknown;
  readonly $ref?: unknown;
}

const membersOf = ({ members }: Resource): readonly Member[] =>
  Array.isArray(members) ? members.filter((each) => typeof each?.value === 'string') : [];

function isGroup({ type, $ref, value }: Member, ids: ReadonlySet<string>): boolean {
  if (typeof type === 'string') return type.toLowerCase() === 'group';
  return typeof $ref === 'string' ? /\/Groups\//i.test($ref) : ids.has(value);
}
