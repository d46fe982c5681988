/** When a rule of EventBridge fires: on which days, and in which minutes of each of them. */
export interface AwsCron {
  firesOn(day: Date): boolean;
  /** Seconds of the day. */
  readonly times: readonly number[];
}

/**
 * Reads the expression of a rule.
 * @see Amazon EventBridge, "Cron expressions": day of week 1 is Sunday, `a/n` is every n from a on, one of the day
 *   fields is `?`, `L` the last day, `nW` the weekday nearest to a day of the same month, `d#n` the n-th weekday.
 */
export function parseAwsCron(expression: string): AwsCron {
  const [, text = ''] = /^cron\((.*)\)$/.exec(expression) ?? [];
  const [minute = '', hour = '', ofMonth = '', month = '', ofWeek = '', year] = text.split(' ');
  if (year !== '*') throw new Error(`unexpected year in ${expression}`);
  if ((ofMonth === '?') === (ofWeek === '?')) throw new Error(`one ? is needed: ${expression}`);
  const months = values(month, 1, 12);
  const isDay = ofWeek === '?' ? dayOfMonth(ofMonth) : dayOfWeek(ofWeek);
  const minutes = values(minute, 0, 59);
  return {
    firesOn: (day) => months.includes(day.getUTCMonth() + 1) && isDay(day),
    times: values(hour, 0, 23).flatMap((h) => minutes.map((m) => (h * 60 + m) * 60)),
  };
}

type IsDay = (day: Date) => boolean;

function dayOfMonth(field: string): IsDay {
  if (field === 'L') return (day) => day.getUTCDate() === lastOfMonth(day);
  const [, wanted] = /^(\d+)W$/.exec(field) ?? [];
  if (wanted !== undefined)
    return (day) => day.getUTCDate() === nearestWeekday(day, Number(wanted));
  const days = values(field, 1, 31);
  return (day) => days.includes(day.getUTCDate());
}

function dayOfWeek(field: string): IsDay {
  const [, wanted, place] = /^(\d)(L|#\d)$/.exec(field) ?? [];
  if (wanted === undefined || place === undefined) {
    const days = values(field, 1, 7);
    return (day) => days.includes(day.getUTCDay() + 1);
  }
  const isPlace = (date: number, last: number) =>
    place === 'L' ? date + 7 > last : Math.ceil(date / 7) === Number(place[1]);
  return (day) =>
    day.getUTCDay() + 1 === Number(wanted) && isPlace(day.getUTCDate(), lastOfMonth(day));
}

const lastOfMonth = (day: Date): number =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();

function nearestWeekday(day: Date, wanted: number): number {
  const weekday = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), wanted)).getUTCDay();
  if (weekday === 6) return wanted === 1 ? 3 : wanted - 1;
  if (weekday === 0) return wanted === lastOfMonth(day) ? wanted - 2 : wanted + 1;
  return wanted;
}

function values(field: string, min: number, max: number): number[] {
  if (field === '*') return Array.from({ length: max - min + 1 }, (_, index) => min + index);
  const [, from, step] = /^(\d+)\/(\d+)$/.exec(field) ?? [];
  if (from === undefined) return field.split(',').map(Number);
  const all: number[] = [];
  for (let value = Number(from); value <= max; value += Number(step)) all.push(value);
  return all;
}
