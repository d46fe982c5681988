import { decodeBase64Url, open, seal } from '../../../shared/security/aes-gcm.ts';
import { CIPHER_TEXT } from '../../../shared/security/aes-gcm-text.ts';

/** A key of the ring, with the id that encrypted texts carry. */
export interface EncryptionKey {
  /** First 8 hex digits of the SHA-256 of the key. */
  readonly kid: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const PREFIX = 'enc:v1:';

/** Encrypts a text: `enc:v1:<kid>:<base64url of iv, ciphertext, tag>`; two encryptions of one text differ. */
export function encrypt(plain: string, { kid, bytes }: EncryptionKey): string {
  return `${PREFIX}${kid}:${seal(Buffer.from(plain), bytes, context(kid)).toString('base64url')}`;
}

/** Decrypts a text of `encrypt` with the same key; `undefined` when it was altered. */
export function decrypt(text: string, { kid, bytes }: EncryptionKey): string | undefined {
  const [, textKid, body = ''] = CIPHER_TEXT.exec(text) ?? [];
  if (textKid !== kid) return undefined;
  const sealed = decodeBase64Url(body);
  return sealed && open(sealed, bytes, context(kid))?.toString('utf8');
}

const context = (kid: string): string => `svc|enc|v1|${kid}`;
