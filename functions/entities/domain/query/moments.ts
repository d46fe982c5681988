import { addToDay, type DayUnit, dayAt, startOfDay } from '../values/calendar.ts';
import { type Codec, codecOf } from '../values/codecs.ts';

/** When a query is read, and the time zone of its days. */
export interface Moment {
  readonly ms: number;
  /** IANA name. */
  readonly zone: string;
}

/** A named time: an instant, or a whole day. */
export interface TimeSpan {
  readonly first: string;
  /** The last instant of the day; the same for an instant and for a date. */
  readonly last: string;
}

// A plus in an address is read as a space.
const NAMED = /^(today|now)(?:([-+ ])(\d{1,4})(min|h|d|w|mo|y))?$/;
const MS = { min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DATE = codecOf({ fieldType: 'DATE' });
const INSTANT = codecOf({ fieldType: 'DATETIME' });

/** Whether an operand is a named time: `today`, `now-2h`. */
export const isNamedTime = (codec: Codec, operand: unknown): operand is string =>
  (codec === DATE || codec === INSTANT) && typeof operand === 'string' && NAMED.test(operand);

/**
 * What `today`, `today-7d`, `now` or `now-2h` stands for.
 * @returns `undefined` for a unit or name that values of the codec do not have, or a year beyond 9999
 */
export function readNamedTime(codec: Codec, text: string, moment: Moment): TimeSpan | undefined {
  const [, name, sign, digits = '0', unit = 'd'] = NAMED.exec(text) ?? [];
  const count = sign === '-' ? -Number(digits) : Number(digits);
  if (name === 'now') return codec === INSTANT ? instantAt(moment.ms, count, unit) : undefined;
  if (unit === 'min' || unit === 'h') return undefined;
  const today = dayAt(moment.ms, moment.zone);
  const day = addToDay(today, count, unit as DayUnit);
  if (day === undefined) return undefined;
  if (codec === DATE) return { first: day, last: day };
  const next = addToDay(day, 1, 'd');
  if (next === undefined) return undefined;
  const [first, end] = [startOfDay(day, moment.zone), startOfDay(next, moment.zone)];
  // A day that a zone has left out has no instants; it ends before it begins.
  return { first: iso(first), last: iso(end - 1) };
}

function instantAt(ms: number, count: number, unit: string): TimeSpan | undefined {
  if (unit === 'mo' || unit === 'y') return undefined;
  const at = iso(ms + count * MS[unit as keyof typeof MS]);
  return { first: at, last: at };
}

const iso = (ms: number): string => new Date(ms).toISOString();
