import { Problem } from '../problems/problem.ts';
import type { EncryptService } from './security.ts';

/**
 * A cipher text under the newest key.
 * @returns the same text when it is already; `undefined` when it cannot be decrypted.
 */
export async function renewed(text: string, service: EncryptService): Promise<string | undefined> {
  try {
    if (!(await service.needsReencrypt(text))) return text;
    return await service.encrypt(await service.decrypt(text));
  } catch (error) {
    if (error instanceof Problem && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}

/** There is no key for the text, or it is none of ours. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'ENCRYPT_KEY_MISSING',
  'ENCRYPT_KEY_UNKNOWN',
  'ENCRYPT_MALFORMED',
]);
