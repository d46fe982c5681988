import type { LinkedAccount, UserRepository } from '../../../../shared/ports/identity.ts';
import {
  isRefused,
  type SnapshotUser,
  type UserOutline,
} from '../../domain/directory/directory.ts';
import type { KnownOfSome } from '../../domain/plan/user-plan.ts';

interface KnownUsersDependencies {
  readonly users: Pick<UserRepository, 'findLinks' | 'findByAlias'>;
  readonly providerIdsOf?: ((sourceId: string) => Promise<readonly string[]>) | undefined;
}

/** Links that are asked for at once. */
const AT_ONCE = 100;

/** Looks up links and accounts of some users of a source, without a walk over all links. */
export class KnownUsers {
  readonly #deps: KnownUsersDependencies;
  readonly #sourceId: string;
  #providerIds: readonly string[] | undefined;

  constructor(dependencies: KnownUsersDependencies, sourceId: string) {
    this.#deps = dependencies;
    this.#sourceId = sourceId;
  }

  /** The links of users, and the accounts that those without one may have already. */
  async of(users: readonly UserOutline[]): Promise<KnownOfSome> {
    const some = users.filter(({ hash }) => hash !== undefined);
    const links = await this.links(some.map(({ externalId }) => externalId));
    const linked = new Set(links.map(({ externalId }) => externalId));
    const accounts = new Map<string, string>();
    for (const { externalId, whole } of some) {
      const account = linked.has(externalId) ? undefined : await this.#account(whole());
      if (account !== undefined) accounts.set(externalId, account);
    }
    return { links, accounts };
  }

  async links(externalIds: readonly string[]): Promise<readonly LinkedAccount[]> {
    const links: LinkedAccount[] = [];
    for (let at = 0; at < externalIds.length; at += AT_ONCE) {
      const some = externalIds.slice(at, at + AT_ONCE);
      links.push(...(await this.#deps.users.findLinks(this.#sourceId, some)));
    }
    return links;
  }

  /** The account that was linked under another id and has the same alias, or that a login has made. */
  async #account(user: SnapshotUser): Promise<string | undefined> {
    if (isRefused(user)) return undefined;
    const { externalId, sourceExternalId, userName } = user;
    const { users } = this.#deps;
    const former =
      sourceExternalId === undefined
        ? undefined
        : await users.findByAlias(this.#sourceId, sourceExternalId);
    if (former) return former.id;
    for (const name of new Set([externalId, sourceExternalId ?? userName, userName])) {
      for (const providerId of await this.#providers()) {
        const login = await users.findByAlias(providerId, name);
        if (login) return login.id;
      }
    }
    return undefined;
  }

  async #providers(): Promise<readonly string[]> {
    this.#providerIds ??= (await this.#deps.providerIdsOf?.(this.#sourceId)) ?? [];
    return this.#providerIds;
  }
}
