import type {
  ItemResult,
  NewUser,
  UserAccount,
  UserRepository,
} from '../../../shared/ports/identity.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import {
  type Claims,
  claimOf,
  isTrustedMail,
  loginFacts,
  textOf,
} from '../domain/providers/claims.ts';
import type { IdentityProvider, OpenIdConfig } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';
import type { SourceRepository } from '../store/source-repository.ts';

/** A person as a provider knows it. */
export interface Identity {
  readonly provider: IdentityProvider;
  readonly config: OpenIdConfig;
  readonly sub: string;
  readonly claims: Claims;
}

interface LoginAccountsDependencies {
  readonly users: UserRepository;
  readonly sources: SourceRepository;
  readonly providers: Pick<ProviderRepository, 'find'>;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** Finds the account of a person who has logged in at a provider, or makes it. */
export class LoginAccounts {
  readonly #deps: LoginAccountsDependencies;

  constructor(dependencies: LoginAccountsDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `ACCOUNT_NOT_LINKED`, `ACCOUNT_DISABLED` (403) */
  async of(identity: Identity): Promise<UserAccount> {
    const linked = await this.#linked(identity);
    if (linked) return enabled(await this.#refreshed(linked, identity));
    const known = (await this.#ofSource(identity)) ?? (await this.#matched(identity));
    // A login neither enables nor links what is disabled.
    if (known) return this.link(enabled(known), identity);
    return enabled(await this.#made(identity));
  }

  /** Links an account with a person. @throws Problem `IDENTITY_LINKED` (409), `ACCOUNT_NOT_LINKED` (403) */
  async link({ id }: Pick<UserAccount, 'id'>, { provider, sub }: Identity): Promise<UserAccount> {
    const result = await this.#deps.users.link(id, linkOf(provider, sub));
    if (result.kind === 'ok') return result.value;
    throw result.code === 'LINK_CONFLICT' ? problems.identityLinked() : problems.accountNotLinked();
  }

  async #linked({ provider, sub }: Identity): Promise<UserAccount | undefined> {
    const account = await this.#deps.users.findByExternal(provider.id, sub);
    return account && ofTenant(account, provider) ? account : undefined;
  }

  /** The account that the provider's source has made, by its id there or by its user name. */
  async #ofSource({ provider, config, claims }: Identity): Promise<UserAccount | undefined> {
    const { users } = this.#deps;
    const { identitySourceId, tenant } = provider;
    const value = textOf(claimOf(claims, config.externalIdClaim));
    if (identitySourceId === undefined || value === undefined) return undefined;
    const byId = await users.findByExternal(identitySourceId, value);
    if (byId && ofTenant(byId, provider)) return byId;
    const named = await users.findByUsername(value, tenant);
    return named?.links.some(({ sourceId }) => sourceId === identitySourceId) ? named : undefined;
  }

  async #matched({ provider, config, claims }: Identity): Promise<UserAccount | undefined> {
    const { users } = this.#deps;
    const { matching, tenant, allowedDomains } = provider;
    const { userName, email } = loginFacts(claims, config);
    if (matching === 'username_link' && userName !== undefined) {
      return users.findByUsername(userName, tenant);
    }
    const isTrusted = isTrustedMail(claims, email, allowedDomains);
    return matching === 'email_link' && email !== undefined && isTrusted
      ? users.findByEmail(email, tenant)
      : undefined;
  }

  /** Makes an account; of two first logins at once one makes it, and the other one finds it. */
  async #made(identity: Identity): Promise<UserAccount> {
    const { provider, claims, config } = identity;
    const { email } = loginFacts(claims, config);
    if (await this.#isDenied(identity)) throw problems.accountNotLinked();
    const isOutside =
      provider.allowedDomains.length > 0 && !isTrustedMail(claims, email, provider.allowedDomains);
    if (!provider.autoCreate || isOutside) throw problems.accountNotLinked();
    const account = await this.#drafted(identity);
    const [result] = await this.#deps.users.createMany([account]);
    if (result?.kind === 'ok') return result.value;
    const others = await this.#linked(identity);
    if (others) return others;
    throw problems.accountNotLinked({ cause: failureOf(result) });
  }

  /** With `email_deny` and `username_deny` nobody gets an account whose address or name somebody else has. */
  async #isDenied({ provider, config, claims, sub }: Identity): Promise<boolean> {
    const { users } = this.#deps;
    const { matching, tenant } = provider;
    const { userName = sub, email } = loginFacts(claims, config);
    if (matching === 'username_deny') return Boolean(await users.findByUsername(userName, tenant));
    const isAsked = matching === 'email_deny' && email !== undefined;
    return isAsked && (await users.findByEmail(email, tenant)) !== undefined;
  }

  async #drafted({ provider, config, sub, claims }: Identity): Promise<NewUser> {
    const { roles, ...facts } = loginFacts(claims, config);
    const { orgIds, isEnabled } = await this.#placeOf(provider);
    return {
      ...facts,
      ...{ id: this.#deps.ids(), tenant: provider.tenant, userName: facts.userName ?? sub, orgIds },
      // Who cannot show that an address is theirs does not take it from others.
      email: claims.email_verified === false ? undefined : facts.email,
      ...(roles && { roles }),
      ...(isEnabled ? { status: 'ENABLED' } : { status: 'DISABLED', disabledBy: 'ADMIN' }),
      ...{ origin: 'IDP', links: [linkOf(provider, sub)] },
    };
  }

  /** Where new accounts belong to, and whether they may log in at once: as the source says, if there is one. */
  async #placeOf({ identitySourceId }: IdentityProvider) {
    if (identitySourceId === undefined) return { orgIds: [], isEnabled: true };
    const { sources } = this.#deps;
    const source = await sources.find(identitySourceId);
    if (!source) return { orgIds: [], isEnabled: false };
    const { organization, user } = source.strategyConfig;
    const target = organization.targetId ?? (await sources.state(source.id)).rootDepartmentId;
    return { orgIds: target === undefined ? [] : [target], isEnabled: user.enabled };
  }

  /** Follows what the provider says of an account that a login has made, while no source does that. */
  async #refreshed(account: UserAccount, { claims, config }: Identity): Promise<UserAccount> {
    if (account.origin !== 'IDP' || (await this.#isOfSource(account))) return account;
    const facts = loginFacts(claims, config);
    const given = Object.entries({ ...facts, userName: facts.userName ?? account.userName });
    const known = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    if (claims.email_verified === false) delete known.email;
    const [result] = await this.#deps.users.updateMany([{ id: account.id, facts: known }]);
    if (result?.kind === 'ok') return result.value;
    this.#deps.log.warn('What a login says of an account was not stored', failureOf(result));
    return account;
  }

  async #isOfSource({ links }: UserAccount): Promise<boolean> {
    const found = await Promise.all(
      links.map(({ sourceId }) => this.#deps.providers.find(sourceId)),
    );
    return found.includes(undefined);
  }
}

const failureOf = (result: ItemResult<UserAccount> | undefined) => ({
  code: result?.kind === 'failed' ? result.code : 'REPOSITORY_ERROR',
});

const linkOf = ({ id: sourceId }: IdentityProvider, externalId: string) => ({
  ...{ sourceId, externalId, hash: 'login', active: true },
});

const ofTenant = ({ tenant = '' }: UserAccount, provider: IdentityProvider): boolean =>
  tenant === provider.tenant;

function enabled(account: UserAccount): UserAccount {
  if (account.status !== 'ENABLED') throw problems.accountDisabled();
  return account;
}
