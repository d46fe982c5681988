import { isCipherText, keyIdOf } from '../security/aes-gcm-text.ts';

/** Result of a walk over cipher texts. */
export interface TextCounts {
  readonly processed: number;
  readonly moved: number;
  readonly unreadable: number;
  /** Ids of the keys of texts that cannot be decrypted. */
  readonly kids: readonly string[];
}

export const NO_TEXTS: TextCounts = { processed: 0, moved: 0, unreadable: 0, kids: [] };

/** Cipher texts that are given the newest key, counted on the way. */
export class RenewedTexts {
  readonly #renew: (text: string) => Promise<string | undefined>;
  counts: TextCounts = NO_TEXTS;

  /** @param renew a text under the newest key; `undefined` when it cannot be decrypted */
  constructor(renew: (text: string) => Promise<string | undefined>) {
    this.#renew = renew;
  }

  /** A value as it is, or under the newest key where it is a cipher text. */
  async newest<T>(value: T): Promise<T | string> {
    if (typeof value !== 'string' || !isCipherText(value)) return value;
    const newest = await this.#renew(value);
    const isUnreadable = newest === undefined;
    this.counts = allTexts(this.counts, {
      processed: 1,
      moved: isUnreadable || newest === value ? 0 : 1,
      unreadable: isUnreadable ? 1 : 0,
      kids: isUnreadable ? [keyIdOf(value) ?? ''] : [],
    });
    return newest ?? value;
  }
}

export const allTexts = (one: TextCounts, other: TextCounts): TextCounts => ({
  processed: one.processed + other.processed,
  moved: one.moved + other.moved,
  unreadable: one.unreadable + other.unreadable,
  kids: [...new Set([...one.kids, ...other.kids])],
});
