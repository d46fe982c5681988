import { zonedParts } from '../../../../shared/primitives/zones/zoned-parts.ts';

/** A date, a time of day or both as a calendar and a clock on the wall show them. */
export interface WallTime {
  /** Milliseconds since 1970-01-01T00:00 of the wall; a time of day lies on 1970-01-01. */
  readonly ms: number;
  readonly hasDate: boolean;
  readonly hasTime: boolean;
}

export const DAY_MS = 86_400_000;

const DATE = String.raw`(\d{4})-(\d\d)-(\d\d)`;
const TIME = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?`;
const OFFSET = String.raw`(Z|z|[+-]\d\d(?::?\d\d)?)`;
const ONLY_DATE = new RegExp(`^${DATE}$`);
const ONLY_TIME = new RegExp(`^${TIME}${OFFSET}?$`);
const DATE_AND_TIME = new RegExp(`^${DATE}[Tt ]${TIME}${OFFSET}?$`);

/**
 * Reads an ISO 8601 date, time or both. An instant or a value with an offset is shown in the zone; `2024-02-29` and
 * `2024-02-29T20:30` are local and stay as they are. A number counts as milliseconds since 1970 (UTC).
 * @returns `undefined` when it is none, or no day of the calendar
 */
export function readWallTime(value: unknown, zone: string): WallTime | undefined {
  if (typeof value === 'number') return wallTimeOf(value, zone);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const day = ONLY_DATE.exec(text);
  if (day) return wall(dateMs(day.slice(1, 4)), true, false);
  const time = ONLY_TIME.exec(text);
  if (time) return wall(timeMs(time.slice(1, 5)), false, true);
  const both = DATE_AND_TIME.exec(text);
  if (!both) return undefined;
  const local = sum(dateMs(both.slice(1, 4)), timeMs(both.slice(4, 8)));
  const offset = both[8];
  if (local === undefined || offset === undefined) return wall(local, true, true);
  const shift = offsetMs(offset);
  return shift === undefined ? undefined : wallTimeOf(local - shift, zone);
}

/** What the wall shows in a zone at an instant; `undefined` outside of the years 0 to 9999. */
export function wallTimeOf(instantMs: number, zone: string): WallTime | undefined {
  if (!Number.isFinite(instantMs) || Math.abs(instantMs) > 4e14) return undefined;
  const instant = Math.trunc(instantMs);
  const { year, month, day, hour, minute, second } = zonedParts(instant, zone);
  const fraction = ((instant % 1_000) + 1_000) % 1_000;
  const local = utc(year, month, day);
  const clock = (hour * 60 + minute) * 60 + second;
  return wall(local + clock * 1_000 + fraction, true, true);
}

/** A wall time as ISO 8601 text without zone, as far as it has a date and a time. */
export function wallTimeText({ ms, hasDate, hasTime }: WallTime): string {
  const text = new Date(ms).toISOString();
  const clock = text.slice(11, text.endsWith('.000Z') ? 19 : 23);
  if (!hasTime) return text.slice(0, 10);
  return hasDate ? `${text.slice(0, 10)}T${clock}` : clock;
}

function wall(ms: number | undefined, hasDate: boolean, hasTime: boolean): WallTime | undefined {
  if (ms === undefined) return undefined;
  const year = new Date(ms).getUTCFullYear();
  return year >= 0 && year <= 9_999 ? { ms, hasDate, hasTime } : undefined;
}

function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month - 1, day);
}

function dateMs(parts: readonly (string | undefined)[]): number | undefined {
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  const ms = utc(year, month, day);
  const date = new Date(ms);
  const isReal = date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  return isReal ? ms : undefined;
}

function timeMs(parts: readonly (string | undefined)[]): number | undefined {
  const [hour = 0, minute = 0, second = 0] = parts.slice(0, 3).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = Number((parts[3] ?? '').padEnd(3, '0').slice(0, 3));
  return ((hour * 60 + minute) * 60 + second) * 1_000 + fraction;
}

function offsetMs(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0;
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const sum = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? undefined : left + right;
