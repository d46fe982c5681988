import { type Decimal, decimalText } from '../values/decimal.ts';
import { type CurrencyNames, currencyNames } from './currencies.ts';
import { englishFraction, englishWhole } from './english.ts';
import {
  VIETNAMESE_STYLE,
  type VietnameseStyle,
  vietnameseFraction,
  vietnameseWhole,
} from './vietnamese.ts';

/** Most digits of a whole number in words. */
const MAX_WORD_DIGITS = 36;

export interface WordOptions {
  readonly language: 'vi' | 'en' | 'en-GB';
  /** Code of ISO 4217; the amount is rounded to what the currency has. */
  readonly currency?: string | undefined;
  readonly style?: Partial<VietnameseStyle>;
  /** Ends an amount without hundredths with `chẵn` or `only`. */
  readonly isMarkedEven?: boolean;
}

interface Amount {
  readonly whole: string;
  readonly part: string;
}

/**
 * A number in words, all in small letters: `một triệu hai trăm linh năm nghìn đồng`.
 * @returns `undefined` for more than 36 digits before the point
 */
export function numberWords(value: Decimal, options: WordOptions): string | undefined {
  const names = options.currency === undefined ? undefined : currencyNames(options.currency);
  const rounded = names === undefined ? value : value.round(placesOf(names));
  const [whole = '', fraction = ''] = decimalText(rounded.abs()).split('.');
  if (whole.length > MAX_WORD_DIGITS || fraction.length > MAX_WORD_DIGITS) return undefined;
  const isNegative = rounded.lt(0);
  const amount = { whole, part: names === undefined ? fraction : fraction.padEnd(2, '0') };
  const isEven = options.isMarkedEven === true && /^0*$/.test(fraction);
  return options.language === 'vi'
    ? inVietnamese(amount, { isNegative, isEven }, names, options.style)
    : inEnglish(amount, { isNegative, isEven }, names, options.language === 'en-GB');
}

const placesOf = ({ vi }: CurrencyNames): number => (vi[1] === undefined ? 0 : 2);

interface Marks {
  readonly isNegative: boolean;
  readonly isEven: boolean;
}

function inVietnamese(
  { whole, part }: Amount,
  { isNegative, isEven }: Marks,
  names: CurrencyNames | undefined,
  given: Partial<VietnameseStyle> = {},
): string {
  const style = { ...VIETNAMESE_STYLE, ...given };
  const words = [vietnameseWhole(whole, style)];
  if (isNegative) words.unshift('âm');
  if (names === undefined) {
    if (part !== '') words.push('phẩy', vietnameseFraction(part, style));
    return words.join(' ');
  }
  words.push(names.vi[0]);
  if (names.vi[1] !== undefined && Number(part) > 0) {
    words.push('và', vietnameseWhole(part, style), names.vi[1]);
  }
  return isEven ? [...words, 'chẵn'].join(' ') : words.join(' ');
}

function inEnglish(
  { whole, part }: Amount,
  { isNegative, isEven }: Marks,
  names: CurrencyNames | undefined,
  isBritish: boolean,
): string {
  const words = [englishWhole(whole, isBritish)];
  if (isNegative) words.unshift('minus');
  if (names === undefined) {
    if (part !== '') words.push('point', englishFraction(part));
    return words.join(' ');
  }
  const [unit, units, hundredth, hundredths] = names.en;
  words.push(/^0*1$/.test(whole) ? unit : units);
  if (hundredth !== undefined && hundredths !== undefined && Number(part) > 0) {
    words.push('and', englishWhole(part, isBritish), Number(part) === 1 ? hundredth : hundredths);
  }
  return isEven ? [...words, 'only'].join(' ') : words.join(' ');
}
