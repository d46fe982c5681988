import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { PlatformConfig } from '../config/index.ts';
import { createHttpClient } from '../http-client/http-client.ts';
import type { Clock } from '../primitives/clock.ts';
import { httpProblems } from '../problems/http-problems.ts';
import { KEY_SERVER_TIMEOUT_MS, KeysUnavailable, remoteKeys } from './remote-keys.ts';

type SecurityConfig = PlatformConfig['security'];
type Issuer = SecurityConfig['issuers'][number];

/** Checks a bearer token and returns its claims. */
export type TokenVerifier = (token: string) => Promise<JWTPayload>;

/** Facts of single issuers besides the configuration. */
export interface KnownIssuers {
  /** Keys that need not be fetched. */
  readonly keys?: ReadonlyMap<string, JWTVerifyGetKey>;
  /** Demanded `typ` headers, instead of `required-typ`. */
  readonly typs?: ReadonlyMap<string, string>;
}

const MAX_ANSWER_BYTES = 524_288;
const MAX_TOKEN_LENGTH = 16_384;

/**
 * Verifies JWTs of the configured issuers: signature by the issuer's keys and its allowed algorithms only,
 * `iss`, `aud`, `sub` and `exp` present and right. Keys are cached for 10 minutes and asked for again, at
 * most every 30 s, when a token names an unknown one. While the issuer cannot be reached the last keys serve, and it is
 * asked once a minute for at most 2 s.
 * Keys on private addresses are fetched only when the configuration names their URL.
 * @throws Problem `UNAUTHENTICATED` (401); `AUTH_KEYS_UNAVAILABLE` (503) when no keys could ever be fetched.
 * @see RFC 8725 (JWT best current practices); RFC 9068 for `required-typ`
 */
export function createTokenVerifier(
  security: SecurityConfig,
  clock: Clock,
  { keys: knownKeys, typs }: KnownIssuers = {},
): TokenVerifier {
  const http = createHttpClient({
    namedOrigins: security.issuers.flatMap(configuredAddresses),
    totalTimeoutMs: KEY_SERVER_TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  });
  const issuers = new Map(
    security.issuers.map((issuer) => [
      issuer.issuer,
      { issuer, keys: knownKeys?.get(issuer.issuer) ?? keysOf(issuer, { http, clock }) },
    ]),
  );
  return async (token) => {
    const known = issuers.get(readIssuer(token));
    if (!known) throw invalid('The issuer of the token is not accepted.');
    const { issuer, keys } = known;
    const typ = typs?.get(issuer.issuer) ?? security.requiredTyp;
    if (!issuer.algorithms.some((algorithm) => algorithm === readAlgorithm(token))) {
      throw invalid('The algorithm of the token is not accepted.');
    }
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: issuer.issuer,
        audience: typeof issuer.audience === 'string' ? issuer.audience : [...issuer.audience],
        algorithms: [...issuer.algorithms],
        clockTolerance: security.clockTolerance,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'sub', 'iss', 'aud'],
        ...(typ === undefined ? {} : { typ }),
      });
      return payload;
    } catch (cause) {
      throw explain(cause);
    }
  };
}

/** The issuer must be a URL only when discovery or its keys need one. */
function configuredAddresses({ issuer, jwksUri }: Issuer): string[] {
  return [issuer, jwksUri ?? ''].filter((text) => /^https?:/i.test(text) && URL.canParse(text));
}

function keysOf(issuer: Issuer, use: Parameters<typeof remoteKeys>[1]): JWTVerifyGetKey {
  return issuer.jwks
    ? createLocalJWKSet(issuer.jwks as unknown as JSONWebKeySet)
    : remoteKeys(issuer, use);
}

function readIssuer(token: string): string {
  if (token.length > MAX_TOKEN_LENGTH) throw invalid('The token is too long.');
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw invalid('The token is not a JWT.');
  }
}

function readAlgorithm(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    throw invalid('The token is not a JWT.');
  }
}

function explain(cause: unknown): Error {
  if (cause instanceof KeysUnavailable) return httpProblems.authKeysUnavailable({ cause });
  if (cause instanceof errors.JWTExpired) return invalid('The token has expired.', cause);
  if (cause instanceof errors.JWTClaimValidationFailed) {
    return invalid(`The claim ${cause.claim} of the token is missing or not accepted.`, cause);
  }
  if (cause instanceof errors.JOSEError) {
    return invalid('The signature or form of the token is not valid.', cause);
  }
  return cause instanceof Error ? cause : new Error('Token verification failed', { cause });
}

function invalid(detail: string, cause?: unknown): Error {
  return httpProblems.unauthenticated({ detail, error: 'invalid_token' }, { cause });
}
