import type {
  IssuedSession,
  SessionIssuer,
  UserAccount,
  UserRepository,
} from '../../../shared/ports/identity.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { SESSION_ISSUER } from '../../../shared/sessions/session-issuer.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { IdentityProvider } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';
import type { ProviderConfigs } from '../login-providers/provider-configs.ts';
import type { OpenIdClient } from '../openid/openid-client.ts';
import {
  digest,
  type FinishedLogin,
  type LoginRepository,
  type StartedLogin,
} from '../store/providers/login-repository.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';
import type { Identity } from './known-accounts.ts';
import { requireOtherLogin } from './last-login.ts';
import type { LoginAccounts } from './login-accounts.ts';
import type { CallbackCall, LoginCall, Returned } from './login-calls.ts';
import { aSecret, isEqual, isProven } from './proofs.ts';

interface LoginServiceDependencies {
  readonly providers: ProviderRepository;
  readonly configs: ProviderConfigs;
  readonly logins: LoginRepository;
  readonly client: OpenIdClient;
  readonly loginAccounts: LoginAccounts;
  readonly accounts: Pick<AccountService, 'groupsOf'>;
  readonly users: UserRepository;
  readonly sessionIssuer: SessionIssuer;
  /** Whether subjects of other issuers are ids of accounts too: the host issues the tokens. */
  readonly hasOwnIssuer: boolean;
  readonly returnOrigins: readonly string[];
}

/** Logins through OpenID providers. */
export class LoginService {
  readonly #deps: LoginServiceDependencies;

  constructor(dependencies: LoginServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Begins a login.
   * @throws Problem `IDENTITY_PROVIDER_NOT_FOUND` (404), `RETURN_REFUSED` (400), `PROVIDER_UNAVAILABLE` (502)
   */
  async begin(code: string, call: LoginCall) {
    const { configs, client, logins } = this.#deps;
    const { returnTo, redirectUri, codeChallenge, isLink, browser = aSecret() } = call;
    this.#checkReturn(returnTo);
    const provider = await this.#enabled(code);
    const [state, nonce, verifier] = [aSecret(), aSecret(), aSecret()];
    const config = await configs.of(provider);
    const address = await client.loginAddress(config, { state, nonce, verifier, redirectUri });
    await logins.start(state, {
      ...{ providerId: provider.id, browser: digest(browser), nonce, verifier, redirectUri },
      ...{ returnTo, isLink, ...(codeChallenge !== undefined && { codeChallenge }) },
    });
    return { address, browser };
  }

  /**
   * Ends a login: later errors are reported to the application.
   * @throws Problem `IDENTITY_PROVIDER_NOT_FOUND` (404), `LOGIN_STATE_INVALID` (400)
   */
  async finish(code: string, call: CallbackCall): Promise<Returned> {
    const provider = await this.#enabled(code);
    const { state, browser = '' } = call;
    const login = await this.#deps.logins.takeStarted(
      state,
      (each) => each.providerId === provider.id && isEqual(each.browser, digest(browser)),
    );
    if (!login) throw problems.loginState();
    const { returnTo } = login;
    try {
      return { returnTo, code: await this.#identified(provider, login, call) };
    } catch (problem) {
      if (problem instanceof Problem) return { returnTo, problem };
      throw problem;
    }
  }

  /** Exchanges the code of a login for a token. @throws Problem `LOGIN_CODE_INVALID` (400), `ACCOUNT_DISABLED` (403) */
  async token(
    code: string,
    codeVerifier?: string,
  ): Promise<IssuedSession & { readonly user: UserAccount }> {
    const { logins, users, accounts, sessionIssuer } = this.#deps;
    const login = await logins.takeFinished(
      code,
      ({ userId, codeChallenge }) => userId !== undefined && isProven(codeChallenge, codeVerifier),
    );
    const user = login && (await this.#accountOf(login));
    if (!user) throw problems.loginCode();
    requireEnabled(user);
    const session = await sessionIssuer.issue(user, await accounts.groupsOf(user));
    // A token that is signed just after the account was disabled is younger than the revocation.
    requireEnabled(await users.findById(user.id));
    return { ...session, user };
  }

  /** The account of a login, as long as its provider and the link with it are there. */
  async #accountOf({ providerId, userId = '' }: FinishedLogin): Promise<UserAccount | undefined> {
    const { providers, users } = this.#deps;
    const [provider, user] = await Promise.all([
      providers.find(providerId),
      users.findById(userId),
    ]);
    const isLinked = user?.links.some(({ sourceId }) => sourceId === providerId);
    return provider?.enabled && isLinked ? user : undefined;
  }

  /**
   * Links the person of a login with the caller's account.
   * @throws Problem `LOGIN_CODE_INVALID` (400), `ACCOUNT_DISABLED` (403), `USER_NOT_FOUND` (404), `IDENTITY_LINKED` (409)
   */
  async link(code: string, proof: { code: string; codeVerifier: string }, caller: Principal) {
    const { logins, configs, loginAccounts } = this.#deps;
    const [provider, account] = await Promise.all([this.#enabled(code), this.#own(caller)]);
    requireEnabled(account);
    const login = await logins.takeFinished(
      proof.code,
      ({ providerId, identity, codeChallenge }) =>
        providerId === provider.id &&
        identity !== undefined &&
        codeChallenge !== undefined &&
        isProven(codeChallenge, proof.codeVerifier),
    );
    if (!login?.identity || (account.tenant ?? '') !== provider.tenant) throw problems.loginCode();
    const config = await configs.of(provider);
    await loginAccounts.link(account, { provider, config, ...login.identity });
  }

  /** Takes the links of a provider from the caller's account. @throws Problem `USER_NOT_FOUND` (404), `LAST_LOGIN` (409) */
  async unlink(code: string, caller: Principal): Promise<void> {
    const { providers, loginAccounts, hasOwnIssuer } = this.#deps;
    const [provider, account] = await Promise.all([this.#enabled(code), this.#own(caller)]);
    // A host that issues the tokens may have logins of its own.
    if (!hasOwnIssuer) await requireOtherLogin(account, provider, providers);
    await loginAccounts.unlink(account, provider);
  }

  async #identified(
    provider: IdentityProvider,
    login: StartedLogin,
    { code, error, iss }: CallbackCall,
  ): Promise<string> {
    const { configs, client, logins, loginAccounts } = this.#deps;
    const config = await configs.of(provider);
    await client.checkSender(config.issuer, iss);
    if (code === undefined || error !== undefined) {
      throw problems.loginRefused({ reason: 'The provider has refused the login.' });
    }
    const claims = await client.claims(config, { ...login, code });
    const identity: Identity = { provider, config, sub: claims.sub, claims };
    const { codeChallenge } = login;
    const found = login.isLink
      ? { identity: { sub: claims.sub, claims: {} } }
      : { userId: (await loginAccounts.of(identity)).id };
    const once = aSecret();
    await logins.finish(once, { providerId: provider.id, codeChallenge, ...found });
    return once;
  }

  async #enabled(code: string): Promise<IdentityProvider> {
    const provider = await this.#deps.providers.findByCode(code);
    if (!provider?.enabled) throw problems.providerNotFound({ provider: code });
    return provider;
  }

  /** The account of a caller whose token a login has given. */
  async #own({ id, issuer }: Principal): Promise<UserAccount> {
    const { users, hasOwnIssuer } = this.#deps;
    const isOurs = hasOwnIssuer || issuer === SESSION_ISSUER;
    const account = isOurs ? await users.findById(id) : undefined;
    if (!account) throw problems.userNotFound({ id });
    return account;
  }

  #checkReturn(returnTo: string): void {
    const url = URL.canParse(returnTo) ? new URL(returnTo) : undefined;
    // An address of the scheme blob has the origin of who has made it.
    const isOfWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
    const isKnown = isOfWeb && this.#deps.returnOrigins.includes(url.origin);
    if (!isKnown || url.username !== '' || url.password !== '') throw problems.returnRefused();
  }
}

/** @throws Problem `ACCOUNT_DISABLED` (403) */
function requireEnabled(account: UserAccount | undefined): void {
  if (account?.status !== 'ENABLED') throw problems.accountDisabled();
}
