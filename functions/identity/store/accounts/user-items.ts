import type {
  CountedLinks,
  LinkedAccount,
  SourceLink,
  UserAccount,
} from '../../../../shared/ports/identity.ts';
import { notExists, versionIs } from '../../../../shared/store/conditions.ts';
import type { Condition, Item } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import {
  aliasesPartition,
  linkKey,
  membersPartition,
  UNIQUE_FIELDS,
  type UniqueField,
  uniqueForm,
  uniqueKey,
  userKey,
  usersPartition,
} from './account-keys.ts';
import { ItemFailed } from './item-failed.ts';

export interface UserItem extends Item {
  readonly account: UserAccount;
}

export interface PointerItem extends Item {
  readonly userId: string;
}

export interface LinkItem extends PointerItem {
  readonly externalId: string;
  readonly hash: string;
  readonly active: boolean;
  readonly userName: string;
  readonly alias?: string;
}

/** A link with the account behind it, as runs compare it. */
export const linkedAccount = (item: LinkItem): LinkedAccount => {
  const { externalId, userId, hash, active, userName, alias } = item;
  return { externalId, userId, hash, active, userName, alias };
};

/** Which links count, as a filter of the table. */
export function countedLinks({ active, otherThan }: CountedLinks): Condition | undefined {
  const parts = [
    active !== undefined && (['active', '=', active] as const),
    otherThan !== undefined && (['hash', '<>', otherThan] as const),
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return {
    expression: parts.map(([name, is]) => `#${name} ${is} :${name}`).join(' AND '),
    names: Object.fromEntries(parts.map(([name]) => [`#${name}`, name])),
    values: Object.fromEntries(parts.map(([name, , value]) => [`:${name}`, value])),
  };
}

const CONFLICTS = {
  userName: 'USERNAME_CONFLICT',
  email: 'EMAIL_CONFLICT',
  phone: 'PHONE_CONFLICT',
} as const;
/** What lists search: the index projects at most 1 KB. */
const SEARCHED_CHARACTERS = 200;
const LISTED_DEPARTMENTS = 10;
const LISTED_SOURCES = 5;

/** Stages an account that is not stored yet, with its unique values and links. */
export function stageNewUser(
  unit: UnitOfWork,
  account: UserAccount,
  links: readonly SourceLink[],
): void {
  unit.put(headItem(account), {
    condition: notExists,
    otherwise: () => new ItemFailed('VERSION_CONFLICT'),
  });
  for (const field of UNIQUE_FIELDS) stageClaim(unit, field, account);
  for (const link of links) stageLink(unit, account, link);
}

/** Stages the next version of an account, and the unique values that it takes and leaves. */
export function stageUser(unit: UnitOfWork, next: UserAccount, before: UserAccount): void {
  unit.put(headItem(next), { condition: versionIs(before.version), otherwise: 'retry' });
  for (const field of UNIQUE_FIELDS) {
    if (formOf(field, next) === formOf(field, before)) continue;
    stageClaim(unit, field, next);
    stageRelease(unit, field, before);
  }
}

/** Stages that an account is gone, with all that points to it. */
export function stageUserGone(unit: UnitOfWork, account: UserAccount): void {
  unit.delete(userKey(account.id), { condition: versionIs(account.version), otherwise: 'retry' });
  for (const field of UNIQUE_FIELDS) stageRelease(unit, field, account);
  for (const { sourceId, externalId } of account.links) {
    stageLinkGone(unit, account, sourceId, externalId);
  }
}

/** Stages a link, which must be free or belong to the account. */
export function stageLink(unit: UnitOfWork, { id, userName }: UserAccount, link: SourceLink): void {
  const { sourceId, externalId, hash, active, alias } = link;
  unit.put(
    {
      ...linkKey(sourceId, externalId),
      ...(alias !== undefined && { gsi1pk: aliasesPartition(sourceId), gsi1sk: alias, alias }),
      type: 'user_link',
      ...{ userId: id, externalId, hash, active, userName },
    },
    { condition: freeOr(id), otherwise: () => new ItemFailed('LINK_CONFLICT') },
  );
}

export function stageLinkGone(
  unit: UnitOfWork,
  { id }: UserAccount,
  sourceId: string,
  externalId: string,
): void {
  unit.delete(linkKey(sourceId, externalId), { condition: freeOr(id), otherwise: 'retry' });
}

function stageClaim(unit: UnitOfWork, field: UniqueField, account: UserAccount): void {
  const value = account[field];
  if (value === undefined) return;
  unit.put(
    {
      ...uniqueKey(field, account.tenant ?? '', value),
      type: 'user_value',
      userId: account.id,
    },
    { condition: freeOr(account.id), otherwise: () => new ItemFailed(CONFLICTS[field]) },
  );
}

function stageRelease(unit: UnitOfWork, field: UniqueField, account: UserAccount): void {
  const value = account[field];
  if (value === undefined) return;
  unit.delete(uniqueKey(field, account.tenant ?? '', value), {
    condition: freeOr(account.id),
    otherwise: 'retry',
  });
}

const formOf = (field: UniqueField, account: UserAccount): string | undefined => {
  const value = account[field];
  return value === undefined ? undefined : uniqueForm(field, value);
};

/** Nobody has it, or the account itself. */
const freeOr = (userId: string): Condition => ({
  expression: 'attribute_not_exists(pk) OR #userId = :userId',
  names: { '#userId': 'userId' },
  values: { ':userId': userId },
});

function headItem(account: UserAccount) {
  const { id, tenant = '', userName, fullName = '', email = '', status, orgIds, links } = account;
  const [main] = orgIds;
  return {
    ...userKey(id),
    gsi1pk: usersPartition(tenant),
    gsi1sk: userName.toLowerCase(),
    ...(main !== undefined && { gsi2pk: membersPartition(main), gsi2sk: id }),
    type: 'user',
    version: account.version,
    summary: {
      q: `${userName}\n${fullName}\n${email}`.toLowerCase().slice(0, SEARCHED_CHARACTERS),
      status,
      orgIds: orgIds.slice(0, LISTED_DEPARTMENTS),
      sources: links.map(({ sourceId }) => sourceId).slice(0, LISTED_SOURCES),
    },
    account,
  };
}
