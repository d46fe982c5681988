import { createHash, scrypt } from 'node:crypto';
import { promisify } from '../../../shared/primitives/node/node-functions.ts';
import { MASK } from '../../../shared/security/secret-text.ts';
import type { EncryptionKey } from './cipher-text.ts';

const KEY_BYTES = 32;
/** 32 bytes, whole: decoding alone would drop what does not belong to the alphabet. */
const KEY_FORMS = { hex: /^[0-9a-f]{64}$/i, base64: /^[A-Za-z0-9+/_-]{43}=?$/ } as const;
const SALT = 'svc-cloud/security.aes_secret/v1';
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const MIN_PASSPHRASE_LENGTH = 16;
const deriveByScrypt = promisify<string, string, number, object, Buffer>(scrypt);

/** Parsed form of the text in `security.aes_secret`. */
export type KeyMaterial =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** Name of a secret in Secrets Manager, with an optional `#jsonKey`. */
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Reads the text in `security.aes_secret`: `base64:` or `hex:` and 32 bytes, `secretsmanager:<id>[#jsonKey]`,
 * or any other text as a passphrase.
 */
export function readKeyMaterial(text: string): KeyMaterial {
  if (text.trim() === '') return { kind: 'invalid', reason: 'The AES secret must not be blank.' };
  if (text === MASK) return { kind: 'invalid', reason: 'The mask is no AES secret.' };
  const [, scheme, rest = ''] = /^(base64|hex|secretsmanager):(.*)$/s.exec(text) ?? [];
  if (scheme === undefined) return { kind: 'passphrase', passphrase: text };
  if (scheme === 'secretsmanager') {
    return rest.trim() === ''
      ? { kind: 'invalid', reason: 'secretsmanager: needs the id of a secret.' }
      : { kind: 'reference', reference: rest };
  }
  return KEY_FORMS[scheme as 'base64' | 'hex'].test(rest)
    ? { kind: 'bytes', bytes: Buffer.from(rest, scheme as 'base64' | 'hex') }
    : { kind: 'invalid', reason: `${scheme}: must hold exactly ${KEY_BYTES} bytes.` };
}

/** Whether a passphrase is so short that it deserves a warning. */
export const isWeak = (material: KeyMaterial): boolean =>
  material.kind === 'passphrase' && material.passphrase.length < MIN_PASSPHRASE_LENGTH;

/** Derives the key of bytes or a passphrase (scrypt, about 60 ms: keep the result). */
export async function deriveKey(
  material: Extract<KeyMaterial, { kind: 'bytes' | 'passphrase' }>,
): Promise<EncryptionKey> {
  const bytes =
    material.kind === 'bytes'
      ? material.bytes
      : await deriveByScrypt(material.passphrase, SALT, KEY_BYTES, SCRYPT);
  return { kid: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}
