import type { JWTPayload } from 'jose';
import type { PlatformConfig } from '../config/index.ts';
import { httpProblems } from '../problems/http-problems.ts';
import { anonymous, type Principal } from './principal.ts';
import type { TokenVerifier } from './token-verifier.ts';

type SecurityConfig = PlatformConfig['security'];

/** Identifies the caller; `anonymous` when the request has no token. */
export type Authenticate = (
  headers: Readonly<Record<string, string | undefined>>,
) => Promise<Principal>;

/**
 * The default authentication: a bearer JWT in `Authorization`.
 * @param namesOf the configuration with the names of the claims in a token
 * @throws Problem `UNAUTHENTICATED` (401) when a token is sent and not valid.
 * @see RFC 6750
 */
export function bearerAuthentication(
  verify: TokenVerifier,
  security: SecurityConfig,
  namesOf: (claims: JWTPayload) => SecurityConfig = () => security,
): Authenticate {
  return async ({ authorization }) => {
    if (authorization === undefined || authorization === '') return anonymous;
    const token = /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1];
    if (!token) {
      throw httpProblems.unauthenticated({
        detail: 'The header must be Authorization: Bearer <token>.',
        error: 'invalid_request',
      });
    }
    const claims = await verify(token);
    return toPrincipal(claims, namesOf(claims));
  };
}

/** Reads the caller out of verified claims, by the configured claim names. */
export function toPrincipal(claims: JWTPayload, security: SecurityConfig): Principal {
  const subject = claims.sub ?? '';
  const username = readClaim(claims, security.usernameClaim);
  const tenant = readClaim(claims, security.tenantClaim);
  return {
    id: subject,
    ...(claims.iss === undefined ? {} : { issuer: claims.iss }),
    username: typeof username === 'string' ? username : subject,
    authenticated: true,
    roles: words(readClaim(claims, security.rolesClaim)),
    groups: words(readClaim(claims, security.groupsClaim)),
    permissions: [
      ...new Set([...words(readClaim(claims, security.permissionsClaim)), ...words(claims.scope)]),
    ],
    ...(typeof tenant === 'string' && tenant !== '' ? { tenant } : {}),
    claims,
  };
}

/** A claim by its whole name, else by a dotted path such as `realm_access.roles`. */
function readClaim(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (node, key) =>
        typeof node === 'object' && node !== null && Object.hasOwn(node, key)
          ? (node as Record<string, unknown>)[key]
          : undefined,
      claims,
    );
}

function words(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter(Boolean);
  return Array.isArray(value)
    ? value.filter((entry) => typeof entry === 'string' && entry !== '')
    : [];
}
