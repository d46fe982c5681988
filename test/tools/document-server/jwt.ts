import { createHmac, timingSafeEqual } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

const HASHES: Readonly<Record<string, string>> = { HS256: 'sha256', HS512: 'sha512' };
const TOLERANCE_S = 60;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs claims as the document server does: HS256, good for five minutes, without issuer or audience. */
export function sign(
  claims: object,
  secret: string,
  nowS = Math.floor(Date.now() / 1_000),
): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...claims, iat: nowS, exp: nowS + 300 })}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

/** @throws Error for a token that the document server refuses */
export function verify(token: string, secret: string, nowS = Math.floor(Date.now() / 1_000)): Json {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg } = parse(header);
  const hash = HASHES[String(alg)];
  if (hash === undefined) throw new Error('the algorithm is not accepted');
  const expected = createHmac(hash, secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Error('the signature is wrong');
  }
  const claims = parse(payload);
  if (typeof claims.exp === 'number' && claims.exp + TOLERANCE_S < nowS)
    throw new Error('it has expired');
  if (typeof claims.nbf === 'number' && claims.nbf > nowS) throw new Error('it is not valid yet');
  return claims;
}

const parse = (part: string): Json =>
  JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Json;
