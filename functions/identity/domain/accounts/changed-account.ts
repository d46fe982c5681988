import type {
  AccountLink,
  AccountStatus,
  DisabledBy,
  UserAccount,
  UserChange,
} from '../../../../shared/ports/identity.ts';

/** An account after a change; the same object when the change says nothing new. */
export function changedAccount(account: UserAccount, change: UserChange): UserAccount {
  const facts = { ...account, ...withoutUndefined(change.facts ?? {}) };
  const filled = Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== null),
  ) as unknown as UserAccount;
  const linked = (change.links ?? []).reduce(withLink, filled);
  const next = change.status ? withStatus(linked, change.status.to, change.status.by) : linked;
  return isSame(next, account) ? account : next;
}

/** An account after it was enabled or disabled: a source does not enable an account that an administrator has disabled. */
function withStatus(account: UserAccount, to: AccountStatus, by: DisabledBy): UserAccount {
  const { disabledBy, ...others } = account;
  if (to === 'ENABLED') {
    const stays = disabledBy === 'ADMIN' && by === 'SOURCE';
    return stays || account.status === 'ENABLED' ? account : { ...others, status: 'ENABLED' };
  }
  if (account.status === 'DISABLED' && (disabledBy === 'ADMIN' || disabledBy === by))
    return account;
  return { ...others, status: 'DISABLED', disabledBy: by };
}

/** A link as an account shows it. */
export const plainLink = ({ sourceId, externalId, alias }: AccountLink): AccountLink => ({
  ...{ sourceId, externalId },
  ...(alias !== undefined && { alias }),
});

function withLink(account: UserAccount, link: AccountLink): UserAccount {
  const known = account.links.find((each) => isLink(each, link));
  if (!known) return { ...account, links: [...account.links, plainLink(link)] };
  if (known.alias === link.alias) return account;
  const links = account.links.map((each) => (each === known ? plainLink(link) : each));
  return { ...account, links };
}

export const withoutLink = (account: UserAccount, gone: AccountLink): UserAccount =>
  account.links.some((link) => isLink(link, gone))
    ? { ...account, links: account.links.filter((link) => !isLink(link, gone)) }
    : account;

const isLink = (a: AccountLink, b: AccountLink): boolean =>
  a.sourceId === b.sourceId && a.externalId === b.externalId;

const withoutUndefined = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

const isSame = (a: UserAccount, b: UserAccount): boolean => textOf(a) === textOf(b);

const textOf = (account: UserAccount): string =>
  JSON.stringify(Object.entries(account).toSorted(([a], [b]) => (a < b ? -1 : 1)));
