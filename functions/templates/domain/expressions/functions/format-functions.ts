import { currencyOf, wordLanguage } from '../../formats/locale-defaults.ts';
import { formatNumber, inDigits, parseNumberPicture } from '../../formats/number-picture.ts';
import { showDate } from '../../formats/show-date.ts';
import { amount } from '../../formats/show-number.ts';
import { numberWords, type WordOptions } from '../../words/number-words.ts';
import type { VietnameseStyle } from '../../words/vietnamese.ts';
import { ExpressionError } from '../basics/expression-error.ts';
import { numberOf, type Value } from '../basics/value.ts';
import { type Call, type ExpressionFunction, textFrom, wrongArgument } from './call.ts';

const isGiven = (value: Value | undefined): value is Value =>
  value !== undefined && value !== null && value !== '';

function formatNumberBy([value = null, picture]: readonly Value[], call: Call): Value {
  if (value === null) return null;
  const number = numberOf(value, call.position);
  const { locale } = call.settings;
  if (!isGiven(picture)) return inDigits(number, { maximumFractionDigits: 20 }, locale);
  const parsed = parseNumberPicture(textFrom(picture, call));
  if (parsed === undefined)
    throw wrongArgument(call.position, 'needs a number picture such as #,##0.00');
  return formatNumber(number, parsed, locale);
}

function formatDateBy([value = null, picture]: readonly Value[], call: Call): Value {
  if (value === null) return null;
  const given = isGiven(picture) ? textFrom(picture, call) : undefined;
  const text = showDate(value, 'STRING', given, call.settings);
  if (text !== undefined) return text;
  throw new ExpressionError(
    'NOT_A_DATE',
    call.position,
    'needs a date and a picture such as dd/MM/yyyy',
  );
}

function formatCurrency([value = null, currency]: readonly Value[], call: Call): Value {
  if (value === null) return null;
  return amount(numberOf(value, call.position), currencyFrom(currency, call), call.settings.locale);
}

function currencyFrom(value: Value | undefined, call: Call): string | undefined {
  if (!isGiven(value)) return undefined;
  const code = textFrom(value, call);
  if (/^[A-Z]{3}$/.test(code)) return code;
  throw wrongArgument(call.position, 'needs the code of a currency, such as VND');
}

/** `numberToWords(amount, "VND", "vi", "linh ngàn bốn chẵn")`: all but the number may be left out. */
function numberToWords(
  [value = null, currency, language, style]: readonly Value[],
  call: Call,
): Value {
  if (value === null) return null;
  const words = numberWords(numberOf(value, call.position), {
    language: languageFrom(language, call),
    currency: currency === undefined ? undefined : wordCurrency(currency, call),
    ...styleFrom(style, call),
  });
  if (words !== undefined) return words;
  throw new ExpressionError(
    'NUMBER_TOO_LARGE',
    call.position,
    'has no words for more than 36 digits',
  );
}

/** `""` asks for the number alone, and `true` for the currency of the locale. */
const wordCurrency = (value: Value, call: Call): string | undefined =>
  value === true ? currencyOf(call.settings.locale) : currencyFrom(value, call);

function languageFrom(value: Value | undefined, call: Call): WordOptions['language'] {
  if (!isGiven(value)) return wordLanguage(call.settings.locale);
  const language = textFrom(value, call);
  if (language === 'vi' || language === 'en' || language === 'en-GB') return language;
  throw wrongArgument(call.position, 'speaks vi, en and en-GB');
}

const STYLES: Readonly<Record<string, Partial<VietnameseStyle>>> = {
  lẻ: { missingTen: 'lẻ' },
  linh: { missingTen: 'linh' },
  nghìn: { thousand: 'nghìn' },
  ngàn: { thousand: 'ngàn' },
  tư: { four: 'tư' },
  bốn: { four: 'bốn' },
};
const EVEN: ReadonlySet<string> = new Set(['chẵn', 'only']);

function styleFrom(
  value: Value | undefined,
  call: Call,
): Pick<WordOptions, 'style' | 'isMarkedEven'> {
  const words = isGiven(value)
    ? textFrom(value, call).normalize().split(/\s+/).filter(Boolean)
    : [];
  const unknown = words.find((word) => !Object.hasOwn(STYLES, word) && !EVEN.has(word));
  if (unknown !== undefined) {
    throw wrongArgument(
      call.position,
      'knows the styles lẻ, linh, nghìn, ngàn, tư, bốn, chẵn and only',
    );
  }
  const style = Object.assign({}, ...words.map((word) => STYLES[word] ?? {}));
  return { style, isMarkedEven: words.some((word) => EVEN.has(word)) };
}

export const formatFunctions: Readonly<Record<string, ExpressionFunction>> = {
  formatNumber: { count: [1, 2], run: formatNumberBy },
  formatDate: { count: [1, 2], run: formatDateBy },
  formatCurrency: { count: [1, 2], run: formatCurrency },
  numberToWords: { count: [1, 4], run: numberToWords },
};
