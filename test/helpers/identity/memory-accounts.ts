import type {
  AccountLink,
  CountedLinks,
  ItemFailure,
  ItemResult,
  NewUser,
  RemoveOptions,
  SourceLink,
  UserAccount,
  UserChange,
  UserRepository,
  WriteOptions,
} from '../../../shared/ports/identity.ts';

/** Says whether a writer may still write. */
export type MayWrite = (options?: WriteOptions) => Promise<boolean>;

const AT = '2026-03-01T09:30:00.000Z';
const failed = (code: ItemFailure): ItemResult<never> => ({ kind: 'failed', code, detail: code });

/** Accounts in memory, which counts what is written. */
export class MemoryAccounts implements UserRepository {
  readonly all = new Map<string, UserAccount>();
  readonly links = new Map<string, SourceLink & { readonly userId: string }>();
  writes = 0;
  /** How often all links of a source were read. */
  walks = 0;
  /** Runs before each write; what it throws the writer dies of. */
  beforeWrite: () => void = () => undefined;
  readonly #mayWrite: MayWrite;

  constructor(mayWrite: MayWrite) {
    this.#mayWrite = mayWrite;
  }

  async findById(id: string) {
    return this.all.get(id);
  }

  async findByUsername(userName: string) {
    return this.#find((each) => each.userName.toLowerCase() === userName.toLowerCase());
  }

  async findByEmail(email: string) {
    return this.#find((each) => each.email?.toLowerCase() === email.toLowerCase());
  }

  async findByExternal(sourceId: string, externalId: string) {
    const link = this.links.get(`${sourceId}/${externalId}`);
    return link && this.all.get(link.userId);
  }

  async findByAlias(sourceId: string, alias: string) {
    const found = [...this.links.values()].filter(
      (link) => link.sourceId === sourceId && link.alias === alias,
    );
    return found.length === 1 ? this.all.get(found[0]?.userId ?? '') : undefined;
  }

  async findLinks(sourceId: string, externalIds: readonly string[]) {
    return externalIds.flatMap((id) => {
      const link = this.links.get(`${sourceId}/${id}`);
      return link ? [{ ...link, userName: this.all.get(link.userId)?.userName }] : [];
    });
  }

  async countLinks(sourceId: string, { active, otherThan }: CountedLinks = {}) {
    let count = 0;
    for (const link of this.links.values()) {
      if (link.sourceId !== sourceId || link.hash === otherThan) continue;
      if (active === undefined || link.active === active) count += 1;
    }
    return count;
  }

  async *iterateLinks(sourceId: string) {
    this.walks += 1;
    const own = [...this.links.values()].filter((link) => link.sourceId === sourceId);
    for (const link of own.sort((a, b) => (a.externalId < b.externalId ? -1 : 1))) {
      yield { ...link, userName: this.all.get(link.userId)?.userName };
    }
  }

  async createMany(users: readonly NewUser[], options?: WriteOptions) {
    return this.#each(users, options, (user) => {
      const known = this.all.get(user.id);
      if (known) return { kind: 'ok', value: known };
      const conflict = this.#conflict(user);
      if (conflict) return failed(conflict);
      return this.#put({ ...user, version: 0, createdAt: AT, updatedAt: AT }, user.links);
    });
  }

  async updateMany(changes: readonly UserChange[], options?: WriteOptions) {
    return this.#each(changes, options, ({ id, version, facts = {}, status, links = [] }) => {
      const before = this.all.get(id);
      if (!before) return failed('NOT_FOUND');
      if (version !== undefined && version !== before.version) return failed('VERSION_CONFLICT');
      const given = Object.entries(facts).map(([name, value]) => [name, value ?? undefined]);
      const next: UserAccount = { ...before, ...Object.fromEntries(given) };
      const isNamed = [facts.userName, facts.email, facts.phone].some((value) => value);
      const conflict = isNamed && this.#conflict(next);
      if (conflict) return failed(conflict);
      const isKept = status?.by === 'SOURCE' && before.disabledBy === 'ADMIN';
      const isEnabled = status?.to === 'ENABLED';
      const disabledBy = isEnabled ? undefined : status?.by;
      return this.#put(
        { ...next, ...(status && !isKept && { status: status.to, disabledBy }) },
        links,
      );
    });
  }

  async setStatus(id: string, status: UserAccount['status'], by: 'ADMIN' | 'SOURCE') {
    const [result = failed('NOT_FOUND')] = await this.updateMany([
      { id, status: { to: status, by } },
    ]);
    return result;
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<ItemResult<undefined>> {
    const [result = failed('NOT_FOUND')] = await this.#each(
      [id],
      options,
      (): ItemResult<undefined> => {
        const known = this.all.get(id);
        const { version = known?.version } = options;
        if (known && version !== known.version) return failed('VERSION_CONFLICT');
        this.all.delete(id);
        for (const [key, link] of this.links) if (link.userId === id) this.links.delete(key);
        return { kind: 'ok', value: undefined };
      },
    );
    return result;
  }

  async link(userId: string, link: SourceLink, options?: WriteOptions) {
    const [result = failed('NOT_FOUND')] = await this.updateMany(
      [{ id: userId, links: [link] }],
      options,
    );
    return result;
  }

  async unlink(userId: string, { sourceId, externalId }: AccountLink, options?: WriteOptions) {
    const [result = failed('NOT_FOUND')] = await this.#each([userId], options, () => {
      const account = this.all.get(userId);
      if (!account) return failed('NOT_FOUND');
      this.links.delete(`${sourceId}/${externalId}`);
      const links = account.links.filter(
        (each) => each.externalId !== externalId || each.sourceId !== sourceId,
      );
      return this.#put({ ...account, links }, []);
    });
    return result;
  }

  /** Accounts as a test compares them: without ids, versions and stamps. */
  seen() {
    return [...this.all.values()]
      .map(({ userName, status, disabledBy, email, orgIds, links }) => ({
        ...{ userName, status, disabledBy, email, orgs: orgIds.length },
        links: links.map(({ externalId }) => externalId),
      }))
      .sort((a, b) => (a.userName < b.userName ? -1 : 1));
  }

  async #each<T, R>(
    items: readonly T[],
    options: WriteOptions | undefined,
    work: (item: T) => ItemResult<R>,
  ): Promise<ItemResult<R>[]> {
    const results: ItemResult<R>[] = [];
    for (const item of items) {
      this.beforeWrite();
      results.push((await this.#mayWrite(options)) ? work(item) : failed('FENCED'));
    }
    return results;
  }

  #put(account: UserAccount, links: readonly SourceLink[]): ItemResult<UserAccount> {
    for (const link of links) {
      this.links.set(`${link.sourceId}/${link.externalId}`, { ...link, userId: account.id });
    }
    const known = account.links.filter(
      (each) =>
        !links.some(
          (link) => link.sourceId === each.sourceId && link.externalId === each.externalId,
        ),
    );
    const own = links.map(({ sourceId, externalId }) => ({ sourceId, externalId }));
    const value = { ...account, links: [...known, ...own], version: account.version + 1 };
    this.all.set(account.id, value);
    this.writes += 1;
    return { kind: 'ok', value };
  }

  #find(test: (account: UserAccount) => boolean): UserAccount | undefined {
    return [...this.all.values()].find(test);
  }

  #conflict({
    id,
    userName,
    email,
    phone,
  }: Pick<UserAccount, 'id' | 'userName' | 'email' | 'phone'>) {
    const other = (test: (account: UserAccount) => boolean) =>
      this.#find((each) => each.id !== id && test(each));
    if (other((each) => each.userName.toLowerCase() === userName.toLowerCase()))
      return 'USERNAME_CONFLICT';
    if (email && other((each) => each.email === email)) return 'EMAIL_CONFLICT';
    return phone && other((each) => each.phone === phone) ? 'PHONE_CONFLICT' : undefined;
  }
}
