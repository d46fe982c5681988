import type { JWTPayload } from 'jose';
import type { PlatformConfig } from '../config/index.ts';

type SecurityConfig = PlatformConfig['security'];

/** Issuer of the tokens that the platform's own logins give. */
export const SESSION_ISSUER = 'urn:svc-cloud:identity';
/** Audience of these tokens. */
export const SESSION_AUDIENCE = 'svc-cloud';
/** Their `typ`: nothing else that these keys sign is accepted as a token. @see RFC 9068, section 2.1 */
export const SESSION_TYP = 'at+jwt';

/** Their claims, however those of other issuers are called. */
const SESSION_CLAIMS = {
  usernameClaim: 'preferred_username',
  rolesClaim: 'roles',
  groupsClaim: 'groups',
  permissionsClaim: 'permissions',
  tenantClaim: 'tenant',
} as const satisfies Partial<SecurityConfig>;

/** The names of the claims in a token. */
export const claimNamesOf = ({ iss }: JWTPayload, security: SecurityConfig): SecurityConfig =>
  iss === SESSION_ISSUER ? { ...security, ...SESSION_CLAIMS } : security;

export const acceptsSessions = ({ issuers }: Pick<SecurityConfig, 'issuers'>): boolean =>
  issuers.some(({ issuer }) => issuer === SESSION_ISSUER);

/**
 * The accepted issuers with that of the platform's own logins. One that is configured under its name stays as it is.
 * @param keys address of its keys; none: the verifier has them.
 */
export function withSessionIssuer(security: SecurityConfig, keys?: string): SecurityConfig {
  if (acceptsSessions(security)) return security;
  const own: SecurityConfig['issuers'][number] = {
    issuer: SESSION_ISSUER,
    audience: SESSION_AUDIENCE,
    algorithms: ['ES256'],
    ...(keys !== undefined && { jwksUri: keys }),
  };
  return { ...security, issuers: [...security.issuers, own] };
}
