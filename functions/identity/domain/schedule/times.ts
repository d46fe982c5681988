import { toRuleCron } from '../../../../shared/primitives/cron/rule-cron.ts';
import { parseSpringCron } from '../../../../shared/primitives/cron/spring-cron.ts';
import { ScheduleError } from './schedule-error.ts';

const DAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const LONG_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MAX_TIMES = 10;

/** Days of the week as EventBridge names them; `undefined`: every day. @throws ScheduleError */
export function weekDays(days: readonly string[] = []): readonly string[] | undefined {
  const wanted = new Set<number>();
  for (const each of days) {
    const name = each.trim().toLowerCase();
    if (name === 'always') return undefined;
    const index = LONG_NAMES.findIndex((long) => long === name || long.slice(0, 3) === name);
    if (index < 0) throw new ScheduleError('dayOfWeek', 'must be always, or days such as monday');
    wanted.add(index);
  }
  if (wanted.size === 0 || wanted.size === 7) return undefined;
  return DAY_NAMES.filter((_, index) => wanted.has(index));
}

/**
 * Expressions of EventBridge Scheduler for fixed times: `02:30`, `02:30,14:00`, a cron expression of five (Unix) or
 * six fields (Spring), or `cron(...)` in the syntax of EventBridge.
 * @throws ScheduleError
 */
export function timedExpressions(
  value: string,
  days: readonly string[] | undefined,
): readonly string[] {
  const text = value.trim();
  if (/^\d{1,2}:/.test(text)) return clockTimes(text, days);
  if (days) {
    throw new ScheduleError(
      'dayOfWeek',
      'goes with times such as 02:30; a cron expression has its own',
    );
  }
  const own = /^cron\((.*)\)$/i.exec(text)?.[1];
  return [own === undefined ? fromSpring(text) : ownCron(own)];
}

function clockTimes(text: string, days: readonly string[] | undefined): readonly string[] {
  const times = [...new Set(text.split(',').map((each) => each.trim()))];
  if (times.length > MAX_TIMES) {
    throw new ScheduleError('value', `must hold at most ${MAX_TIMES} times`);
  }
  const day = days ? `? * ${days.join(',')}` : '* * ?';
  return times.map((time) => {
    const [, hour, minute, second = '00'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(time) ?? [];
    if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) {
      throw new ScheduleError('value', 'must be times from 00:00 to 23:59, such as 02:30,14:00');
    }
    if (second !== '00') throw new ScheduleError('value', 'must have the seconds 00');
    return `cron(${Number(minute)} ${Number(hour)} ${day} *)`;
  });
}

/** Five fields are those of Unix, which has no seconds. */
function fromSpring(text: string): string {
  const fields = text.split(/\s+/);
  const expression = fields.length === 5 ? `0 ${text}` : text;
  const rule = toRuleCron(parse(expression));
  if (rule === undefined) {
    throw new ScheduleError(
      'value',
      'must have the second 0, and days of the month or of the week',
    );
  }
  return rule.replace(/ ([\d,]+) \*\)$/, (_all, list: string) => ` ${named(list)} *)`);
}

function parse(expression: string) {
  try {
    return parseSpringCron(expression);
  } catch (error) {
    if (error instanceof RangeError) throw new ScheduleError('value', error.message);
    throw error;
  }
}

/** EventBridge counts days from Sunday 1. */
const named = (list: string): string =>
  list
    .split(',')
    .map((day) => DAY_NAMES[Number(day) - 1] ?? day)
    .join(',');

function ownCron(text: string): string {
  const fields = text.trim().toUpperCase().split(/\s+/);
  if (fields.length !== 6) {
    throw new ScheduleError(
      'value',
      'cron(...) must have six fields: minutes hours day-of-month month day-of-week year',
    );
  }
  if ((fields[2] === '?') === (fields[4] === '?')) {
    throw new ScheduleError('value', 'cron(...) must have ? as day-of-month or as day-of-week');
  }
  return `cron(${fields.map((field) => field.replace(/^\*\//, '0/')).join(' ')})`;
}
