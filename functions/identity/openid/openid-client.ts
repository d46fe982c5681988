import { createHash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { SIGNATURE_ALGORITHMS } from '../../../shared/config/sections/security.ts';
import type { HttpClient } from '../../../shared/http-client/contract.ts';
import { HttpClientError } from '../../../shared/http-client/http-client-error.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { isFit } from '../domain/providers/claims.ts';
import type { OpenIdConfig } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';
import { discovered, discoveryAddress, type ProviderFacts } from './provider-facts.ts';
import { tokenRequest } from './token-request.ts';

const TOLERANCE_S = 60;
const FRESH_MS = 10 * 60_000;
/** Of one call: a login makes up to four before the gateway gives up. */
const LIMITS = { totalTimeoutMs: 7_000, maxBytes: 524_288 };

const tokens = lazy(() => z.object({ id_token: z.string(), access_token: z.string().optional() }));
const person = lazy(() => z.looseObject({ sub: z.string() }));

/** What the exchange of a code is made with. */
export interface CodeExchange {
  readonly code: string;
  readonly verifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

interface OpenIdClientDependencies {
  readonly http: HttpClient;
  readonly keysOf: (jwksUri: string, issuer: string) => JWTVerifyGetKey;
  readonly clock: Clock;
  /** Whether an address may be opened by browsers: https, or a host that the configuration names. */
  readonly mayOpen: (address: URL) => boolean;
}

export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

/** Talks to OpenID providers. @see OpenID Connect Core 1.0; RFC 7636 (PKCE); RFC 9207 (iss) */
export class OpenIdClient {
  readonly #deps: OpenIdClientDependencies;
  readonly #known = new Map<string, { readonly facts: ProviderFacts; readonly until: number }>();

  constructor(dependencies: OpenIdClientDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `PROVIDER_UNAVAILABLE` (502) */
  async discover(issuer: string): Promise<ProviderFacts> {
    const { http, clock, mayOpen } = this.#deps;
    const known = this.#known.get(issuer);
    if (known && known.until > clock.now()) return known.facts;
    const facts = await reached(
      () => http.json(discoveryAddress(issuer), discovered(), LIMITS),
      false,
    );
    if (facts.issuer !== issuer || !mayOpen(new URL(facts.authorization_endpoint))) {
      throw problems.providerUnavailable();
    }
    this.#known.set(issuer, { facts, until: clock.now() + FRESH_MS });
    return facts;
  }

  /** Where a browser goes to log in. @throws Problem `PROVIDER_UNAVAILABLE` (502) */
  async loginAddress(
    { issuer, clientId, scopes }: OpenIdConfig,
    {
      state,
      nonce,
      verifier,
      redirectUri,
    }: Omit<CodeExchange, 'code'> & { readonly state: string },
  ): Promise<string> {
    const address = new URL((await this.discover(issuer)).authorization_endpoint);
    const parameters = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
      ...{ scope: [...new Set(['openid', ...scopes])].join(' '), state, nonce },
      ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' },
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  /**
   * Refuses the answer of another provider than the one that was asked.
   * @throws Problem `LOGIN_REFUSED` (403), `PROVIDER_UNAVAILABLE` (502)
   */
  async checkSender(issuer: string, iss: string | undefined): Promise<void> {
    const { authorization_response_iss_parameter_supported: isSent } = await this.discover(issuer);
    if (iss === undefined ? isSent === true : iss !== issuer) {
      throw problems.loginRefused({ reason: 'The answer comes from another provider.' });
    }
  }

  /**
   * Exchanges a code for the verified claims of a person.
   * @throws Problem `LOGIN_REFUSED` (403), `PROVIDER_UNAVAILABLE` (502)
   */
  async claims(
    config: OpenIdConfig,
    exchange: CodeExchange,
  ): Promise<JWTPayload & { readonly sub: string }> {
    const facts = await this.discover(config.issuer);
    const { id_token, access_token } = await this.#exchange(config, facts, exchange);
    const claims = await this.#verified(id_token, config, facts, exchange.nonce);
    if (facts.userinfo_endpoint === undefined || access_token === undefined) return claims;
    const more = await this.#person(facts.userinfo_endpoint, access_token);
    if (more.sub !== claims.sub) {
      throw problems.loginRefused({ reason: 'The provider tells of somebody else.' });
    }
    return { ...more, ...claims };
  }

  #exchange(config: OpenIdConfig, facts: ProviderFacts, exchange: CodeExchange) {
    const call = { ...LIMITS, ...tokenRequest(config, facts, exchange) };
    return reached(() => this.#deps.http.json(facts.token_endpoint, tokens(), call));
  }

  #person(address: string, accessToken: string) {
    const call = { ...LIMITS, headers: { authorization: `Bearer ${accessToken}` } };
    return reached(() => this.#deps.http.json(address, person(), call));
  }

  async #verified(token: string, config: OpenIdConfig, facts: ProviderFacts, nonce: string) {
    const { keysOf, clock } = this.#deps;
    try {
      const { payload } = await jwtVerify(token, keysOf(facts.jwks_uri, facts.issuer), {
        issuer: config.issuer,
        audience: config.clientId,
        algorithms: [...SIGNATURE_ALGORITHMS],
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      });
      const { sub } = payload;
      const isForLogin = payload.nonce === nonce && isMadeFor(payload, config.clientId);
      if (!isForLogin || typeof sub !== 'string' || !isFit(sub)) {
        throw problems.loginRefused({ reason: 'The token was not made for this login.' });
      }
      return { ...payload, sub };
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      // Invalid and weak keys cause errors of any kind.
      if (!(cause instanceof errors.JOSEError)) throw problems.providerUnavailable({ cause });
      throw problems.loginRefused({ reason: 'The token of the provider is not valid.' }, { cause });
    }
  }
}

/** @see OpenID Connect Core 1.0, section 3.1.3.7, steps 3 to 5 */
function isMadeFor({ aud, azp }: JWTPayload, clientId: string): boolean {
  if (azp !== undefined) return azp === clientId;
  return typeof aud === 'string' || aud?.length === 1;
}

/** A code that is refused is the caller's; everything else is the provider's. */
async function reached<T>(call: () => Promise<T>, mayRefuse = true): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (!(cause instanceof HttpClientError)) throw cause;
    const { code, status = 0 } = cause;
    if (
      mayRefuse &&
      code === 'UNEXPECTED_STATUS' &&
      status >= 400 &&
      status < 500 &&
      status !== 429
    ) {
      throw problems.loginRefused({ reason: `The provider answers ${status}.` }, { cause });
    }
    throw problems.providerUnavailable({ cause });
  }
}
