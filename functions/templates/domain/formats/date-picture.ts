import type { WallTime } from '../values/wall-time.ts';

/** A part of a date picture: a text as it stands, or what is shown of the date. */
export type DatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly token: string };

const MAX_PICTURE = 200;
const TOKEN = /AM\/PM|am\/pm|[dD]{1,4}|M{1,4}|[yY]{1,4}|h{1,2}|H{1,2}|m{1,2}|s{1,2}/y;
/** Letters with those around them that belong to the same word. */
const WORD = /AM\/PM|am\/pm|[\p{L}\p{M}]+/uy;

/**
 * Reads a date picture of Word: `dd/MM/yyyy HH:mm`. Letters between single quotes are text, and so is a word with a
 * letter that no picture has, such as `ngày` and `tháng`.
 * @returns `undefined` when a quote is not closed, the picture is too long or shows nothing of a date
 */
export function parseDatePicture(picture: string): readonly DatePart[] | undefined {
  if (picture.length > MAX_PICTURE) return undefined;
  const parts: DatePart[] = [];
  let at = 0;
  while (at < picture.length) {
    const quoted = picture[at] === "'" ? readQuoted(picture, at) : undefined;
    if (picture[at] === "'" && quoted === undefined) return undefined;
    const word = quoted?.source ?? match(WORD, picture, at) ?? (picture[at] as string);
    parts.push(...(quoted ? [{ kind: 'text', text: quoted.text } as const] : partsOfWord(word)));
    at += word.length;
  }
  return parts.some(({ kind }) => kind === 'value') ? parts : undefined;
}

/** Shows a date or time by a picture; names of months and days are those of the locale. */
export function formatDate(time: WallTime, parts: readonly DatePart[], locale: string): string {
  const hasDay = parts.some((part) => part.kind === 'value' && /^[dD]{1,2}$/.test(part.token));
  return parts
    .map((part) => (part.kind === 'text' ? part.text : show(part.token, time, locale, hasDay)))
    .join('');
}

function readQuoted(picture: string, at: number): { source: string; text: string } | undefined {
  const end = picture.indexOf("'", at + 1);
  if (end < 0) return undefined;
  return { source: picture.slice(at, end + 1), text: picture.slice(at + 1, end) };
}

function partsOfWord(word: string): DatePart[] {
  const parts: DatePart[] = [];
  let at = 0;
  while (at < word.length) {
    const token = match(TOKEN, word, at);
    if (token === undefined) return [{ kind: 'text', text: word }];
    parts.push({ kind: 'value', token });
    at += token.length;
  }
  return parts;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const two = (value: number): string => String(value).padStart(2, '0');

/** What a token shows; names of days and months are asked of the locale. */
function show(token: string, { ms }: WallTime, locale: string, hasDay: boolean): string {
  const date = new Date(ms);
  const hour = date.getUTCHours();
  const isLong = token.length > 1;
  const number = (value: number): string => (isLong ? two(value) : String(value));
  switch (token.charAt(0)) {
    case 'd':
    case 'D':
      return token.length > 2 ? dayName(date, locale, token.length) : number(date.getUTCDate());
    case 'M':
      if (token.length < 3) return number(date.getUTCMonth() + 1);
      return monthName(date, locale, token.length, hasDay);
    case 'y':
    case 'Y':
      return year(date, token.length);
    case 'H':
      return number(hour);
    case 'h':
      return number(hour % 12 === 0 ? 12 : hour % 12);
    case 'm':
      return number(date.getUTCMinutes());
    case 's':
      return number(date.getUTCSeconds());
    default:
      return dayPeriod(date, locale, token);
  }
}

const year = (date: Date, length: number): string =>
  length > 2 ? String(date.getUTCFullYear()).padStart(4, '0') : two(date.getUTCFullYear() % 100);

function named(
  date: Date,
  locale: string,
  type: string,
  options: Intl.DateTimeFormatOptions,
): string {
  const parts = formatter(locale, options).formatToParts(date);
  return parts.find((part) => part.type === type)?.value ?? '';
}

const dayName = (date: Date, locale: string, length: number): string =>
  named(date, locale, 'weekday', { weekday: length === 3 ? 'short' : 'long' });

/** Beside a day the name of a month stands in the form for dates: `1 марта`, but `март`. */
function monthName(date: Date, locale: string, length: number, hasDay: boolean): string {
  const month = length === 3 ? 'short' : 'long';
  return named(date, locale, 'month', hasDay ? { day: 'numeric', month } : { month });
}

function dayPeriod(date: Date, locale: string, token: string): string {
  const text = named(date, locale, 'dayPeriod', { hour: 'numeric', hourCycle: 'h12' });
  return token === 'am/pm' ? text.toLocaleLowerCase(locale) : text;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, {
    ...options,
    timeZone: 'UTC',
    calendar: 'gregory',
  });
  formatters.set(key, made);
  return made;
}
