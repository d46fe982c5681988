import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const COST = { N: 32_768, r: 8, p: 1 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const MAX_MEMORY = 64 * 1_024 * 1_024;

/** A text from which the password can be checked and not read: `scrypt$N$r$p$<salt>$<key>`. @see RFC 7914 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(normalised(password), salt, KEY_BYTES, { ...COST, maxmem: MAX_MEMORY });
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a password is the one behind a hash. */
export async function verifyHash(password: string, hash: string): Promise<boolean> {
  const [kind, N, r, p, salt = '', key = ''] = hash.split('$');
  if (kind !== 'scrypt') return false;
  const expected = Buffer.from(key, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const given = await derive(
    normalised(password),
    Buffer.from(salt, 'base64url'),
    expected.length,
    cost,
  );
  return timingSafeEqual(given, expected);
}

/** @see RFC 8265, section 4.2.1: one form of each character. */
const normalised = (password: string): string => password.normalize('NFC');
