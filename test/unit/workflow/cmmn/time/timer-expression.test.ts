import { describe, expect, it } from 'vitest';
import {
  nextCronTime,
  parseCron,
} from '../../../../../functions/workflow/domain/cmmn/time/cron.ts';
import { addDuration } from '../../../../../functions/workflow/domain/cmmn/time/iso-8601.ts';
import {
  nextTimer,
  parseTimer,
} from '../../../../../functions/workflow/domain/cmmn/time/timer-expression.ts';

const NOW = Date.parse('2026-01-31T10:00:00Z');
const iso = (epochMs: number | undefined): string | undefined =>
  epochMs === undefined ? undefined : new Date(epochMs).toISOString();

describe('durations', () => {
  it.each([
    ['PT1H', '2026-01-31T11:00:00.000Z'],
    ['P1D', '2026-02-01T10:00:00.000Z'],
    ['P2W', '2026-02-14T10:00:00.000Z'],
    ['P1M', '2026-02-28T10:00:00.000Z'],
    ['P1Y1M', '2027-02-28T10:00:00.000Z'],
    ['PT1H0.001S', '2026-01-31T11:00:00.001Z'],
    ['PT90M', '2026-01-31T11:30:00.000Z'],
  ])('%s later is %s', (duration, expected) => {
    expect(iso(addDuration(NOW, duration))).toBe(expected);
  });

  it('refuses what is none', () => {
    expect(() => addDuration(NOW, 'an hour')).toThrow(RangeError);
  });
});

describe('timer expressions', () => {
  it.each([
    ['PT1H', { dueAt: '2026-01-31T11:00:00.000Z' }],
    ['2026-03-01', { dueAt: '2026-03-01T00:00:00.000Z' }],
    ['2026-03-01T12:00:00+02:00', { dueAt: '2026-03-01T10:00:00.000Z' }],
    ['2026-03-01T12:00:00', { dueAt: '2026-03-01T12:00:00.000Z' }],
    ['R3/PT1H', { dueAt: '2026-01-31T11:00:00.000Z', every: 'PT1H', remaining: 2 }],
    ['R/PT20S', { dueAt: '2026-01-31T10:00:20.000Z', every: 'PT20S', remaining: undefined }],
    [
      'R/2026-01-31T09:30:00Z/PT1H',
      { dueAt: '2026-01-31T10:30:00.000Z', every: 'PT1H', remaining: undefined },
    ],
    [
      'R2/2026-02-01T00:00:00Z/P1D',
      { dueAt: '2026-02-01T00:00:00.000Z', every: 'P1D', remaining: 1 },
    ],
    [
      'R/PT1H/2026-01-31T12:00:00Z',
      { dueAt: '2026-01-31T11:00:00.000Z', every: 'PT1H', until: '2026-01-31T12:00:00.000Z' },
    ],
    [
      'R3/PT1H/2026-02-01',
      {
        dueAt: '2026-01-31T11:00:00.000Z',
        every: 'PT1H',
        remaining: 2,
        until: '2026-02-01T00:00:00.000Z',
      },
    ],
    ['0 0 12 * * ?', { dueAt: '2026-01-31T12:00:00.000Z', every: '0 0 12 * * ?' }],
  ])('%s is understood', (text, timer) => {
    expect(parseTimer(text, NOW)).toEqual(timer);
  });

  it.each([
    '',
    'soon',
    'P',
    'PT',
    'R0/PT1H',
    'R/PT0S',
    'R/PT1H/soon',
    'R/2026-02-01T00:00:00Z/PT1H/2026-03-01',
    'R/x/PT1H',
    '0 0 99 * * ?',
    '2026-13-45',
    '* * *',
    '*/5 * * * *',
    '@daily',
    'P999999999Y',
    'R3/P999999999Y',
    'R/2026-01-01T00:00:00Z/PT99999999999999999H',
  ])('%j is refused', (text) => {
    expect(parseTimer(text, NOW)).toBeUndefined();
  });

  it('fires no later than its end, but once in any case', () => {
    const first = parseTimer('R/PT1H/2026-01-31T12:00:00Z', NOW);
    const second = first && nextTimer(first);

    expect(second?.dueAt).toBe('2026-01-31T12:00:00.000Z');
    expect(second && nextTimer(second)).toBeUndefined();
    expect(parseTimer('R/PT5H/2026-01-31T12:00:00Z', NOW)?.dueAt).toBe('2026-01-31T15:00:00.000Z');
  });

  it('counts repetitions from the time they were due', () => {
    const first = parseTimer('R3/PT1H', NOW);
    const second = first && nextTimer(first);
    const third = second && nextTimer(second);

    expect(second?.dueAt).toBe('2026-01-31T12:00:00.000Z');
    expect(third).toEqual({ dueAt: '2026-01-31T13:00:00.000Z', every: 'PT1H', remaining: 0 });
    expect(third && nextTimer(third)).toBeUndefined();
  });

  it('is quick for a repetition that began long ago', () => {
    expect(parseTimer('R/1970-01-01T00:00:00Z/PT1S', NOW)?.every).toBe('PT1S');
  });
});

describe('cron expressions', () => {
  it.each([
    ['0 */15 * * * ?', '2026-01-31T10:15:00.000Z'],
    ['30 0 10 * * ?', '2026-01-31T10:00:30.000Z'],
    ['0 0 8 ? * MON-FRI', '2026-02-02T08:00:00.000Z'],
    ['0 0 0 1 JAN ? 2028', '2028-01-01T00:00:00.000Z'],
    ['0 0 0 L * ?', '2026-02-28T00:00:00.000Z'],
    ['0 0 9,17 * * ?', '2026-01-31T17:00:00.000Z'],
    ['0 0 0 29 2 ?', '2028-02-29T00:00:00.000Z'],
    ['0/20 * * * * ?', '2026-01-31T10:00:20.000Z'],
    ['0 0 12 ? * 1', '2026-02-01T12:00:00.000Z'],
    ['0 0 12 ? * 6#3', '2026-02-20T12:00:00.000Z'],
    ['0 0 12 15W * ?', '2026-02-16T12:00:00.000Z'],
  ])('%s is next at %s', (text, expected) => {
    const cron = parseCron(text);

    expect(iso(cron && nextCronTime(cron, NOW))).toBe(expected);
  });

  it.each(['0 0 0 1 1 ? 2020', '0 0 0 30 2 ?'])('%s never comes', (text) => {
    const cron = parseCron(text);

    expect(cron && nextCronTime(cron, NOW)).toBeUndefined();
  });
});
