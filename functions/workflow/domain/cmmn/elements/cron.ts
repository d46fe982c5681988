/** A cron expression of six or seven fields: second, minute, hour, day of month, month, day of week, year. */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** undefined: any day of the month. 0 stands for the last one. */
  readonly days: ReadonlySet<number> | undefined;
  readonly months: ReadonlySet<number>;
  /** 1 = Sunday; undefined: any day of the week. */
  readonly weekdays: ReadonlySet<number> | undefined;
  readonly years: ReadonlySet<number> | undefined;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** Days that the search for the next time looks ahead. */
const HORIZON_DAYS = 366 * 8;

/** Parses a cron expression in the form of Quartz. undefined: it is none, or uses `W` or `#`. */
export function parseCron(text: string): Cron | undefined {
  const fields = text.trim().toUpperCase().split(/\s+/);
  if (fields.length < 6 || fields.length > 7) return undefined;
  const [second, minute, hour, day, month, weekday, year = '*'] = fields as [string, ...string[]];
  const seconds = parseField(second, 0, 59);
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = day === 'L' ? [0] : parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = parseField(weekday, 1, 7, WEEKDAYS);
  const years = parseField(year, 1970, 2199);
  if (!seconds || !minutes || !hours || !days || !months || !weekdays || !years) return undefined;
  return {
    seconds,
    minutes,
    hours,
    days: isAny(day) ? undefined : new Set(days),
    months: new Set(months),
    weekdays: isAny(weekday) ? undefined : new Set(weekdays),
    years: isAny(year) ? undefined : new Set(years),
  };
}

const isAny = (field: string | undefined): boolean => field === '*' || field === '?';

/** The numbers that a field allows, in rising order; undefined when it is not understood. */
function parseField(
  field: string | undefined,
  min: number,
  max: number,
  names: readonly string[] = [],
): number[] | undefined {
  const allowed = new Set<number>();
  for (const part of (field ?? '').split(',')) {
    const range = parseRange(part, min, max, names);
    if (!range) return undefined;
    for (let value = range.from; value <= range.to; value += range.step) allowed.add(value);
  }
  return [...allowed].sort((left, right) => left - right);
}

function parseRange(
  part: string,
  min: number,
  max: number,
  names: readonly string[],
): { from: number; to: number; step: number } | undefined {
  const match = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part);
  if (!match) return undefined;
  const [, start = '', end, stepText] = match;
  const number = (text: string): number =>
    names.includes(text)
      ? names.indexOf(text) + min
      : /^\d+$/.test(text)
        ? Number(text)
        : Number.NaN;
  const from = isAny(start) ? min : number(start);
  const hasOpenEnd = isAny(start) || (stepText !== undefined && end === undefined);
  const to = end === undefined ? (hasOpenEnd ? max : from) : number(end);
  const step = stepText === undefined ? 1 : Number(stepText);
  const isValid = from >= min && to <= max && from <= to && step > 0;
  return isValid ? { from, to, step } : undefined;
}

/** The first time after an instant that the expression allows, in UTC; undefined: none in eight years. */
export function nextCronTime(cron: Cron, afterMs: number): number | undefined {
  const first = new Date(Math.floor(afterMs / 1000) * 1000 + 1000);
  const day = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()));
  for (let ahead = 0; ahead < HORIZON_DAYS; ahead++) {
    if (allowsDay(cron, day)) {
      const time = firstTimeOfDay(cron, day.getTime(), first.getTime());
      if (time !== undefined) return time;
    }
    day.setUTCDate(day.getUTCDate() + 1);
  }
  return undefined;
}

function allowsDay(cron: Cron, day: Date): boolean {
  if (!cron.months.has(day.getUTCMonth() + 1)) return false;
  if (cron.years && !cron.years.has(day.getUTCFullYear())) return false;
  if (cron.weekdays && !cron.weekdays.has(day.getUTCDay() + 1)) return false;
  if (!cron.days) return true;
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  const date = day.getUTCDate();
  return cron.days.has(date) || (cron.days.has(0) && date === last);
}

function firstTimeOfDay(cron: Cron, dayMs: number, notBeforeMs: number): number | undefined {
  for (const hour of cron.hours) {
    if (dayMs + (hour + 1) * 3_600_000 <= notBeforeMs) continue;
    for (const minute of cron.minutes) {
      for (const second of cron.seconds) {
        const time = dayMs + ((hour * 60 + minute) * 60 + second) * 1000;
        if (time >= notBeforeMs) return time;
      }
    }
  }
  return undefined;
}
