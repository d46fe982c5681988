import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from 'jose';
import * as z from 'zod';
import type { HttpClient } from '../http-client/contract.ts';
import type { Clock } from '../primitives/clock.ts';
import { lazy } from '../primitives/lazy.ts';
import { once } from '../primitives/once.ts';

/** Longest wait for a key server, in ms: requests wait for it. */
export const KEY_SERVER_TIMEOUT_MS = 2_000;
const MAX_AGE_MS = 10 * 60_000;
const COOLDOWN_MS = 30_000;
/** Pause after a failure: while known keys serve, and while there are none. */
const PAUSE_MS = { withKeys: 60_000, withoutKeys: 5_000 } as const;

/** Where the keys of an issuer are; without `jwksUri` its discovery document says so. */
export interface KeyAddress {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
}

/** No keys could be fetched, and none are known. */
export class KeysUnavailable extends Error {
  constructor(cause: unknown) {
    super('The keys of the issuer cannot be fetched', { cause });
  }
}

/**
 * The keys of an issuer. They are cached for 10 minutes and asked for again, at most every 30 s, when a token names an
 * unknown one. While the key server fails the last keys serve, and it is asked once a minute; without any keys every 5 s.
 * @throws KeysUnavailable when there are no keys
 */
export function remoteKeys(
  address: KeyAddress,
  { http, clock }: { readonly http: HttpClient; readonly clock: Clock },
): JWTVerifyGetKey {
  let remote: ReturnType<typeof createRemoteJWKSet> | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /** Asks the key server, unless it has just failed. */
  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    if (clock.now() < pausedUntil) throw new Error('The key server failed a moment ago');
    try {
      return await request();
    } catch (cause) {
      pausedUntil = clock.now() + (remote?.jwks() ? PAUSE_MS.withKeys : PAUSE_MS.withoutKeys);
      throw cause;
    }
  };
  const fetchKeys: FetchImplementation = (url, options) => ask(() => fetchBy(http, url, options));
  const open = once(async () => {
    const url = address.jwksUri ?? (await ask(() => discoverJwksUri(address.issuer, http)));
    remote = createRemoteJWKSet(new URL(url), {
      cacheMaxAge: MAX_AGE_MS,
      cooldownDuration: COOLDOWN_MS,
      timeoutDuration: KEY_SERVER_TIMEOUT_MS,
      [customFetch]: fetchKeys,
    });
    return remote;
  });
  return async (header, token) => {
    try {
      return await (await open())(header, token);
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      const lastKnown = remote?.jwks();
      if (lastKnown) return createLocalJWKSet(lastKnown)(header, token);
      throw new KeysUnavailable(cause);
    }
  };
}

const keySet = lazy(() => z.looseObject({ keys: z.array(z.looseObject({})) }));

/** An answer without keys is a failure of the server. */
async function fetchBy(
  http: HttpClient,
  address: string,
  { headers, signal }: Parameters<FetchImplementation>[1],
): Promise<Response> {
  const { status, body } = await http.request(address, {
    headers: Object.fromEntries(headers),
    signal,
  });
  if (status !== 200) throw new Error(`The key server answered ${status}`);
  return Response.json(keySet().parse(JSON.parse(Buffer.from(body).toString('utf8'))));
}

const discoveryDocument = lazy(() => z.object({ issuer: z.string(), jwks_uri: z.string() }));

/** The key URL that an issuer publishes. @see OpenID Connect Discovery 1.0, section 4 */
async function discoverJwksUri(issuer: string, http: HttpClient): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = await http.json(address, discoveryDocument());
  if (document.issuer !== issuer) throw new Error('the document names another issuer');
  if (new URL(document.jwks_uri).protocol !== new URL(issuer).protocol) {
    throw new Error('jwks_uri has another scheme than the issuer');
  }
  return document.jwks_uri;
}

/** Failures to fetch the key set: no connection, time-out, a status other than 200, invalid JSON. */
function isOutage(cause: unknown): boolean {
  return !(
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys ||
    cause instanceof errors.JOSENotSupported ||
    cause instanceof errors.JWKInvalid
  );
}
