import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { SIGNATURE_ALGORITHMS } from '../../../shared/config/sections/security.ts';
import type { HttpAnswer, HttpClient } from '../../../shared/http-client/contract.ts';
import { HttpClientError } from '../../../shared/http-client/http-client-error.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { OpenIdConfig } from '../domain/providers/provider.ts';
import {
  type Check,
  CONNECTION_STEPS,
  checksUpTo,
  connectionStepOf,
  skipped,
} from '../http/checks.ts';
import { discovered, discoveryAddress, type ProviderFacts } from './provider-facts.ts';
import { tokenRequest } from './token-request.ts';

interface CheckDependencies {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Whether browsers may be sent to an address. */
  readonly mayOpen: (address: URL) => boolean;
  /** Address that the provider would send people back to. */
  readonly redirectUri: string;
}

const LIMITS = { totalTimeoutMs: 5_000, maxBytes: 524_288 };
const STEPS = [...CONNECTION_STEPS, 'discovery'] as const;
const LATER = ['issuer', 'authorization', 'pkce', 'scopes', 'keys', 'client'];

type Found = Pick<Check, 'status' | 'message'>;
const pass = (message: string): Found => ({ status: 'PASS', message });
const fail = (message: string): Found => ({ status: 'FAIL', message });
const notTold = (): Found => ({ status: 'SKIP', message: 'The provider does not say.' });

const keySet = lazy(() =>
  z.object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) }),
);
const refusal = lazy(() => z.object({ error: z.string() }));

/** Tries a provider as a login would use it, without a person who logs in. Its answers are not shown. */
export async function checkProvider(
  config: OpenIdConfig,
  dependencies: CheckDependencies,
): Promise<readonly Check[]> {
  const { http, clock } = dependencies;
  const from = clock.now();
  const facts = await http
    .json(discoveryAddress(config.issuer), discovered(), LIMITS)
    .catch((error: unknown) => asFailure(error));
  const latencyMs = clock.now() - from;
  if (facts instanceof HttpClientError) {
    const failed = connectionStepOf(facts) ?? 'discovery';
    const checks = checksUpTo(STEPS, failed, { latencyMs, message: messageOf(facts) });
    return [...checks, ...LATER.map((name) => skipped(name))];
  }
  const timed = async (name: string, check: Promise<Found>): Promise<Check> => {
    const begun = clock.now();
    return { name, ...(await check), latencyMs: clock.now() - begun };
  };
  const told = (name: string, found: Found): Check => ({ name, latencyMs: 0, ...found });
  return [
    ...checksUpTo(STEPS, undefined, { latencyMs, message: '' }),
    told('issuer', issuerOf(config, facts)),
    told('authorization', authorizationOf(facts, dependencies)),
    told('pkce', pkceOf(facts)),
    told('scopes', scopesOf(config, facts)),
    await timed('keys', keysOf(facts, dependencies)),
    await timed('client', clientOf(config, facts, dependencies)),
  ];
}

const issuerOf = ({ issuer }: OpenIdConfig, facts: ProviderFacts): Found =>
  facts.issuer === issuer
    ? pass('The provider has this name.')
    : fail('The provider calls itself by another name.');

const authorizationOf = (facts: ProviderFacts, { mayOpen }: CheckDependencies): Found =>
  mayOpen(new URL(facts.authorization_endpoint))
    ? pass('Browsers may be sent there.')
    : fail('People would log in over plain http.');

function pkceOf({ code_challenge_methods_supported: methods }: ProviderFacts): Found {
  if (!methods) return notTold();
  return methods.includes('S256')
    ? pass('S256 is supported.')
    : fail('The provider does not support S256.');
}

function scopesOf({ scopes }: OpenIdConfig, { scopes_supported: known }: ProviderFacts): Found {
  if (!known) return notTold();
  const missing = scopes.filter((scope) => !known.includes(scope));
  return missing.length === 0
    ? pass('All are known.')
    : fail(`The provider does not know ${missing.join(', ')}.`);
}

async function keysOf({ jwks_uri }: ProviderFacts, { http }: CheckDependencies): Promise<Found> {
  try {
    const { keys } = await http.json(jwks_uri, keySet(), LIMITS);
    const types = new Set(SIGNATURE_ALGORITHMS.map(keyTypeOf));
    const isUsable = keys.some(({ kty, use }) => types.has(kty) && use !== 'enc');
    return isUsable ? pass('There is a key.') : fail('There is no key that can be used.');
  } catch (error) {
    return fail(messageOf(asFailure(error)));
  }
}

const keyTypeOf = (algorithm: string): string => {
  if (algorithm.startsWith('ES')) return 'EC';
  return algorithm.startsWith('Ed') ? 'OKP' : 'RSA';
};

/** A made-up code: a provider checks the client first, and its error says which of the two it refuses. */
async function clientOf(
  config: OpenIdConfig,
  facts: ProviderFacts,
  { http, redirectUri }: CheckDependencies,
): Promise<Found> {
  const [code, verifier] = [aSecret(), aSecret()];
  const request = tokenRequest(config, facts, { code, verifier, redirectUri });
  try {
    return refused(await http.request(facts.token_endpoint, { ...LIMITS, ...request }));
  } catch (error) {
    return fail(messageOf(asFailure(error)));
  }
}

/** @see RFC 6749, section 5.2 */
function refused({ status, body }: HttpAnswer): Found {
  const error = errorOf(body);
  if (status === 401 || error === 'invalid_client') {
    return fail('The provider does not know the client, or it has another secret.');
  }
  if (error === 'unauthorized_client' || error === 'unsupported_grant_type') {
    return fail('The provider lets the client exchange no codes.');
  }
  return error === 'invalid_grant' ? pass('The client is known.') : notTold();
}

function errorOf(body: Buffer): string | undefined {
  try {
    return refusal().safeParse(JSON.parse(body.toString())).data?.error;
  } catch {
    return undefined;
  }
}

const aSecret = (): string => randomBytes(32).toString('base64url');

function asFailure(error: unknown): HttpClientError {
  if (error instanceof HttpClientError) return error;
  throw error;
}

function messageOf({ code, status }: HttpClientError): string {
  if (status !== undefined) return `The provider answers ${status}.`;
  return code === 'UNEXPECTED_CONTENT'
    ? 'The answer is not that of OpenID Connect.'
    : `The provider cannot be reached: ${code}.`;
}
