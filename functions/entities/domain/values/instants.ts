const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?(?:([Zz])|([+-])(\d\d):?(\d\d))$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?(?:([Zz])|([+-])(\d\d):?(\d\d))?$/;
const DAY_MS = 86_400_000;

/** A calendar date (`2026-03-01`) as its sort key; `undefined` when the text is none. */
export function encodeDate(text: string): string | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  const isReal =
    !Number.isNaN(date.getTime()) &&
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day);
  return isReal ? text : undefined;
}

/** An instant with its offset as UTC with milliseconds; a leap second counts as the last millisecond before it. */
export function encodeDateTime(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  const [, date = '', ...time] = match ?? [];
  if (!match || encodeDate(date) === undefined) return undefined;
  const ms = timeMs(time);
  if (ms === undefined) return undefined;
  const instant = new Date(Date.parse(`${date}T00:00:00Z`) + ms);
  return instant.getUTCFullYear() >= 0 && instant.getUTCFullYear() <= 9_999
    ? instant.toISOString()
    : undefined;
}

/** A time of day as its UTC clock time with milliseconds; without an offset it is taken as it stands. */
export function encodeTime(text: string): string | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const ms = timeMs(match.slice(1));
  if (ms === undefined) return undefined;
  return new Date((((ms % DAY_MS) + DAY_MS) % DAY_MS) + 0).toISOString().slice(11, 23);
}

/** Milliseconds of a clock time in UTC, below 0 or beyond a day when the offset moves it there. */
function timeMs(parts: readonly (string | undefined)[]): number | undefined {
  const [hours, minutes, seconds, fraction = '', , sign, offsetHours = '0', offsetMinutes = '0'] =
    parts;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const isLeap = Number(seconds) === 60;
  const ms = isLeap
    ? 59_999
    : Number(seconds) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const local = (Number(hours) * 60 + Number(minutes)) * 60_000 + ms;
  return sign === '-' ? local + offset : local - offset;
}
