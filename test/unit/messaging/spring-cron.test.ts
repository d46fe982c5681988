import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronInstants, planCron } from '../../../functions/messaging/domain/spring-cron.ts';
import { type AwsCron, isAwsCronMinute, parseAwsCron } from './aws-cron.ts';
import { isSpringCronSecond } from './spring-cron-reference.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 1);
const TWO_YEARS_MS = 2 * 365 * 86_400_000;

describe('a Spring cron expression', () => {
  it.each([
    ['0 */10 * * * *', 'cron(0/10 * * * ? *)'],
    ['0 0 * * * *', 'cron(0 * * * ? *)'],
    ['0 5/20 8-10 * * *', 'cron(5/20 8,9,10 * * ? *)'],
    ['0 0 6,19 * * *', 'cron(0 6,19 * * ? *)'],
    ['0 30 9 ? * 1', 'cron(30 9 ? * 2 *)'],
    ['0 30 9 * * 0', 'cron(30 9 ? * 1 *)'],
    ['0 30 9 * * 7', 'cron(30 9 ? * 1 *)'],
    ['0 0 9-17 * * MON-FRI', 'cron(0 9,10,11,12,13,14,15,16,17 ? * 2,3,4,5,6 *)'],
    ['0 0 0 25 DEC ?', 'cron(0 0 25 12 ? *)'],
    ['0 0 0 L * *', 'cron(0 0 L * ? *)'],
    ['0 0 0 15W * *', 'cron(0 0 15W * ? *)'],
    ['0 0 0 ? * 5#2', 'cron(0 0 ? * 6#2 *)'],
    ['0 0 0 ? * FRIL', 'cron(0 0 ? * 6L *)'],
    ['@hourly', 'cron(0 * * * ? *)'],
    ['@daily', 'cron(0 0 * * ? *)'],
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
    ['0 0 0 L-3 * *', '0 0 0 L-3 * *'],
  ])('%s needs the ticker', (expression, ticker) => {
    expect(planCron(expression)).toEqual({ kind: 'ticker', expression: ticker });
  });

  it('on the ticker takes both day fields together', () => {
    const instants = cronInstants('0 0 0 13 * 5', START, START + TWO_YEARS_MS);

    expect(instants.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([
      '2026-02-13',
      '2026-03-13',
      '2026-11-13',
      '2027-08-13',
    ]);
  });
});

/** Values of a field, as people write them. */
function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: Math.max(2, Math.floor((max - min) / 2)) });
  return fc.oneof(
    fc.constant('*'),
    value.map(String),
    range,
    fc.tuple(value, value).map(([a, b]) => `${a},${b}`),
    step.map((n) => `*/${n}`),
    fc.tuple(value, step).map(([from, n]) => `${from}/${n}`),
    fc.tuple(range, step).map(([part, n]) => `${part}/${n}`),
  );
}

const expressions = fc
  .tuple(
    fc.constantFrom('0', '0', '0', '*/20', '30'),
    field(0, 59),
    field(0, 23),
    fc.oneof(fc.constant('*'), fc.constant('?'), field(1, 31)),
    field(1, 12),
    fc.oneof(
      fc.constant('*'),
      fc.constant('?'),
      field(0, 6),
      fc.constantFrom('MON-FRI', 'SUN', 'TUE,SAT', '7'),
    ),
  )
  .map((fields) => fields.join(' '));

/** Minutes at random and around the borders of days, months and years, over two years. */
const minutes: readonly number[] = Array.from({ length: 4_000 }, (_, i) => {
  const anywhere = START + ((i * 7_919 * 13) % (TWO_YEARS_MS / MINUTE_MS)) * MINUTE_MS;
  const midnight = START + (i % 730) * 86_400_000;
  return [anywhere, midnight, midnight + 12 * 3_600_000, midnight - MINUTE_MS][i % 4] ?? START;
});

describe('200 Spring cron expressions', () => {
  it('fire in the same minutes as a reference says, as a rule or on the ticker', () => {
    let rules = 0;
    fc.assert(
      fc.property(expressions, (expression) => {
        const plan = planCron(expression);
        if (plan.kind === 'rule') {
          rules += 1;
          const rule: AwsCron = parseAwsCron(plan.expression);
          for (const minute of minutes) {
            const label = `${expression} as ${plan.expression} at ${new Date(minute).toISOString()}`;
            expect(isAwsCronMinute(rule, minute), label).toBe(
              isSpringCronSecond(expression, minute),
            );
          }
          return;
        }
        for (const minute of minutes.slice(0, 40)) {
          const expected = Array.from(
            { length: 60 },
            (_, second) => minute + second * 1_000,
          ).filter((at) => isSpringCronSecond(expression, at));
          const label = `${expression} as ${plan.expression} at ${new Date(minute).toISOString()}`;
          expect(cronInstants(plan.expression, minute, minute + MINUTE_MS), label).toEqual(
            expected,
          );
        }
      }),
      { numRuns: 200 },
    );
    expect(rules).toBeGreaterThan(20);
  });
});
