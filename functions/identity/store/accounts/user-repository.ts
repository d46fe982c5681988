import type {
  AccountLink,
  AccountStatus,
  CountedLinks,
  DisabledBy,
  ItemResult,
  LinkedAccount,
  NewUser,
  RemoveOptions,
  SourceLink,
  UserAccount,
  UserChange,
  UserRepository,
  WriteOptions,
} from '../../../../shared/ports/identity.ts';
import type { Item, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { withoutLink } from '../../domain/accounts/changed-account.ts';
import {
  aliasesPartition,
  linkKey,
  linksPartition,
  type UniqueField,
  uniqueKey,
  userKey,
} from './account-keys.ts';
import { ItemFailed } from './item-failed.ts';
import {
  countedLinks,
  type LinkItem,
  linkedAccount,
  type PointerItem,
  stageLinkGone,
  stageUser,
  stageUserGone,
  type UserItem,
} from './user-items.ts';
import { UserWriter, type UserWriterDependencies } from './user-writer.ts';

interface TableUsersDependencies extends UserWriterDependencies {
  readonly table: Table;
}

const LINKS_AT_ONCE = 1_000;

/** The accounts in the one table. */
export class TableUsers implements UserRepository {
  readonly #table: Table;
  readonly #writer: UserWriter;

  constructor(dependencies: TableUsersDependencies) {
    this.#table = dependencies.table;
    this.#writer = new UserWriter(dependencies);
  }

  async findById(id: string): Promise<UserAccount | undefined> {
    return (await this.#table.get<UserItem>(userKey(id)))?.account;
  }

  findByUsername(userName: string, tenant = ''): Promise<UserAccount | undefined> {
    return this.#byValue('userName', tenant, userName);
  }

  findByEmail(email: string, tenant = ''): Promise<UserAccount | undefined> {
    return this.#byValue('email', tenant, email);
  }

  async findByExternal(sourceId: string, externalId: string): Promise<UserAccount | undefined> {
    const link = await this.#table.get<LinkItem>(linkKey(sourceId, externalId));
    return link && this.findById(link.userId);
  }

  /** Of several accounts with an alias none is meant. */
  async findByAlias(sourceId: string, alias: string): Promise<UserAccount | undefined> {
    const { items } = await this.#table.query<Item>({
      ...{ index: 'gsi1', partition: aliasesPartition(sourceId), limit: 2 },
      between: { from: alias, to: alias },
    });
    const [first, ...others] = items;
    return first && others.length === 0 ? this.findByExternal(sourceId, first.sk) : undefined;
  }

  async findLinks(
    sourceId: string,
    externalIds: readonly string[],
  ): Promise<readonly LinkedAccount[]> {
    const keys = externalIds.map((externalId) => linkKey(sourceId, externalId));
    return (await this.#table.getMany<LinkItem>(keys)).map(linkedAccount);
  }

  countLinks(sourceId: string, which: CountedLinks = {}): Promise<number> {
    const filter = countedLinks(which);
    return this.#table.count({
      ...{ partition: linksPartition(sourceId), consistent: true, ...(filter && { filter }) },
    });
  }

  async *iterateLinks(sourceId: string): AsyncGenerator<LinkedAccount> {
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await this.#table.query<LinkItem>({
        partition: linksPartition(sourceId),
        limit: LINKS_AT_ONCE,
        startKey,
        consistent: true,
      });
      for (const item of page.items) yield linkedAccount(item);
      startKey = page.lastKey;
    } while (startKey);
  }

  createMany(
    users: readonly NewUser[],
    { fence }: WriteOptions = {},
  ): Promise<readonly ItemResult<UserAccount>[]> {
    return this.#writer.writeAll(users, fence, (unit, some) => this.#writer.stageNew(unit, some));
  }

  updateMany(
    changes: readonly UserChange[],
    { fence }: WriteOptions = {},
  ): Promise<readonly ItemResult<UserAccount>[]> {
    return this.#writer.writeAll(changes, fence, (unit, some) =>
      this.#writer.stageChanges(unit, some),
    );
  }

  setStatus(id: string, to: AccountStatus, by: DisabledBy): Promise<ItemResult<UserAccount>> {
    return this.#one({ id, status: { to, by } });
  }

  remove(id: string, { fence, version }: RemoveOptions = {}): Promise<ItemResult<undefined>> {
    return this.#writer.write(fence, async (unit) => {
      const account = await this.findById(id);
      if (!account) return undefined;
      if (version !== undefined && version !== account.version) {
        throw new ItemFailed('VERSION_CONFLICT');
      }
      stageUserGone(unit, account);
      this.#writer.stageRevoked(unit, [account.id]);
      return undefined;
    });
  }

  link(userId: string, link: SourceLink, options?: WriteOptions): Promise<ItemResult<UserAccount>> {
    return this.#one({ id: userId, links: [link] }, options);
  }

  unlink(
    userId: string,
    { sourceId, externalId }: AccountLink,
    { fence }: WriteOptions = {},
  ): Promise<ItemResult<UserAccount>> {
    return this.#writer.write(fence, async (unit) => {
      const account = await this.#existing(userId);
      const next = withoutLink(account, { sourceId, externalId });
      if (next === account) return account;
      return this.#stageUnlinked(unit, account, next, { sourceId, externalId });
    });
  }

  #stageUnlinked(
    unit: UnitOfWork,
    account: UserAccount,
    next: UserAccount,
    { sourceId, externalId }: AccountLink,
  ): UserAccount {
    const stored = this.#writer.nextVersion(next, account);
    stageUser(unit, stored, account);
    stageLinkGone(unit, account, sourceId, externalId);
    return stored;
  }

  async #one(change: UserChange, options?: WriteOptions): Promise<ItemResult<UserAccount>> {
    const [result] = await this.updateMany([change], options);
    return result as ItemResult<UserAccount>;
  }

  async #existing(id: string): Promise<UserAccount> {
    const account = await this.findById(id);
    if (!account) throw new ItemFailed('NOT_FOUND');
    return account;
  }

  async #byValue(
    field: UniqueField,
    tenant: string,
    value: string,
  ): Promise<UserAccount | undefined> {
    const pointer = await this.#table.get<PointerItem>(uniqueKey(field, tenant, value));
    return pointer && this.findById(pointer.userId);
  }
}
