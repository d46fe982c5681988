import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cronInstants, planCron } from '../../../../functions/messaging/domain/spring-cron.ts';
import { parseSpringCron } from '../../../../shared/primitives/cron/spring-cron.ts';
import { parseAwsCron } from './aws-cron.ts';

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const TWO_YEARS = 730;
/** Firings of a day from which on not all of them are looked at. */
const MANY_TIMES = 3;
const dayNumbers = Array.from({ length: TWO_YEARS }, (_, day) => day);

describe('a Spring cron expression', () => {
  it.each([
    ['0 */10 * * * *', 'cron(0/10 * * * ? *)'],
    ['0 0 * * * *', 'cron(0 * * * ? *)'],
    ['0 5/20 8-10 * * *', 'cron(5/20 8,9,10 * * ? *)'],
    ['0 0/90 0/23 * * *', 'cron(0 0,23 * * ? *)'],
    ['0 0 6,19 * * *', 'cron(0 6,19 * * ? *)'],
    ['0 30 9 ? * 1', 'cron(30 9 ? * 2 *)'],
    ['0 30 9 * * 0', 'cron(30 9 ? * 1 *)'],
    ['0 30 9 * * 7', 'cron(30 9 ? * 1 *)'],
    ['0 0 9-17 * * MON-FRI', 'cron(0 9,10,11,12,13,14,15,16,17 ? * 2,3,4,5,6 *)'],
    ['0 0 9 * * SUN-TUE', 'cron(0 9 ? * 1,2,3 *)'],
    ['0 0 9 * * */2', 'cron(0 9 ? * 1,2,4,6 *)'],
    ['0 0 0 25 DEC ?', 'cron(0 0 25 12 ? *)'],
    ['0 0 0 L * *', 'cron(0 0 L * ? *)'],
    ['0 0 0 15W * *', 'cron(0 0 15W * ? *)'],
    ['0 0 0 ? * 5#2', 'cron(0 0 ? * 6#2 *)'],
    ['0 0 0 ? * FRIL', 'cron(0 0 ? * 6L *)'],
    ['0 0 0 1-31 * MON', 'cron(0 0 ? * 2 *)'],
    ['@hourly', 'cron(0 * * * ? *)'],
    ['@DAILY', 'cron(0 0 * * ? *)'],
    ['@weekly', 'cron(0 0 ? * 1 *)'],
    ['@yearly', 'cron(0 0 1 1 ? *)'],
  ])('%s is the rule %s', (expression, rule) => {
    expect(planCron(expression)).toEqual({ kind: 'rule', expression: rule });
  });

  it.each([
    ['*/15 * * * * *', '0,15,30,45 * * * * *'],
    ['30 0 * * * *', '30 0 * * * *'],
    ['0 0 0 13 * FRI', '0 0 0 13 * 5'],
    ['0 0 0 LW * *', '0 0 0 LW * *'],
    ['0 0 0 15,L * *', '0 0 0 15,L * *'],
    ['0 0 0 * * MON,SUNL', '0 0 0 * * 1,0L'],
  ])('%s needs the ticker', (expression, ticker) => {
    expect(planCron(expression)).toEqual({ kind: 'ticker', expression: ticker });
  });

  it('needs the ticker when its rule would be longer than EventBridge takes', () => {
    const plan = planCron('0 0-58 0-22 1-30 * *');

    expect(plan.kind).toBe('ticker');
  });

  it.each([
    ['* * * * *', 'must have six fields: second minute hour day-of-month month day-of-week'],
    ['@reboot', 'must have six fields: second minute hour day-of-month month day-of-week'],
    ['60 * * * * *', 'has "60" as its second, which cannot be run'],
    ['? * * * * *', 'has "?" as its second, which cannot be run'],
    ['0 */0 * * * *', 'has "*/0" as its minute, which cannot be run'],
    ['0 5- * * * *', 'has "5-" as its minute, which cannot be run'],
    ['0 1-2-3 * * * *', 'has "1-2-3" as its minute, which cannot be run'],
    ['0 0 22-4 * * *', 'has "22-4" as its hour, which cannot be run'],
    ['0 0 1, * * *', 'has "" as its hour, which cannot be run'],
    ['0 0 0 0 * *', 'has "0" as its day-of-month, which cannot be run'],
    ['0 0 0 L-3 * *', 'has "L-3" as its day-of-month, which cannot be run'],
    ['0 0 0 31W * *', 'has "31W" as its day-of-month, which cannot be run'],
    ['0 0 0 * JANUARY *', 'has "JANUARY" as its month, which cannot be run'],
    ['0 0 0 * * 8', 'has "8" as its day-of-week, which cannot be run'],
    ['0 0 0 * * L', 'has "L" as its day-of-week, which cannot be run'],
    ['0 0 0 * * 5#6', 'has "5#6" as its day-of-week, which cannot be run'],
    ['0 0 0 * * 1-5#2', 'has "1-5#2" as its day-of-week, which cannot be run'],
  ])('%s is refused', (expression, reason) => {
    expect(() => parseSpringCron(expression)).toThrow(new RangeError(reason));
  });
});

/** What a plan does over two years: on how many days it fires, on which, and when on each of them. */
function firings(expression: string): readonly string[] {
  const plan = planCron(expression);
  if (plan.kind === 'ticker') return tickerFirings(plan.expression);
  const { firesOn, times } = parseAwsCron(plan.expression);
  const days = dayNumbers.filter((day) => firesOn(new Date(START + day * DAY_MS)));
  return summary(days, times);
}

function tickerFirings(expression: string): readonly string[] {
  const first = firstInstant(expression);
  if (first === undefined) return summary([], []);
  const midnight = Math.floor(first / DAY_MS) * DAY_MS;
  const times = cronInstants(expression, midnight, midnight + DAY_MS).map((at) => at - midnight);
  const days = times.length > MANY_TIMES ? probedDays(expression, times) : allDays(expression);
  return summary(
    days,
    times.map((ms) => ms / 1_000),
  );
}

/** Looks further and further, so that neither a dense nor a sparse expression takes long. */
function firstInstant(expression: string): number | undefined {
  for (const days of [1, 30, TWO_YEARS]) {
    const [first] = cronInstants(expression, START, START + days * DAY_MS);
    if (first !== undefined) return first;
  }
  return undefined;
}

const allDays = (expression: string): number[] => [
  ...new Set(
    cronInstants(expression, START, START + TWO_YEARS * DAY_MS).map((at) =>
      Math.floor((at - START) / DAY_MS),
    ),
  ),
];

/** Asks each day for one of its times. */
const probedDays = (expression: string, [first = 0]: readonly number[]): number[] =>
  dayNumbers.filter((day) => {
    const at = START + day * DAY_MS + first;
    return cronInstants(expression, at, at + 1_000).length === 1;
  });

function summary(days: readonly number[], times: readonly number[]): readonly string[] {
  const hash = (numbers: readonly number[]) =>
    createHash('sha256').update(numbers.join(',')).digest('hex').slice(0, 16);
  const sorted = times.toSorted((a, b) => a - b);
  return days.length === 0
    ? ['0', hash([]), '0', hash([])]
    : [String(days.length), hash(days), String(times.length), hash(sorted)];
}

/**
 * Expressions and what `CronExpression` of Spring Framework 6.1.14 makes of them in the 730 days from 2026-01-01 on,
 * in UTC: number of days, SHA-256 (16 digits) of the days counted from the first, the same of the seconds of a day.
 */
const golden = readFileSync(new URL('spring-cron.golden.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'));

describe('More than 200 Spring cron expressions', () => {
  it.each(golden)('%s fires over two years when Spring does', (expression, ...expected) => {
    expect(firings(expression ?? '')).toEqual(expected);
  });

  it('are rules and ticks', () => {
    const kinds = golden.map(([expression = '']) => planCron(expression).kind);

    expect(kinds.length).toBeGreaterThanOrEqual(200);
    expect(kinds.filter((kind) => kind === 'rule').length).toBeGreaterThan(50);
    expect(kinds.filter((kind) => kind === 'ticker').length).toBeGreaterThan(50);
  });
});
