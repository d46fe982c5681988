/** Durations of ISO 8601 with years to seconds; the last number may have a fraction only if it counts seconds. */
const DURATION =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/;

/** Whether the text is an ISO 8601 duration. */
export const isDuration = (text: string): boolean => DURATION.test(text) && /\d/.test(text);

/**
 * The instant one or more durations after another; years and months by the calendar, in UTC.
 * @throws RangeError when the text is not a duration, or the result is outside of the calendar
 */
export function addDuration(epochMs: number, duration: string, times = 1): number {
  const match = DURATION.exec(duration);
  if (!match) throw new RangeError(`"${duration}" is no ISO 8601 duration`);
  const [years, months, weeks, days, hours, minutes, seconds] = match
    .slice(1)
    .map((part) => times * Number((part ?? '0').replace(',', '.'))) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(epochMs);
  if (years || months) addMonths(date, years * 12 + months);
  const dayMs = 24 * 60 * 60 * 1000;
  const timeMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  const instant = new Date(
    date.getTime() + (weeks * 7 + days) * dayMs + Math.round(timeMs),
  ).getTime();
  if (Number.isNaN(instant)) throw new RangeError(`"${duration}" is too long`);
  return instant;
}

/** Moves by calendar months; a day that the month does not have becomes its last one. */
function addMonths(date: Date, months: number): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
}

/** An instant or a date of ISO 8601 in milliseconds; a time without zone is UTC. undefined: no such text. */
export function parseInstant(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(?:T[\d:.,]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text)) return undefined;
  const isLocal = text.includes('T') && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(text);
  const instant = Date.parse(isLocal ? `${text}Z` : text);
  return Number.isNaN(instant) ? undefined : instant;
}

const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const DAY = { from: '2026-01-'.length, to: '2026-01-01'.length };

/** Whether the text is an instant in the form in which instants are stored: UTC, with milliseconds, and a year of four digits, so that texts sort as times. */
export function isInstant(text: string): boolean {
  if (!INSTANT.test(text)) return false;
  if (text.slice(DAY.from, DAY.to) <= '28') return true;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
