import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const TEST_ISSUER = 'http://127.0.0.1/dev-issuer';
/** Another issuer that the configuration accepts: its subjects are other callers. */
export const OTHER_ISSUER = 'http://127.0.0.1/other-issuer';
const TEST_AUDIENCE = 'svc-cloud';
const KID = 'test-key';
const HOUR_S = 3_600;

/** What is signed once is checked a thousand times, in half the time that ES256 takes. */
const ALGORITHM = 'RS256';

const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
const publicJwk = { ...(await exportJWK(publicKey)), kid: KID, alg: ALGORITHM, use: 'sig' };

/** Raw `svc.security` of the local stage: issuers whose keys stand in the configuration. */
export const testSecurity = {
  dev: true,
  issuers: [TEST_ISSUER, OTHER_ISSUER].map((issuer) => ({
    issuer,
    audience: TEST_AUDIENCE,
    algorithms: [ALGORITHM],
    jwks: { keys: [publicJwk] },
  })),
};

/** What a token of a test says; whatever is left out is as a valid one has it. */
export interface TestClaims extends JWTPayload {
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly permissions?: readonly string[];
}

/** Claims of a caller who may do everything. */
export const admin: TestClaims = { sub: 'demo', roles: ['admin'] };

/** Tokens by what they say: the clock of most tests stands still, and they call a thousand times. */
const signed = new Map<string, Promise<string>>();

/** Signs a token that the configuration of `testSecurity` accepts, valid for an hour from `nowMs`. */
export function aToken(claims: TestClaims, nowMs: number): Promise<string> {
  const nowS = Math.floor(nowMs / 1_000);
  const all = { iss: TEST_ISSUER, aud: TEST_AUDIENCE, iat: nowS, exp: nowS + HOUR_S, ...claims };
  const content = JSON.stringify(all);
  const token = signed.get(content) ?? sign(all);
  signed.set(content, token);
  return token;
}

function sign(claims: TestClaims): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, kid: KID, typ: 'at+jwt' })
    .sign(privateKey);
}
