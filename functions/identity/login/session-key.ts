import { createECDH, hkdfSync } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';

const CURVE = 'prime256v1';
const MIN_CHARACTERS = 32;
/** Order of the group of P-256 (FIPS 186-5). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** A key that signs tokens, and what others check them by. */
export interface SessionKey {
  readonly kid: string;
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

/**
 * The P-256 key that a secret stands for: the same text gives the same key in every environment.
 * @returns `undefined` for a text that is so short that it can be guessed.
 * @see FIPS 186-5, appendix A.4.1: more random bits than the order has, so that the remainder is even.
 */
export async function sessionKeyOf(secret: string): Promise<SessionKey | undefined> {
  if (secret.length < MIN_CHARACTERS) return undefined;
  const bits = hkdfSync('sha256', secret, 'svc-cloud', 'session key ES256', 40);
  const scalar = (BigInt(`0x${Buffer.from(bits).toString('hex')}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH(CURVE);
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const publicKey: JWK = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const kid = await calculateJwkThumbprint(publicKey);
  const described = { ...publicKey, kid, alg: 'ES256' };
  return {
    kid,
    privateKey: { ...described, d: d.toString('base64url') },
    publicKey: { ...described, use: 'sig' },
  };
}
