import { open, seal } from '../../../shared/security/aes-gcm.ts';
import { problems } from '../errors.ts';
import type { CursorKey } from '../store/cursor-key.ts';

const PREFIX = 'e.';
const CONTEXT = 'cursor';

/**
 * Seals cursors of callers who do not see everything: a walk may stop at a record that is hidden from them, whose id and
 * keys are its place.
 */
export class CursorSeal {
  readonly #key: CursorKey;

  constructor(key: CursorKey) {
    this.#key = key;
  }

  async sealed(cursor: string): Promise<string> {
    const plain = Buffer.from(cursor, 'base64url');
    return PREFIX + seal(plain, await this.#key.get(), CONTEXT).toString('base64url');
  }

  /** The plain form of a cursor; one that was not sealed stays as it is. @throws Problem `INVALID_CURSOR` (400) */
  async opened(text: string): Promise<string> {
    if (!text.startsWith(PREFIX)) return text;
    const sealed = Buffer.from(text.slice(PREFIX.length), 'base64url');
    const plain = open(sealed, await this.#key.get(), CONTEXT);
    if (!plain) throw problems.invalidCursor({ detail: 'is not a cursor of this list' });
    return plain.toString('base64url');
  }
}
