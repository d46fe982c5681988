import { ScheduleError } from './schedule-error.ts';

const MINUTE_MS = 60_000;
const UNITS = { m: 1, h: 60, d: 1_440 } as const;
const MIN_MINUTES = 5;
const MAX_MINUTES = 31 * UNITS.d;

/**
 * Minutes of a period: hours from 1 to 24 (`6`), `30m`, `2h`, `1d`, `PT1H30M`, `P1D` or `rate(30 minutes)`.
 * @throws ScheduleError
 */
export function periodMinutes(value: string): number {
  const text = value.trim();
  const minutes = hours(text) ?? short(text) ?? iso(text) ?? rate(text);
  if (minutes === undefined) {
    throw new ScheduleError(
      'value',
      'must be hours from 1 to 24, or a period such as 30m, 2h, 1d, PT30M or rate(30 minutes)',
    );
  }
  if (minutes < MIN_MINUTES || minutes > MAX_MINUTES) {
    throw new ScheduleError('value', 'must be from 5 minutes to 31 days');
  }
  return minutes;
}

/** The expression of EventBridge Scheduler, in the largest unit. */
export function rateExpression(minutes: number): string {
  const [size, unit] =
    minutes % UNITS.d === 0
      ? [minutes / UNITS.d, 'day']
      : minutes % UNITS.h === 0
        ? [minutes / UNITS.h, 'hour']
        : [minutes, 'minute'];
  return `rate(${size} ${unit}${size === 1 ? '' : 's'})`;
}

/** The period of a rate expression that was made here. */
export const rateMs = (expression: string): number | undefined => {
  const minutes = rate(expression);
  return minutes === undefined ? undefined : minutes * MINUTE_MS;
};

function hours(text: string): number | undefined {
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const count = Number(text);
  if (count < 1 || count > 24) throw new ScheduleError('value', 'must be hours from 1 to 24');
  return count * UNITS.h;
}

function short(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/i.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * unitOf(unit);
}

function iso(text: string): number | undefined {
  const [whole, days, hourPart, minutePart] =
    /^P(?!$)(?:(\d{1,4})D)?(?:T(?!$)(?:(\d{1,5})H)?(?:(\d{1,6})M)?)?$/i.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return Number(days ?? 0) * UNITS.d + Number(hourPart ?? 0) * UNITS.h + Number(minutePart ?? 0);
}

function rate(text: string): number | undefined {
  const [, count, unit] = /^rate\((\d{1,6}) (minute|hour|day)s?\)$/i.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * unitOf(unit);
}

const unitOf = (word: string): number => UNITS[word[0]?.toLowerCase() as keyof typeof UNITS];
