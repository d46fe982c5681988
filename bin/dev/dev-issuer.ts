import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { localFolder } from './paths.ts';

/** The token issuer of the local stage: a key pair of this machine that no other stage accepts. */
export interface DevIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly privateJwk: JWK;
}

/** File of this machine's issuer. */
const devIssuerFile = join(localFolder, 'dev-issuer.json');

/** The issuer of this machine; created at the first call. */
export async function ensureDevIssuer(file = devIssuerFile): Promise<DevIssuer> {
  const existing = readDevIssuer(file);
  if (existing) return existing;
  const issuer = await createDevIssuer();
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, `${JSON.stringify(issuer, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
    return issuer;
  } catch (error) {
    // Another command created it first: use its key.
    const other = readDevIssuer(file);
    if (other) return other;
    throw error;
  }
}

function readDevIssuer(file: string): DevIssuer | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DevIssuer;
  } catch {
    return undefined;
  }
}

async function createDevIssuer(): Promise<DevIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: 'dev-1', alg: 'ES256', use: 'sig' };
  const privateJwk = { ...(await exportJWK(privateKey)), kid: 'dev-1', alg: 'ES256' };
  return {
    issuer: 'http://127.0.0.1/dev-issuer',
    audience: 'svc-cloud',
    jwks: { keys: [publicJwk] },
    privateJwk,
  };
}

/** Claims of a local token. */
export interface TokenClaims {
  readonly sub: string;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly permissions?: readonly string[];
  readonly tenant?: string;
  /** Seconds from now until the token expires; twelve hours when left out, negative for an expired one. */
  readonly lifetimeSeconds?: number;
}

const defaultLifetimeSeconds = 12 * 3600;

/** Signs an access token of the local stage. */
export async function signDevToken(issuer: DevIssuer, claims: TokenClaims): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const lifetimeSeconds = claims.lifetimeSeconds ?? defaultLifetimeSeconds;
  const issuedAt = lifetimeSeconds < 0 ? now + lifetimeSeconds - 60 : now;
  return await new SignJWT({
    preferred_username: claims.sub,
    roles: claims.roles ?? [],
    groups: claims.groups ?? [],
    permissions: claims.permissions ?? [],
    ...(claims.tenant !== undefined && { tenant: claims.tenant }),
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'dev-1', typ: 'at+jwt' })
    .setIssuer(issuer.issuer)
    .setAudience(issuer.audience)
    .setSubject(claims.sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(await importJWK(issuer.privateJwk, 'ES256'));
}
