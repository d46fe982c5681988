import type { DirectoryUser, SnapshotUser, UserValues } from './directory.ts';
import { fingerprint } from './fingerprint.ts';
import { compilePath, type ReadPath, type Resource, ScimPathError } from './scim-path.ts';

/** Fields of an account that a mapping may name; any other name becomes an attribute of its own. */
const ACCOUNT_FIELDS = [
  'userName',
  'email',
  'phone',
  'fullName',
  'nickName',
  'givenName',
  'familyName',
] as const;
type AccountField = (typeof ACCOUNT_FIELDS)[number];

const DEFAULTS: Readonly<Record<AccountField, string>> = {
  userName: 'userName',
  email: 'emails.value',
  phone: 'phoneNumbers.value',
  fullName: 'displayName',
  nickName: 'nickName',
  givenName: 'name.givenName',
  familyName: 'name.familyName',
};

const MAX_LENGTH = 255;
const FIELD_NAME = /^[A-Za-z][\w-]{0,63}$/;
const CONTROL = /\p{Cc}/u;

/** Groups of a source, as far as users need them. */
export interface Memberships {
  /** Whether a group is a department. */
  has(groupId: string): boolean;
  /** Groups that name a user as their member. */
  of(userId: string): readonly string[];
  /** Names of a group, for rules that name one. */
  nameOf(groupId: string): string | undefined;
}

/** Roles by the name or id of a group. */
export type RoleRules = Readonly<Record<string, readonly string[]>>;

/** Makes accounts of users. */
export type MapUser = (resource: Resource, memberships: Memberships) => SnapshotUser;

/**
 * Compiles the mapping of a source.
 * @throws ScimPathError naming the field
 */
export function compileMapping(
  mapping: Readonly<Record<string, string>> = {},
  roles: RoleRules = {},
): MapUser {
  const readers = Object.entries({ ...DEFAULTS, ...mapping }).map(
    ([field, path]) => [field, compiled(field, path)] as const,
  );
  const maps = Object.keys(roles).length > 0 || Object.keys(mapping).length > 0;
  const mark = maps ? fingerprint([mapping, roles]) : '';
  return (resource, memberships) => {
    const values = valuesOf(resource, readers);
    const externalId = String(resource.id ?? '');
    const userName = values.userName ?? '';
    if (userName === '') return { externalId, refused: 'NO_USERNAME' };
    if (!Object.values(values).every(isFit))
      return { externalId, userName, refused: 'INVALID_DATA' };
    const groups = groupsOf(resource, externalId, memberships);
    const user = {
      externalId,
      sourceExternalId: text(resource.externalId),
      ...account(values, resource),
      active: resource.active !== false,
      groups: groups.filter((id) => memberships.has(id)),
      roles: rolesOf(groups, roles, memberships),
      ...(groups.length > 0 && !groups.some((id) => memberships.has(id)) && { isOutside: true }),
    };
    return { ...user, hash: hashOf(user, mark) };
  };
}

function compiled(field: string, path: string): ReadPath {
  if (!FIELD_NAME.test(field)) throw new ScimPathError(`${field} is no name of a field`);
  try {
    return compilePath(path);
  } catch (error) {
    if (error instanceof ScimPathError) throw new ScimPathError(`${field} ${error.message}`);
    throw error;
  }
}

type Values = Readonly<Record<string, string | undefined>>;

const valuesOf = (
  resource: Resource,
  readers: readonly (readonly [string, ReadPath])[],
): Values => {
  const values: Record<string, string | undefined> = {};
  for (const [field, read] of readers) values[field] = text(read(resource));
  return values;
};

function account(values: Values, resource: Resource): UserValues {
  const { userName = '', email, phone, nickName, givenName, familyName, ...rest } = values;
  const { fullName, ...own } = rest;
  const attributes = Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return {
    userName,
    email: email?.toLowerCase(),
    phone,
    fullName: fullName ?? formatted(resource) ?? joined(givenName, familyName),
    nickName,
    givenName,
    familyName,
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}

const readFormatted = compilePath('name.formatted');
const formatted = (resource: Resource): string | undefined => text(readFormatted(resource));
const joined = (...names: readonly (string | undefined)[]): string | undefined =>
  names.filter((name) => name !== undefined).join(' ') || undefined;

/** What the user says of itself counts; only when it says nothing, what groups say of their members. */
function groupsOf(resource: Resource, userId: string, memberships: Memberships): readonly string[] {
  if (!Array.isArray(resource.groups)) return [...memberships.of(userId)].sort();
  const direct = (resource.groups as readonly Resource[]).flatMap((group) =>
    group?.type === 'indirect' ? [] : (text(group?.value) ?? []),
  );
  return [...new Set(direct)].sort();
}

function rolesOf(
  groups: readonly string[],
  rules: RoleRules,
  memberships: Memberships,
): readonly string[] {
  const named = groups.flatMap((id) => [id, memberships.nameOf(id) ?? id]);
  const found = named.flatMap((name) => (Object.hasOwn(rules, name) ? (rules[name] ?? []) : []));
  return [...new Set(found)].sort();
}

const hashOf = (user: Omit<DirectoryUser, 'hash'>, mark: string): string =>
  fingerprint([
    mark,
    ...[user.externalId, user.sourceExternalId, user.userName, user.email, user.phone],
    ...[user.fullName, user.nickName, user.givenName, user.familyName, user.active],
    ...[user.groups, user.roles, user.attributes],
  ]);

/** Numbers and truth values are written out; anything else is no text. */
function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const isFit = (value: string | undefined): boolean =>
  value === undefined || (value.length <= MAX_LENGTH && !CONTROL.test(value));
