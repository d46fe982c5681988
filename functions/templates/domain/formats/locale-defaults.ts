/** How values are shown: language and region, and the zone of instants. */
export interface FormatSettings {
  /** BCP 47, such as `vi-VN`. */
  readonly locale: string;
  /** IANA name, such as `Asia/Ho_Chi_Minh`. */
  readonly zone: string;
}

const CURRENCIES: Readonly<Record<string, string>> = {
  VN: 'VND',
  US: 'USD',
  GB: 'GBP',
  JP: 'JPY',
  KR: 'KRW',
  CN: 'CNY',
  TH: 'THB',
  SG: 'SGD',
  AU: 'AUD',
  CA: 'CAD',
  CH: 'CHF',
  LA: 'LAK',
  KH: 'KHR',
  DE: 'EUR',
  FR: 'EUR',
  ES: 'EUR',
  IT: 'EUR',
  NL: 'EUR',
  AT: 'EUR',
  BE: 'EUR',
  FI: 'EUR',
  IE: 'EUR',
  PT: 'EUR',
  GR: 'EUR',
};

/** The currency of the locale's region; `undefined` where it is not known. */
export function currencyOf(locale: string): string | undefined {
  const region = new Intl.Locale(locale).maximize().region ?? '';
  return Object.hasOwn(CURRENCIES, region) ? CURRENCIES[region] : undefined;
}

const YES_NO: Readonly<Record<string, readonly [string, string]>> = {
  vi: ['Có', 'Không'],
  en: ['Yes', 'No'],
  fr: ['Oui', 'Non'],
  de: ['Ja', 'Nein'],
  es: ['Sí', 'No'],
};

/** Words for true and false. */
export function yesNo(locale: string): readonly [string, string] {
  const { language } = new Intl.Locale(locale);
  return (Object.hasOwn(YES_NO, language) ? YES_NO[language] : undefined) ?? ['Yes', 'No'];
}

/** Language of numbers in words. */
export function wordLanguage(locale: string): 'vi' | 'en' | 'en-GB' {
  if (locale === 'en-GB') return 'en-GB';
  return new Intl.Locale(locale).language === 'vi' ? 'vi' : 'en';
}

const pictures = new Map<string, string>();

/** Day and month in two digits and the year in four, in the order and with the separators of the locale. */
export function defaultDatePicture(locale: string): string {
  const known = pictures.get(locale);
  if (known !== undefined) return known;
  const parts = new Intl.DateTimeFormat(locale, {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    timeZone: 'UTC',
    calendar: 'gregory',
  }).formatToParts(0);
  const token: Readonly<Record<string, string>> = { day: 'dd', month: 'MM', year: 'yyyy' };
  const picture = parts.map(({ type, value }) => token[type] ?? quoted(value)).join('');
  pictures.set(locale, picture);
  return picture;
}

const quoted = (text: string): string => (/\p{L}/u.test(text) ? `'${text}'` : text);
