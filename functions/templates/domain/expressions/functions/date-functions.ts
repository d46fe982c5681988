import { Decimal } from '../../values/decimal.ts';
import { DAY_MS, wallTimeText } from '../../values/wall-time.ts';
import { ExpressionError } from '../basics/expression-error.ts';
import type { Value } from '../basics/value.ts';
import {
  type Call,
  type ExpressionFunction,
  textFrom,
  wallTimeFrom,
  wholeFrom,
  wrongArgument,
} from './call.ts';

const MOST = 1_000_000;
const MONTHS: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 };
const MILLISECONDS: Readonly<Record<string, number>> = {
  week: 7 * DAY_MS,
  day: DAY_MS,
  hour: 3_600_000,
  minute: 60_000,
  second: 1_000,
};

type Unit = { readonly months: number } | { readonly ms: number };

/** Reads `days`, `day`: years, quarters, months, weeks, days, hours, minutes, seconds. */
function unitFrom(value: Value | undefined, call: Call): Unit {
  const name = textFrom(value ?? 'day', call)
    .toLowerCase()
    .replace(/s$/, '');
  if (Object.hasOwn(MONTHS, name)) return { months: MONTHS[name] ?? 0 };
  if (Object.hasOwn(MILLISECONDS, name)) return { ms: MILLISECONDS[name] ?? 0 };
  throw wrongArgument(
    call.position,
    `knows no unit ${name.slice(0, 20)}; use years, months, weeks, days, hours`,
  );
}

function dateAdd([given = null, amount, unitName]: readonly Value[], call: Call): Value {
  if (given === null) return null;
  const time = wallTimeFrom(given, call);
  const count = wholeFrom(amount, call, [-MOST, MOST]);
  const unit = unitFrom(unitName, call);
  const isClock = 'ms' in unit && unit.ms < DAY_MS;
  if (!isClock && !time.hasDate) throw notADate(call);
  const ms = 'ms' in unit ? time.ms + count * unit.ms : addMonths(time.ms, count * unit.months);
  const year = new Date(ms).getUTCFullYear();
  if (!(year >= 0 && year <= 9_999)) throw notADate(call);
  return wallTimeText({ ms, hasDate: time.hasDate, hasTime: time.hasTime || isClock });
}

/** The last day of a shorter month stands for the days that it lacks: a month after 31 January is 29 February. */
function addMonths(ms: number, count: number): number {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count);
  const last = new Date(Date.UTC(2000, 0, 1));
  last.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, last.getUTCDate()));
  return date.getTime();
}

/** Whole units from the first date to the second; below zero when the second comes first. */
function dateDiff([from = null, to = null, unitName]: readonly Value[], call: Call): Value {
  if (from === null || to === null) return null;
  const [first, second] = [wallTimeFrom(from, call), wallTimeFrom(to, call)];
  if (first.hasDate !== second.hasDate) throw notADate(call);
  const unit = unitFrom(unitName, call);
  const units =
    'ms' in unit
      ? (second.ms - first.ms) / unit.ms
      : wholeMonths(first.ms, second.ms) / unit.months;
  return new Decimal(Math.trunc(units));
}

function wholeMonths(from: number, to: number): number {
  if (to < from) return -wholeMonths(to, from);
  const [first, second] = [new Date(from), new Date(to)];
  const years = second.getUTCFullYear() - first.getUTCFullYear();
  const months = years * 12 + second.getUTCMonth() - first.getUTCMonth();
  return addMonths(from, months) > to ? months - 1 : months;
}

const part = (read: (date: Date) => number): ExpressionFunction => ({
  count: [1, 1],
  run: ([value = null], call) => {
    if (value === null) return null;
    const time = wallTimeFrom(value, call);
    if (!time.hasDate) throw notADate(call);
    return new Decimal(read(new Date(time.ms)));
  },
});

const notADate = ({ position }: Call): ExpressionError =>
  new ExpressionError('NOT_A_DATE', position, 'needs a date within the years 0 to 9999');

export const dateFunctions: Readonly<Record<string, ExpressionFunction>> = {
  dateAdd: { count: [2, 3], run: dateAdd },
  dateDiff: { count: [2, 3], run: dateDiff },
  year: part((date) => date.getUTCFullYear()),
  month: part((date) => date.getUTCMonth() + 1),
  day: part((date) => date.getUTCDate()),
};
