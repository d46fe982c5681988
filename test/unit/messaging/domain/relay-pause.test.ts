import { Cron } from 'croner';
import { describe, expect, it } from 'vitest';
import { longestPause } from '../../../../functions/messaging/domain/relay-pause.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const pauseOf = (raw: Record<string, unknown>) =>
  longestPause(loadConfig({ mq: { relay: { 'schedule-trigger': raw } } }).mq.relay.scheduleTrigger);
const ofCron = (expression: string) =>
  pauseOf({ 'trigger-type': 'CRON', 'cron-expression': expression });

/** The longest pause between instants of ten weeks, one by one. */
function longestByCounting(expression: string): number {
  const cron = new Cron(expression, {
    paused: true,
    utcOffset: 0,
    mode: '6-part',
    domAndDow: true,
  });
  const from = new Date('2027-01-01T00:00:00Z');
  const instants: number[] = [];
  for (let next = cron.nextRun(from); next; next = cron.nextRun(next)) {
    if (next.getTime() > from.getTime() + 70 * DAY) break;
    instants.push(next.getTime());
  }
  return Math.max(...instants.slice(1).map((at, index) => at - (instants[index] ?? at)));
}

describe('the longest pause of the relay', () => {
  it.each([
    [{ 'trigger-type': 'FIXED_RATE', 'fixed-rate': '90s' }, 90_000],
    [{ 'trigger-type': 'FIXED_RATE' }, MINUTE],
    [{ 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '10m' }, 10 * MINUTE + 5_000],
    [{ 'trigger-type': 'RUN_ONCE' }, undefined],
  ])('with %j is %s ms', (raw, expected) => {
    expect(pauseOf(raw)).toBe(expected);
  });

  it.each([
    '0 */10 * * * *',
    '0 0 * * * *',
    '0 7,9,40 8-17 * * *',
    '0 0 6 * * MON-FRI',
    '0 30 22 * * SUN,WED',
    '0 15 3 1,11,21 * *',
    '0 0 12 */7 * *',
    '0 0 4 15 * *',
  ])('with %s is the one that counting finds', (expression) => {
    // The months of ten weeks may be shorter than the longest of two years.
    expect(ofCron(expression)).toBeGreaterThanOrEqual(longestByCounting(expression));
    expect(ofCron(expression)).toBeLessThanOrEqual(longestByCounting(expression) + 3 * DAY);
  });

  it.each([
    ['0 */10 * * * *', 10 * MINUTE],
    ['*/20 * * * * *', MINUTE],
    ['0 7,9,40 8-17 * * *', DAY - (9 * 60 + 33) * MINUTE],
    ['0 0 6 * * MON-FRI', 3 * DAY],
    ['0 0 0 1 * *', 31 * DAY],
    ['@yearly', 365 * DAY],
    ['0 0 0 29 2 *', undefined],
  ])('with %s is %s ms', (expression, expected) => {
    expect(ofCron(expression)).toBe(expected);
  });
});
