import type { ItemResult, NewUser, UserAccount } from '../../../shared/ports/identity.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import {
  isTrustedMail,
  loginFacts,
  provenClaim,
  statedMail,
  textOf,
} from '../domain/providers/claims.ts';
import type { IdentityProvider } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import { type Identity, KnownAccounts, type KnownAccountsDependencies } from './known-accounts.ts';

interface LoginAccountsDependencies extends KnownAccountsDependencies {
  readonly sources: SourceRepository;
  readonly providers: Pick<ProviderRepository, 'find'>;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** Finds the account of a person who has logged in at a provider, or makes it. */
export class LoginAccounts {
  readonly #deps: LoginAccountsDependencies;
  readonly #known: KnownAccounts;

  constructor(dependencies: LoginAccountsDependencies) {
    this.#deps = dependencies;
    this.#known = new KnownAccounts(dependencies);
  }

  /** @throws Problem `ACCOUNT_NOT_LINKED`, `ACCOUNT_DISABLED` (403) */
  async of(identity: Identity): Promise<UserAccount> {
    const linked = await this.#known.linked(identity);
    if (linked) return enabled(await this.#refreshed(linked, identity));
    const known = (await this.#known.ofSource(identity)) ?? (await this.#known.matched(identity));
    // A login neither enables nor links what is disabled.
    if (known) return this.link(enabled(known), identity);
    return enabled(await this.#made(identity));
  }

  /** Links an account with a person. @throws Problem `IDENTITY_LINKED` (409), `ACCOUNT_NOT_LINKED` (403) */
  async link({ id }: Pick<UserAccount, 'id'>, identity: Identity): Promise<UserAccount> {
    const result = await this.#deps.users.link(id, linkOf(identity));
    if (result.kind === 'ok') return result.value;
    if (result.code === 'LINK_CONFLICT') throw problems.identityLinked();
    throw result.code === 'NOT_FOUND' ? problems.accountNotLinked() : notStored(result);
  }

  /** Takes the links with persons of a provider from an account. */
  async unlink({ id, links }: UserAccount, provider: IdentityProvider): Promise<void> {
    for (const link of links.filter(({ sourceId }) => sourceId === provider.id)) {
      const result = await this.#deps.users.unlink(id, link);
      if (result.kind === 'failed' && result.code !== 'NOT_FOUND') throw notStored(result);
    }
  }

  /** Makes an account; of two first logins at once one makes it, and the other one finds it. */
  async #made(identity: Identity): Promise<UserAccount> {
    const { provider, claims, config } = identity;
    const { email } = loginFacts(claims, config);
    const isOutside =
      provider.allowedDomains.length > 0 && !isTrustedMail(claims, email, provider.allowedDomains);
    if (!provider.autoCreate || isOutside) throw problems.accountNotLinked();
    if (await this.#isDenied(identity)) return this.#madeMeanwhile(identity);
    const account = await this.#drafted(identity);
    const [result] = await this.#deps.users.createMany([account]);
    if (result?.kind === 'ok') return result.value;
    if (result?.kind === 'failed' && result.code !== 'REPOSITORY_ERROR') {
      return this.#madeMeanwhile(identity, failureOf(result));
    }
    throw notStored(result);
  }

  /** @throws Problem `ACCOUNT_NOT_LINKED` (403) */
  async #madeMeanwhile(identity: Identity, cause?: object): Promise<UserAccount> {
    const account = await this.#known.linked(identity);
    if (account) return account;
    throw problems.accountNotLinked(cause && { cause });
  }

  /** With `email_deny` and `username_deny` no account is made with the address or name of another account. */
  async #isDenied({ provider, config, claims, sub }: Identity): Promise<boolean> {
    const { users } = this.#deps;
    const { matching, tenant } = provider;
    const { userName = sub } = loginFacts(claims, config);
    const email = statedMail(claims, config);
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
      ...(roles && { roles }),
      ...(isEnabled ? { status: 'ENABLED' } : { status: 'DISABLED', disabledBy: 'ADMIN' }),
      ...{ origin: 'IDP', links: [linkOf({ provider, config, sub, claims })] },
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
    const [result] = await this.#deps.users.updateMany([{ id: account.id, facts: known }]);
    if (result?.kind === 'ok') return result.value;
    this.#deps.log.warn('The account data of a login was not stored', failureOf(result));
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

const notStored = (result: ItemResult<UserAccount> | undefined): Error =>
  httpProblems.serviceUnavailable({ cause: failureOf(result) });

/** The alias identifies the person at the source of the provider, so that its next run finds the account. */
function linkOf({ provider, config, sub: externalId, claims }: Identity) {
  const { id: sourceId, identitySourceId } = provider;
  const alias =
    identitySourceId === undefined
      ? undefined
      : textOf(provenClaim(claims, config.externalIdClaim));
  return { sourceId, externalId, hash: 'login', active: true, alias };
}

function enabled(account: UserAccount): UserAccount {
  if (account.status !== 'ENABLED') throw problems.accountDisabled();
  return account;
}
