import type {
  AccountLink,
  ProtectedAccounts,
  UserAccount,
  UserRepository,
} from '../../../shared/ports/identity.ts';
import {
  type Claims,
  isTrustedMail,
  loginFacts,
  provenClaim,
  textOf,
} from '../domain/providers/claims.ts';
import type { IdentityProvider, OpenIdConfig } from '../domain/providers/provider.ts';

/** A person by the identifiers of a provider. */
export interface Identity {
  readonly provider: IdentityProvider;
  readonly config: OpenIdConfig;
  readonly sub: string;
  readonly claims: Claims;
}

export interface KnownAccountsDependencies {
  readonly users: UserRepository;
  readonly protectedAccounts?: ProtectedAccounts | undefined;
}

/** Finds the account of a person among those that are there. */
export class KnownAccounts {
  readonly #deps: KnownAccountsDependencies;

  constructor(dependencies: KnownAccountsDependencies) {
    this.#deps = dependencies;
  }

  /** The account that is linked with the person. */
  async linked({ provider, sub }: Identity): Promise<UserAccount | undefined> {
    const account = await this.#deps.users.findByExternal(provider.id, sub);
    return account && ofTenant(account, provider) ? account : undefined;
  }

  /** The account that the provider's source has made, by an id there or by its user name. */
  async ofSource({ provider, config, claims }: Identity): Promise<UserAccount | undefined> {
    const { users } = this.#deps;
    const { identitySourceId, tenant } = provider;
    const value = textOf(provenClaim(claims, config.externalIdClaim));
    if (identitySourceId === undefined || value === undefined) return undefined;
    const byId = await users.findByExternal(identitySourceId, value);
    if (byId && ofTenant(byId, provider)) return byId;
    const byAlias = await users.findByAlias(identitySourceId, value);
    if (byAlias && ofTenant(byAlias, provider)) return byAlias;
    const named = await users.findByUsername(value, tenant);
    return named?.links.some(({ sourceId }) => sourceId === identitySourceId) ? named : undefined;
  }

  /** The account that the claims name. A protected one, and that of another person of the provider, are linked by hand. */
  async matched(identity: Identity): Promise<UserAccount | undefined> {
    const account = await this.#named(identity);
    if (account?.links.some((link) => isOther(link, identity))) return undefined;
    const isProtected = account && (await this.#deps.protectedAccounts?.isProtected(account));
    return isProtected ? undefined : account;
  }

  async #named({ provider, config, claims }: Identity): Promise<UserAccount | undefined> {
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
}

const ofTenant = ({ tenant = '' }: UserAccount, provider: IdentityProvider): boolean =>
  tenant === provider.tenant;

/** Whether a link is with another person of the provider. */
const isOther = ({ sourceId, externalId }: AccountLink, { provider, sub }: Identity): boolean =>
  sourceId === provider.id && externalId !== sub;
