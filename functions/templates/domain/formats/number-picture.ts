import { type Decimal, decimalText } from '../values/decimal.ts';

interface Section {
  readonly prefix: string;
  readonly suffix: string;
  /** Sign that the picture asks for: `+` shows both signs. */
  readonly sign: '' | '+' | '-';
  readonly options: Intl.NumberFormatOptions;
}

/** A number picture: what is shown of positive numbers, of negative ones and of zero. */
export interface NumberPicture {
  readonly positive: Section;
  readonly negative: Section | undefined;
  readonly zero: Section | undefined;
}

const MAX_PICTURE = 200;
const MAX_DIGITS = 21;
const DIGITS = /[#0][#0.,]*|[.,][#0]+/;

/**
 * Reads a number picture of Word: `#,##0.00`, with sections for negative numbers and for zero after semicolons, text
 * between single quotes, `+` or `-` for the sign. The picture says how many digits there are and whether they are
 * grouped; which characters separate them says the locale. A `#` without a digit shows nothing.
 * @returns `undefined` for a text that is not a number picture
 */
export function parseNumberPicture(picture: string): NumberPicture | undefined {
  if (picture.length > MAX_PICTURE) return undefined;
  const given = splitSections(picture);
  if (given === undefined || given.length > 3) return undefined;
  const sections = given.map(parseSection);
  const [positive, negative, zero] = sections;
  if (positive === undefined || sections.includes(undefined)) return undefined;
  return { positive, negative, zero };
}

/** Shows a number by a picture: `1234.5` by `#,##0.00` is `1.234,50` in Vietnamese. */
export function formatNumber(value: Decimal, picture: NumberPicture, locale: string): string {
  const chosen = sectionFor(value, picture);
  // What is rounded to zero has no minus.
  const shown = value.round(chosen.options.maximumFractionDigits ?? 0);
  const digits = inDigits(shown.abs(), chosen.options, locale);
  const sign = signOf(shown, chosen, picture.negative === chosen);
  return `${sign}${chosen.prefix}${digits}${chosen.suffix}`;
}

/** The digits of a number as the locale writes them; the number is not rounded to a binary one. */
export function inDigits(
  value: Decimal,
  options: Intl.NumberFormatOptions,
  locale: string,
): string {
  return formatter(locale, options).format(exact(value));
}

/** A decimal as the text of a number, which `Intl` formats digit by digit. */
export const exact = (value: Decimal): Intl.StringNumericLiteral =>
  decimalText(value) as Intl.StringNumericLiteral;

function sectionFor(value: Decimal, { positive, negative, zero }: NumberPicture): Section {
  if (value.eq(0) && zero) return zero;
  return value.lt(0) && negative ? negative : positive;
}

function signOf(value: Decimal, { sign }: Section, isNegativeSection: boolean): string {
  if (isNegativeSection) return sign;
  if (value.lt(0)) return '-';
  return sign === '+' && value.gt(0) ? '+' : '';
}

/** Sections of a picture; semicolons between quotes do not divide. */
function splitSections(picture: string): string[] | undefined {
  const sections = [''];
  let isQuoted = false;
  for (const character of picture) {
    if (character === "'") isQuoted = !isQuoted;
    if (character === ';' && !isQuoted) sections.push('');
    else sections[sections.length - 1] += character;
  }
  return isQuoted ? undefined : sections;
}

function parseSection(source: string): Section | undefined {
  const masked = source.replaceAll(/'[^']*'/g, (quoted) => '\u0001'.repeat(quoted.length));
  const found = DIGITS.exec(masked);
  // A leading `x` cuts digits off in Word, which no document may do to an amount.
  if (!found || /x$/i.test(masked.slice(0, found.index))) return undefined;
  const before = source.slice(0, found.index);
  const after = source.slice(found.index + found[0].length);
  if (DIGITS.test(masked.slice(found.index + found[0].length))) return undefined;
  const options = digitOptions(found[0]);
  if (options === undefined) return undefined;
  const sign = /[+-]/.exec(masked.slice(0, found.index))?.[0] ?? '';
  return {
    sign: sign === '+' || sign === '-' ? sign : '',
    prefix: unquoted(sign === '' ? before : before.replace(sign, '')),
    suffix: unquoted(after),
    options,
  };
}

const unquoted = (text: string): string => text.replaceAll("'", '');

/** The last separator is the decimal one when both occur (`#.##0,00`), else the point is. */
function digitOptions(picture: string): Intl.NumberFormatOptions | undefined {
  const decimal =
    picture.lastIndexOf(',') > picture.lastIndexOf('.') && picture.includes('.') ? ',' : '.';
  const [whole = '', fraction = '', ...more] = picture.split(decimal);
  const group = decimal === '.' ? ',' : '.';
  if (more.length > 0 || fraction.includes(group)) return undefined;
  const least = whole.replaceAll(group, '').replace(/^#*/, '').length;
  const kept = /^0*/.exec(fraction)?.[0].length ?? 0;
  if (least > MAX_DIGITS || fraction.length > MAX_DIGITS) return undefined;
  return {
    useGrouping: whole.includes(group) ? 'always' : false,
    minimumIntegerDigits: Math.max(least, 1),
    minimumFractionDigits: kept,
    maximumFractionDigits: fraction.length,
  };
}

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(locale, { ...options, roundingMode: 'halfExpand' });
  formatters.set(key, made);
  return made;
}
