export type LetterCase = 'upper' | 'lower' | 'firstCap' | 'caps';

const FIRST_LETTER = /\p{L}\p{M}*/u;
/** First letters of words; an apostrophe does not end a word. */
const FIRST_LETTERS = /(?<![\p{L}\p{M}\p{N}'’])\p{L}\p{M}*/gu;

/** Changes the case of letters as Word's `\* Upper`, `Lower`, `FirstCap` and `Caps` do; other letters stay. */
export function inLetterCase(text: string, letterCase: LetterCase, locale: string): string {
  const upper = (letters: string): string => letters.toLocaleUpperCase(locale);
  if (letterCase === 'upper') return upper(text);
  if (letterCase === 'lower') return text.toLocaleLowerCase(locale);
  if (letterCase === 'firstCap') return text.replace(FIRST_LETTER, upper);
  return text.replaceAll(FIRST_LETTERS, upper);
}
