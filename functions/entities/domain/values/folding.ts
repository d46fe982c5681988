/** Longest folded text that a row key holds, in bytes; the rest is checked on the record itself. */
export const MAX_KEY_BYTES = 256;

const MAX_WORD_BYTES = 64;
/** Words of one record that the search finds. */
const MAX_WORDS = 256;

/**
 * Folds a text for searching and sorting: no case, no accents (`Nguyễn` and `nguyen`, `đ` and `d` are
 * alike), no control characters, single blanks. The stored value is not changed.
 */
export function fold(text: string): string {
  return text
    .toWellFormed()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('đ', 'd')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** The same with accents: `Bản` and `Bán` differ, `bản` and `BẢN` do not. */
export function foldCase(text: string): string {
  return text
    .toWellFormed()
    .toLowerCase()
    .normalize()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Whether two values are the same; letters may be composed in one text and decomposed in the other. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== 'string' || typeof other !== 'string') return one === other;
  return one.normalize() === other.normalize();
}

/** Truncates a text to a number of bytes without splitting a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** The different words of texts, folded. */
export function wordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => fold(text).split(/[^\p{L}\p{N}]+/u));
  const distinct = new Set(words.filter(Boolean).map((word) => cutToBytes(word, MAX_WORD_BYTES)));
  return [...distinct].slice(0, MAX_WORDS);
}

/** Compares texts as DynamoDB compares sort keys: by their UTF-8 bytes, which is the order of code points. */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const a = one.charCodeAt(index);
    const b = other.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Surrogates encode the highest code points, although their code units are below U+E000. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
