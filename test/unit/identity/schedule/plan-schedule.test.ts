import { describe, expect, it } from 'vitest';
import {
  nextRuns,
  planSchedule,
  type Timing,
} from '../../../../functions/identity/domain/schedule/plan-schedule.ts';
import { ScheduleError } from '../../../../functions/identity/domain/schedule/schedule-error.ts';

const NOW = Date.parse('2026-03-01T09:30:00.000Z');
const plan = (timing: Timing) => planSchedule(timing, 'UTC', NOW);
const expressions = (timing: Timing) => plan(timing)?.expressions;
const shown = (timing: Timing): string[] => {
  const made = plan(timing);
  return made ? nextRuns(made, NOW).map((run) => new Date(run).toISOString()) : [];
};
const refusal = (timing: Timing): string => {
  try {
    plan(timing);
  } catch (error) {
    if (error instanceof ScheduleError) return `${error.field} ${error.message}`;
    throw error;
  }
  return 'taken';
};

describe('a period', () => {
  it.each([
    ['6', 'rate(6 hours)'],
    ['1', 'rate(1 hour)'],
    ['24', 'rate(1 day)'],
    ['30m', 'rate(30 minutes)'],
    ['90m', 'rate(90 minutes)'],
    ['2h', 'rate(2 hours)'],
    ['1d', 'rate(1 day)'],
    ['PT30M', 'rate(30 minutes)'],
    ['PT1H30M', 'rate(90 minutes)'],
    ['P1D', 'rate(1 day)'],
    ['rate(30 minutes)', 'rate(30 minutes)'],
    ['rate(1 hour)', 'rate(1 hour)'],
  ])('%s is %s', (value, expected) => {
    expect(expressions({ mode: 'period', value })).toEqual([expected]);
  });

  it.each(['0', '25', '4m', '32d', '90s', 'PT', 'P', 'rate(90 seconds)', 'often', '-3'])(
    '%s is refused',
    (value) => {
      expect(refusal({ mode: 'period', value })).toMatch(/^value must be/);
    },
  );

  it('on some days begins with each of them', () => {
    const timing = { mode: 'period', value: '6', dayOfWeek: ['monday', 'friday'] } as const;
    expect(expressions(timing)).toEqual(['cron(0 0/6 ? * MON,FRI *)']);
    expect(shown(timing)[0]).toBe('2026-03-02T00:00:00.000Z');
    expect(refusal({ ...timing, value: '90m' })).toMatch(/^dayOfWeek/);
  });

  it('goes on from where it began', () => {
    const made = plan({ mode: 'period', value: '2h' });
    const began = NOW - 3 * 3_600_000;
    expect(made && nextRuns(made, NOW, began)[0]).toBe(NOW + 3_600_000);
  });
});

describe('fixed times', () => {
  it.each([
    ['02:30', undefined, ['cron(30 2 * * ? *)']],
    ['02:30:00', undefined, ['cron(30 2 * * ? *)']],
    ['02:30, 14:00', undefined, ['cron(30 2 * * ? *)', 'cron(0 14 * * ? *)']],
    ['02:30', ['monday', 'FRIDAY'], ['cron(30 2 ? * MON,FRI *)']],
    ['02:30', ['always'], ['cron(30 2 * * ? *)']],
    ['0 30 2 * * *', undefined, ['cron(30 2 * * ? *)']],
    ['30 2 * * 1-5', undefined, ['cron(30 2 ? * MON,TUE,WED,THU,FRI *)']],
    ['0 0/15 * * * MON', undefined, ['cron(0/15 * ? * MON *)']],
    ['*/15 * * * *', undefined, ['cron(0/15 * * * ? *)']],
    ['0 0 2 ? * 0', undefined, ['cron(0 2 ? * SUN *)']],
    ['cron(*/15 * * * ? *)', undefined, ['cron(0/15 * * * ? *)']],
    ['cron(0 2 L * ? *)', undefined, ['cron(0 2 L * ? *)']],
  ])('%s on %s', (value, dayOfWeek, expected) => {
    expect(expressions({ mode: 'timed', value, dayOfWeek })).toEqual(expected);
  });

  it.each([
    ['24:00', 'value'],
    ['02:30:15', 'value must have the seconds 00'],
    ['02:30,x', 'value'],
    [Array.from({ length: 11 }, (_, hour) => `${hour}:00`).join(), 'value must hold at most 10'],
    ['15 30 2 * * *', 'value must have the second 0'],
    ['cron(61 2 * * ? *)', 'value must be a cron expression'],
    ['cron(0 2 * * * *)', 'value cron(...) must have ?'],
    ['cron(0 2 * *)', 'value cron(...) must have six fields'],
    ['* * * * *', 'value must be at least 5 minutes apart'],
    ['cron(0 2 1 1 ? 2020)', 'value must come in the future'],
    ['whenever', 'value must have six fields'],
  ])('%s is refused', (value, reason) => {
    expect(refusal({ mode: 'timed', value })).toContain(reason);
  });

  it('shows the next runs of the time zone, over the change to summer time', () => {
    const timing = { mode: 'timed', value: '07:00', timezone: 'Europe/Berlin' } as const;
    const made = planSchedule(timing, 'UTC', Date.parse('2026-03-27T12:00:00Z'));
    const runs = made ? nextRuns(made, Date.parse('2026-03-27T12:00:00Z')) : [];
    expect(runs.map((run) => new Date(run).toISOString())).toEqual([
      '2026-03-28T06:00:00.000Z',
      '2026-03-29T05:00:00.000Z',
      '2026-03-30T05:00:00.000Z',
    ]);
  });

  it('merges several times in order', () => {
    expect(shown({ mode: 'timed', value: '14:00,10:00' })).toEqual([
      '2026-03-01T10:00:00.000Z',
      '2026-03-01T14:00:00.000Z',
      '2026-03-02T10:00:00.000Z',
    ]);
  });

  it('counts days of a rule from Sunday 1', () => {
    expect(shown({ mode: 'timed', value: 'cron(0 8 ? * 2 *)' })[0]).toBe(
      '2026-03-02T08:00:00.000Z',
    );
  });
});

describe('a configuration without a schedule', () => {
  it('has none without a mode or a value', () => {
    expect(plan({})).toBeUndefined();
    expect(plan({ mode: 'period' })).toBeUndefined();
    expect(plan({ value: '6' })).toBeUndefined();
  });

  it('is refused with days or a zone that do not exist', () => {
    expect(refusal({ dayOfWeek: ['noday'] })).toMatch(/^dayOfWeek/);
    expect(refusal({ timezone: 'Mars/Olympus' })).toMatch(/^timezone/);
    const cron = { mode: 'timed', value: '0 30 2 * * *', dayOfWeek: ['monday'] } as const;
    expect(refusal(cron)).toMatch(/^dayOfWeek/);
  });
});
