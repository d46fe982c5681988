import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose';
import type { PlatformConfig } from '../config/index.ts';
import type { Clock } from '../primitives/clock.ts';
import { type Authenticate, bearerAuthentication } from '../security/authenticate.ts';
import { createTokenVerifier } from '../security/token-verifier.ts';
import type { Table } from '../store/table.ts';
import { RevokedSubjects } from './revoked-subjects.ts';
import {
  acceptsSessions,
  claimNamesOf,
  SESSION_ISSUER,
  SESSION_TYP,
  withSessionIssuer,
} from './session-issuer.ts';

/** Reads the public keys that the platform's own logins sign with. */
export type ReadSessionKeys = () => Promise<readonly JWK[]>;

interface SessionAuthenticationDependencies {
  readonly security: PlatformConfig['security'];
  readonly table: Table;
  readonly clock: Clock;
  /** Where the keys of logins are, when the platform has logins. */
  readonly keysAddress?: string | undefined;
  /** The keys themselves, in the function that signs with them. */
  readonly readKeys?: ReadSessionKeys | undefined;
}

/**
 * Authenticates by bearer tokens of the configured issuers and of the platform's own logins; tokens of a login end with
 * their account.
 */
export function sessionAuthentication({
  security: configured,
  table,
  clock,
  keysAddress,
  readKeys,
}: SessionAuthenticationDependencies): Authenticate {
  const hasLogins = keysAddress !== undefined || readKeys !== undefined;
  const security = hasLogins ? withSessionIssuer(configured, keysAddress) : configured;
  const isOwn = hasLogins && !acceptsSessions(configured);
  const verify = createTokenVerifier(security, clock, {
    typs: new Map(isOwn ? [[SESSION_ISSUER, SESSION_TYP]] : []),
    keys: new Map(isOwn && readKeys ? [[SESSION_ISSUER, keysBy(readKeys)]] : []),
  });
  const guarded = acceptsSessions(security)
    ? new RevokedSubjects({ table, clock }).guard(verify)
    : verify;
  return bearerAuthentication(guarded, security, (claims) => claimNamesOf(claims, security));
}

const keysBy =
  (read: ReadSessionKeys): JWTVerifyGetKey =>
  async (header, token) =>
    createLocalJWKSet({ keys: [...(await read())] })(header, token);
