import type { AccountsUnderTest } from '../../../../functions/identity/contract/contract-case.ts';
import {
  changedAccount,
  plainLink,
  withoutLink,
} from '../../../../functions/identity/domain/accounts/changed-account.ts';
import type {
  ItemResult,
  NewUser,
  SourceLink,
  UserAccount,
  UserChange,
} from '../../../../shared/ports/identity.ts';
import { done, type IsFenced, refused } from './memory-results.ts';

const AT = '2026-07-01T08:00:00.000Z';
const UNIQUE = [
  ['userName', 'USERNAME_CONFLICT'],
  ['email', 'EMAIL_CONFLICT'],
  ['phone', 'PHONE_CONFLICT'],
] as const;

/** Accounts in maps. */
export function memoryUsers(isFenced: IsFenced) {
  const accounts = new Map<string, UserAccount>();
  const values = new Map<string, string>();
  const links = new Map<string, Map<string, SourceLink & { userId: string }>>();
  const ofSource = (id: string) => links.get(id) ?? links.set(id, new Map()).get(id) ?? new Map();
  const keysOf = (account: UserAccount) =>
    UNIQUE.flatMap(([field, conflict]) => {
      const value = account[field];
      if (value === undefined) return [];
      const form = field === 'phone' ? value.replace(/[^\d+]/g, '') : value.toLowerCase();
      return [{ key: `${field}#${account.tenant ?? ''}#${form}`, conflict }];
    });
  const store = (
    next: UserAccount,
    before: UserAccount | undefined,
    changed: readonly SourceLink[],
  ): ItemResult<UserAccount> => {
    const taken = keysOf(next).find(({ key }) => (values.get(key) ?? next.id) !== next.id);
    if (taken) return refused(taken.conflict);
    const foreign = changed.some(
      ({ sourceId, externalId }) =>
        (ofSource(sourceId).get(externalId)?.userId ?? next.id) !== next.id,
    );
    if (foreign) return refused('LINK_CONFLICT');
    for (const { key } of before ? keysOf(before) : []) values.delete(key);
    for (const { key } of keysOf(next)) values.set(key, next.id);
    for (const link of changed) {
      ofSource(link.sourceId).set(link.externalId, { ...link, userId: next.id });
    }
    accounts.set(next.id, next);
    return done(next);
  };
  const isApplied = (wanted: readonly SourceLink[]): boolean =>
    wanted.length > 0 &&
    wanted.every(
      ({ sourceId, externalId, hash }) => ofSource(sourceId).get(externalId)?.hash === hash,
    );
  const create = ({ links: wanted, ...facts }: NewUser): ItemResult<UserAccount> => {
    const there = accounts.get(facts.id);
    if (there) return done(there);
    const known = wanted.map(plainLink);
    return store(
      { ...facts, links: known, version: 1, createdAt: AT, updatedAt: AT },
      undefined,
      wanted,
    );
  };
  const update = (change: UserChange): ItemResult<UserAccount> => {
    const before = accounts.get(change.id);
    if (!before) return refused('NOT_FOUND');
    const wanted = change.links ?? [];
    if (change.version !== undefined && change.version !== before.version) {
      return isApplied(wanted) ? done(before) : refused('VERSION_CONFLICT');
    }
    const changed = changedAccount(before, change);
    const version = before.version + (changed === before ? 0 : 1);
    return store({ ...changed, version }, before, wanted);
  };
  const users: AccountsUnderTest['users'] = {
    findById: async (id) => accounts.get(id),
    findByUsername: async (name, tenant = '') =>
      accounts.get(values.get(`userName#${tenant}#${name.toLowerCase()}`) ?? ''),
    findByEmail: async (email, tenant = '') =>
      accounts.get(values.get(`email#${tenant}#${email.toLowerCase()}`) ?? ''),
    findByExternal: async (sourceId, externalId) =>
      accounts.get(ofSource(sourceId).get(externalId)?.userId ?? ''),
    findByAlias: async (sourceId, alias) => {
      const own = [...ofSource(sourceId).values()].filter((link) => link.alias === alias);
      return own.length === 1 ? accounts.get(own[0]?.userId ?? '') : undefined;
    },
    findLinks: async (sourceId, externalIds) =>
      externalIds.flatMap((id) => {
        const link = ofSource(sourceId).get(id);
        return link ? [{ ...link, userName: accounts.get(link.userId)?.userName }] : [];
      }),
    countLinks: async (sourceId, { active, otherThan } = {}) =>
      [...ofSource(sourceId).values()].filter(
        (link) => (active === undefined || link.active === active) && link.hash !== otherThan,
      ).length,
    async *iterateLinks(sourceId) {
      const sorted = [...ofSource(sourceId).values()].toSorted((a, b) =>
        Buffer.compare(Buffer.from(a.externalId), Buffer.from(b.externalId)),
      );
      for (const { externalId, userId, hash, active } of sorted) {
        yield { externalId, userId, hash, active, userName: accounts.get(userId)?.userName ?? '' };
      }
    },
    createMany: async (all, options) =>
      all.map((user) => (isFenced(options) ? refused('FENCED') : create(user))),
    updateMany: async (changes, options) =>
      changes.map((change) => (isFenced(options) ? refused('FENCED') : update(change))),
    setStatus: async (id, to, by) =>
      (await users.updateMany([{ id, status: { to, by } }]))[0] ?? refused('NOT_FOUND'),
    remove: async (id, options) => {
      if (isFenced(options)) return refused('FENCED');
      const account = accounts.get(id);
      const { version = account?.version } = options ?? {};
      if (account && version !== account.version) return refused('VERSION_CONFLICT');
      for (const { key } of account ? keysOf(account) : []) values.delete(key);
      for (const link of account?.links ?? []) ofSource(link.sourceId).delete(link.externalId);
      accounts.delete(id);
      return done(undefined);
    },
    link: async (id, link, options) =>
      (await users.updateMany([{ id, links: [link] }], options))[0] ?? refused('NOT_FOUND'),
    unlink: async (id, link, options) => {
      if (isFenced(options)) return refused('FENCED');
      const before = accounts.get(id);
      if (!before) return refused('NOT_FOUND');
      ofSource(link.sourceId).delete(link.externalId);
      return store({ ...withoutLink(before, link), version: before.version + 1 }, before, []);
    },
  };
  const isMember = (departmentId: string) =>
    [...accounts.values()].some(({ orgIds }) => orgIds.includes(departmentId));
  return { users, isMember };
}
