import { type Decimal, toDecimal } from '../values/decimal.ts';
import { numberWords } from '../words/number-words.ts';
import type { DataType } from './data-type.ts';
import { currencyOf, type FormatSettings, wordLanguage } from './locale-defaults.ts';
import type { MarkerFormat, Numeral } from './marker-format.ts';
import { exact, formatNumber, inDigits, parseNumberPicture } from './number-picture.ts';

const MOST_DIGITS = 20;

/** A number by its format, else by its type; `undefined` when it is not a number or the format does not fit. */
export function showNumber(
  value: unknown,
  type: DataType,
  format: MarkerFormat,
  settings: FormatSettings,
): string | undefined {
  const number = toDecimal(value);
  if (number === undefined) return undefined;
  if (format.words) return inWords(number, format.words.currency, settings.locale);
  if (format.numeral) return inNumerals(number, format.numeral, settings.locale);
  if (format.numberPicture !== undefined) return byPicture(number, type, format, settings.locale);
  const isPercent = format.isPercent === true || (type === 'PERCENT' && !format.currency);
  if (isPercent) return percent(number, settings.locale);
  if (type === 'CURRENCY' || format.currency !== undefined) {
    return amount(number, format.currency, settings.locale);
  }
  if (type === 'INTEGER' && !number.eq(number.round(0))) return undefined;
  return inDigits(number, { maximumFractionDigits: MOST_DIGITS }, settings.locale);
}

/** An amount of money as the locale writes it; the currency is that of its region unless it is given. */
export function amount(number: Decimal, given: string | undefined, locale: string): string {
  const currency = given ?? currencyOf(locale);
  if (currency === undefined) return inDigits(number, { maximumFractionDigits: 2 }, locale);
  return inDigits(number, { style: 'currency', currency }, locale);
}

/** A share as the locale writes it: 0.256 is `25,6%`. */
const percent = (number: Decimal, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(
    exact(number),
  );

/** In a picture of a share a percent sign is one: 0.256 by `0.0%` is `25,6%`. */
function byPicture(
  number: Decimal,
  type: DataType,
  { numberPicture = '' }: MarkerFormat,
  locale: string,
): string | undefined {
  const picture = parseNumberPicture(numberPicture);
  if (picture === undefined) return undefined;
  const isShare = type === 'PERCENT' && numberPicture.includes('%');
  return formatNumber(isShare ? number.times(100) : number, picture, locale);
}

const inWords = (
  number: Decimal,
  currency: string | undefined,
  locale: string,
): string | undefined => numberWords(number, { language: wordLanguage(locale), currency });

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function inNumerals(number: Decimal, numeral: Numeral, locale: string): string | undefined {
  if (numeral === 'arabic')
    return inDigits(number, { maximumFractionDigits: MOST_DIGITS, useGrouping: false }, locale);
  let rest = number.toNumber();
  if (!Number.isInteger(rest) || rest < 1 || rest > 3_999) return undefined;
  let text = '';
  for (const [value, letters] of ROMAN) {
    for (; rest >= value; rest -= value) text += letters;
  }
  return numeral === 'roman' ? text.toLowerCase() : text;
}
