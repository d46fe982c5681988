import type { AccountField } from './account-fields.ts';
import type { DirectoryUser, SnapshotUser, UserValues } from './directory.ts';
import { fingerprint } from './fingerprint.ts';
import { compilePath, type ReadPath, type Resource, ScimPathError } from './scim-path.ts';

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
/** Departments of one account: the account is one item, and so is its record in a run, with the departments before. */
const MAX_GROUPS = 1_000;
const FIELD_NAME = /^[A-Za-z][\w-]{0,63}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

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
  const { own, ...read } = readersOf(mapping);
  const mapsMore = Object.keys(roles).length > 0 || Object.keys(mapping).length > 0;
  const mark = mapsMore ? fingerprint([mapping, roles]) : '';
  return (resource, memberships) => {
    const externalId = String(resource.id ?? '');
    const userName = text(read.userName(resource));
    if (userName === undefined) return { externalId, refused: 'NO_USERNAME' };
    const groups = groupsOf(resource, externalId, memberships);
    const givenName = text(read.givenName(resource));
    const familyName = text(read.familyName(resource));
    const isOutside = groups.length > 0 && !groups.some((id) => memberships.has(id));
    const user: Omit<DirectoryUser, 'hash'> = {
      externalId,
      sourceExternalId: text(resource.externalId),
      userName,
      email: text(read.email(resource))?.toLowerCase(),
      phone: text(read.phone(resource)),
      fullName:
        text(read.fullName(resource)) ??
        text(readFormatted(resource)) ??
        joined(givenName, familyName),
      nickName: text(read.nickName(resource)),
      givenName,
      familyName,
      active: resource.active !== false,
      groups: groups.filter((id) => memberships.has(id)),
      roles: rolesOf(groups, roles, memberships),
      attributes: attributesOf(resource, own),
      isOutside: isOutside || undefined,
    };
    if (!isFitting(user)) {
      return {
        externalId,
        userName: userName.slice(0, MAX_LENGTH).toWellFormed(),
        refused: 'INVALID_DATA',
      };
    }
    return { ...user, hash: hashOf(user, mark) };
  };
}

type OwnReaders = readonly (readonly [string, ReadPath])[];
type Readers = Readonly<Record<AccountField, ReadPath>> & { readonly own: OwnReaders };

function readersOf(mapping: Readonly<Record<string, string>>): Readers {
  const of = (field: AccountField): ReadPath => compiled(field, mapping[field] ?? DEFAULTS[field]);
  const own = Object.entries(mapping).filter(([field]) => !Object.hasOwn(DEFAULTS, field));
  return {
    userName: of('userName'),
    email: of('email'),
    phone: of('phone'),
    fullName: of('fullName'),
    nickName: of('nickName'),
    givenName: of('givenName'),
    familyName: of('familyName'),
    own: own.map(([field, path]) => [field, compiled(field, path)] as const),
  };
}

function compiled(field: string, path: string): ReadPath {
  if (!FIELD_NAME.test(field)) throw new ScimPathError(`${field} is no name of a field`, field);
  try {
    return compilePath(path);
  } catch (error) {
    if (error instanceof ScimPathError) throw new ScimPathError(`${field} ${error.message}`, field);
    throw error;
  }
}

function attributesOf(resource: Resource, own: OwnReaders): UserValues['attributes'] {
  if (own.length === 0) return undefined;
  const attributes: Record<string, string> = {};
  for (const [field, read] of own) {
    const value = text(read(resource));
    if (value !== undefined) attributes[field] = value;
  }
  return Object.keys(attributes).length > 0 ? attributes : undefined;
}

const readFormatted = compilePath('name.formatted');
const joined = (...names: readonly (string | undefined)[]): string | undefined =>
  names.filter((name) => name !== undefined).join(' ') || undefined;

/** What the user says of itself counts; only when it says nothing, what groups say of their members. */
function groupsOf(resource: Resource, userId: string, memberships: Memberships): readonly string[] {
  if (!Array.isArray(resource.groups)) return inOrder([...memberships.of(userId)]);
  const direct: string[] = [];
  for (const group of resource.groups as readonly Resource[]) {
    const id = group?.type === 'indirect' ? undefined : text(group?.value);
    if (id !== undefined) direct.push(id);
  }
  return inOrder(direct);
}

const inOrder = (ids: readonly string[]): readonly string[] =>
  ids.length > 1 ? [...new Set(ids)].sort() : ids;

function rolesOf(
  groups: readonly string[],
  rules: RoleRules,
  memberships: Memberships,
): readonly string[] {
  if (Object.keys(rules).length === 0) return [];
  const named = groups.flatMap((id) => [id, memberships.nameOf(id) ?? id]);
  const found = named.flatMap((name) => (Object.hasOwn(rules, name) ? (rules[name] ?? []) : []));
  return [...new Set(found)].sort();
}

const hashOf = (user: Omit<DirectoryUser, 'hash'>, mark: string): string =>
  fingerprint([
    mark,
    user.externalId,
    user.sourceExternalId,
    user.userName,
    user.email,
    user.phone,
    user.fullName,
    user.nickName,
    user.givenName,
    user.familyName,
    user.active,
    user.groups,
    user.roles,
    user.attributes,
  ]);

/** Numbers and truth values are written out; anything else is not a text. */
function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const isFit = (value: string | undefined): boolean =>
  value === undefined ||
  (value.length <= MAX_LENGTH && value.isWellFormed() && !CONTROL.test(value));

const isFitting = (user: Omit<DirectoryUser, 'hash'>): boolean =>
  user.groups.length <= MAX_GROUPS &&
  isFit(user.userName) &&
  isFit(user.email) &&
  isFit(user.phone) &&
  isFit(user.fullName) &&
  isFit(user.nickName) &&
  isFit(user.givenName) &&
  isFit(user.familyName) &&
  isFit(user.sourceExternalId) &&
  (user.attributes === undefined || Object.values(user.attributes).every(isFit));
