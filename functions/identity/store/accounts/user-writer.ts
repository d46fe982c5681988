import type {
  ItemResult,
  NewUser,
  SourceLink,
  UserAccount,
  UserChange,
  WriteFence,
} from '../../../../shared/ports/identity.ts';
import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { revokedItem } from '../../../../shared/sessions/session-items.ts';
import type { Table } from '../../../../shared/store/table.ts';
import {
  apart,
  type RunUnitOfWork,
  type UnitOfWork,
} from '../../../../shared/store/unit-of-work.ts';
import { changedAccount, plainLink } from '../../domain/accounts/changed-account.ts';
import { linkKey, userKey } from './account-keys.ts';
import { stageFence } from './fence.ts';
import { ItemFailed, resultOf, succeeded } from './item-failed.ts';
import { type LinkItem, stageLink, stageNewUser, stageUser, type UserItem } from './user-items.ts';

export interface UserWriterDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
}

/** Accounts of one transaction: each takes at most 8 of its 100 writes. */
const AT_ONCE = 12;

type Stage<C> = (
  unit: UnitOfWork,
  commands: readonly C[],
) => Promise<readonly (UserAccount | ItemFailed)[]>;

/** Writes accounts in transactions of several; one that cannot be written does not hold back the others. */
export class UserWriter {
  readonly #deps: UserWriterDependencies;

  constructor(dependencies: UserWriterDependencies) {
    this.#deps = dependencies;
  }

  /** Writes in one transaction, under the fence, apart from a unit that may be open. */
  write<T>(
    fence: WriteFence | undefined,
    work: (unit: UnitOfWork) => Promise<T>,
    onError = (cause: unknown) => this.#deps.log.error('An account could not be stored', { cause }),
  ): Promise<ItemResult<T>> {
    const { unitOfWork } = this.#deps;
    const once = () =>
      apart(() =>
        unitOfWork(async (unit) => {
          const value = await work(unit);
          stageFence(unit, fence);
          return value;
        }),
      );
    return resultOf(once, onError);
  }

  /** Writes many: together as far as that goes, else one by one. */
  async writeAll<C>(
    commands: readonly C[],
    fence: WriteFence | undefined,
    stage: Stage<C>,
  ): Promise<readonly ItemResult<UserAccount>[]> {
    const results: ItemResult<UserAccount>[] = [];
    for (let at = 0; at < commands.length; at += AT_ONCE) {
      results.push(...(await this.#writeSome(commands.slice(at, at + AT_ONCE), fence, stage)));
    }
    return results;
  }

  async #writeSome<C>(
    commands: readonly C[],
    fence: WriteFence | undefined,
    stage: Stage<C>,
  ): Promise<readonly ItemResult<UserAccount>[]> {
    const work = async (unit: UnitOfWork) => (await stage(unit, commands)).map(accountOrThrow);
    // What goes wrong with several is noted when they are tried one by one.
    const together = await this.write(fence, work, commands.length > 1 ? () => {} : undefined);
    if (together.kind === 'ok') return together.value.map(succeeded);
    const isOver = together.code === 'FENCED';
    if (commands.length === 1 || isOver) return commands.map(() => together);
    const results: ItemResult<UserAccount>[] = [];
    for (const command of commands)
      results.push(...(await this.#writeSome([command], fence, stage)));
    return results;
  }

  /** Stages new accounts; one that is there already, with the same links, is left as it is. */
  async stageNew(
    unit: UnitOfWork,
    users: readonly NewUser[],
  ): Promise<readonly (UserAccount | ItemFailed)[]> {
    const known = await this.#accounts(users);
    return users.map((user) => {
      const there = known.get(user.id);
      if (there) return hasLinks(there, user.links) ? there : new ItemFailed('VERSION_CONFLICT');
      const account = this.#newAccount(user);
      stageNewUser(unit, account, user.links);
      return account;
    });
  }

  /** Stages changes; the tokens of accounts that they disable end. */
  async stageChanges(
    unit: UnitOfWork,
    changes: readonly UserChange[],
  ): Promise<readonly (UserAccount | ItemFailed)[]> {
    const known = await this.#accounts(changes);
    const applied = await this.#applied(changes, known);
    const revoked: string[] = [];
    const results = changes.map((change) => {
      const account = known.get(change.id);
      if (!account) return new ItemFailed('NOT_FOUND');
      if (change.version !== undefined && change.version !== account.version) {
        return applied.has(change.id) ? account : new ItemFailed('VERSION_CONFLICT');
      }
      const next = this.#stageChange(unit, account, change);
      if (next.status === 'DISABLED' && account.status === 'ENABLED') revoked.push(next.id);
      return next;
    });
    this.stageRevoked(unit, revoked);
    return results;
  }

  /** Stages that no token which these accounts have got is accepted any more: one item for all of them. */
  stageRevoked(unit: UnitOfWork, ids: readonly string[]): void {
    if (ids.length > 0) unit.put(revokedItem(ids, this.#deps.clock.now()));
  }

  nextVersion(next: UserAccount, { version }: UserAccount): UserAccount {
    return { ...next, version: version + 1, updatedAt: toInstant(this.#deps.clock.now()) };
  }

  #stageChange(unit: UnitOfWork, account: UserAccount, change: UserChange): UserAccount {
    const changed = changedAccount(account, change);
    const next = changed === account ? account : this.nextVersion(changed, account);
    if (next !== account) stageUser(unit, next, account);
    for (const link of change.links ?? []) stageLink(unit, next, link);
    return next;
  }

  #newAccount({ links, ...facts }: NewUser): UserAccount {
    const at = toInstant(this.#deps.clock.now());
    return {
      ...facts,
      links: links.map(plainLink),
      ...{ version: 1, createdAt: at, updatedAt: at },
    };
  }

  async #accounts(
    commands: readonly { readonly id: string }[],
  ): Promise<ReadonlyMap<string, UserAccount>> {
    const items = await this.#deps.table.getMany<UserItem>(commands.map(({ id }) => userKey(id)));
    return new Map(items.map(({ account }) => [account.id, account]));
  }

  /** Ids of accounts whose change was made before: their links have its digests already. */
  async #applied(
    changes: readonly UserChange[],
    known: ReadonlyMap<string, UserAccount>,
  ): Promise<ReadonlySet<string>> {
    const stale = changes.filter(({ id, version, links = [] }) => {
      const account = known.get(id);
      return version !== undefined && account?.version !== version && links.length > 0;
    });
    const links = stale.flatMap(({ links: wanted = [] }) => wanted);
    if (links.length === 0) return new Set();
    const items = await this.#deps.table.getMany<LinkItem>(
      links.map(({ sourceId, externalId }) => linkKey(sourceId, externalId)),
    );
    const digests = new Map(items.map((item) => [`${item.pk}\n${item.sk}`, item.hash]));
    const isThere = ({ sourceId, externalId, hash }: SourceLink): boolean => {
      const { pk, sk } = linkKey(sourceId, externalId);
      return digests.get(`${pk}\n${sk}`) === hash;
    };
    return new Set(stale.filter(({ links: all = [] }) => all.every(isThere)).map(({ id }) => id));
  }
}

function accountOrThrow(staged: UserAccount | ItemFailed): UserAccount {
  if (staged instanceof ItemFailed) throw staged;
  return staged;
}

const hasLinks = (account: UserAccount, links: readonly SourceLink[]): boolean =>
  links.every(({ sourceId, externalId }) =>
    account.links.some((link) => link.sourceId === sourceId && link.externalId === externalId),
  );
