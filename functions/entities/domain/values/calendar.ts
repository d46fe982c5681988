import { zonedParts } from '../../../../shared/primitives/zones/zoned-parts.ts';
import { encodeDate } from './instants.ts';

const DAY_MS = 86_400_000;
/** No zone is further from UTC, and the clocks are changed by less. */
const MAX_OFFSET_MS = 18 * 3_600_000;

/** Units that days are counted in. */
export type DayUnit = 'd' | 'w' | 'mo' | 'y';

/** The day (`2026-03-01`) that a calendar in a time zone shows at an instant. */
export function dayAt(ms: number, zone: string): string {
  const { year, month, day } = zonedParts(ms, zone);
  return [padded(year, 4), padded(month, 2), padded(day, 2)].join('-');
}

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** The first instant of a day in a time zone: midnight, or what follows it where the clocks leave midnight out. */
export function startOfDay(day: string, zone: string): number {
  const middle = Date.parse(`${day}T00:00:00Z`);
  let before = middle - MAX_OFFSET_MS;
  let at = middle + MAX_OFFSET_MS;
  while (at - before > 1) {
    const half = Math.floor((before + at) / 2);
    if (dayAt(half, zone) < day) before = half;
    else at = half;
  }
  return at;
}

/** The day so many days, weeks, months or years later; of a month without that day, its last; `undefined` beyond the year 9999. */
export function addToDay(day: string, count: number, unit: DayUnit): string | undefined {
  const date = new Date(`${day}T00:00:00Z`);
  if (unit === 'd' || unit === 'w')
    return dayOf(date.getTime() + count * (unit === 'w' ? 7 : 1) * DAY_MS);
  const month = date.getUTCMonth() + count * (unit === 'y' ? 12 : 1);
  const last = utc(date.getUTCFullYear(), month + 1, 0);
  const wanted = utc(date.getUTCFullYear(), month, date.getUTCDate());
  return dayOf(Math.min(last, wanted));
}

function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

function dayOf(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : validDay(date.toISOString());
}

/** Years beyond 9999 and before 0 have six digits. */
function validDay(iso: string): string | undefined {
  return encodeDate(iso.slice(0, 10));
}
