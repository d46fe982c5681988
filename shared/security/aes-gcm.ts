import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals bytes with AES-256-GCM under a random IV.
 * @param key 32 bytes.
 * @param context additional authenticated data, required again for opening.
 * @returns iv (12 bytes), ciphertext and tag (16 bytes), one after the other.
 * @see NIST SP 800-38D
 */
export function seal(plain: Uint8Array, key: Uint8Array, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Opens bytes sealed by `seal`.
 * @returns the bytes; `undefined` when they were changed, cut, or sealed with another key or context.
 */
export function open(sealed: Uint8Array, key: Uint8Array, context: string): Buffer | undefined {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const body = decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES));
    return Buffer.concat([body, decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Reads base64url and refuses every spelling but the canonical one, so that no two texts mean the same bytes. */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
