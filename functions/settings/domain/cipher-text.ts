import { decodeBase64Url, open, seal } from '../../../shared/security/aes-gcm.ts';

/** A key of the ring, with the id that encrypted texts carry. */
export interface EncryptionKey {
  /** First 8 hex digits of the SHA-256 of the key. */
  readonly kid: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const PREFIX = 'enc:v1:';
const FORM = /^enc:v1:([0-9a-f]{8}):([A-Za-z0-9_-]+)$/;

/** Whether a text has the format of `encrypt`. */
export const isEncrypted = (text: string): boolean => FORM.test(text);

/** The id of the key a text was encrypted with; `undefined` when the text has another form. */
export const keyIdOf = (text: string): string | undefined => FORM.exec(text)?.[1];

/** Encrypts a text: `enc:v1:<kid>:<base64url of iv, ciphertext, tag>`; two encryptions of one text differ. */
export function encrypt(plain: string, { kid, bytes }: EncryptionKey): string {
  return `${PREFIX}${kid}:${seal(Buffer.from(plain), bytes, context(kid)).toString('base64url')}`;
}

/** Decrypts a text of `encrypt` with the same key; `undefined` when it was altered. */
export function decrypt(text: string, { kid, bytes }: EncryptionKey): string | undefined {
  const [, textKid, body = ''] = FORM.exec(text) ?? [];
  if (textKid !== kid) return undefined;
  const sealed = decodeBase64Url(body);
  return sealed && open(sealed, bytes, context(kid))?.toString('utf8');
}

const context = (kid: string): string => `svc|enc|v1|${kid}`;
