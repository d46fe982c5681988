import { describe, expect, it } from 'vitest';
import { mayRun } from '../../../../functions/messaging/domain/relay-delay.ts';
import {
  relaySchedule,
  relayTicks,
} from '../../../../functions/messaging/domain/relay-schedule.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';

const trigger = (raw: Record<string, unknown>) =>
  loadConfig({ mq: { relay: { 'schedule-trigger': raw } } }).mq.relay.scheduleTrigger;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('the schedule of the relay', () => {
  it.each([
    [{}, { kind: 'rule', expression: 'rate(1 minute)' }],
    [{ 'fixed-rate': '1m' }, { kind: 'rule', expression: 'rate(1 minute)' }],
    [{ 'fixed-rate': 'PT2H' }, { kind: 'rule', expression: 'rate(120 minutes)' }],
    [{ 'fixed-rate': '5s' }, { kind: 'ticker' }],
    [{ 'fixed-rate': '90s' }, { kind: 'ticker' }],
    [{ 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '1m' }, { kind: 'ticker' }],
    [{ 'trigger-type': 'CRON' }, { kind: 'rule', expression: 'cron(0/10 * * * ? *)' }],
    [{ 'trigger-type': 'CRON', 'cron-expression': '*/5 * * * * *' }, { kind: 'ticker' }],
    [{ 'trigger-type': 'RUN_ONCE' }, { kind: 'once' }],
  ])('for %j is %j', (raw, schedule) => {
    expect(relaySchedule(trigger(raw))).toEqual(schedule);
  });
});

describe('the ticks of a minute', () => {
  const ticks = (raw: Record<string, unknown>, from: number) =>
    relayTicks(trigger(raw), from, from + MINUTE).map((at) => (at - from) / SECOND);

  it('of a rate are multiples of it, so a rate that does not divide a minute keeps its pace', () => {
    const rate = { 'fixed-rate': '90s' };

    expect([0, 1, 2, 3].map((minute) => ticks(rate, minute * MINUTE))).toEqual([
      [0],
      [30],
      [],
      [0],
    ]);
    expect(ticks({ 'fixed-rate': '20s' }, 0)).toEqual([0, 20, 40]);
  });

  it('of a delay are near enough to see it pass', () => {
    expect(ticks({ 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '1m' }, 0)).toHaveLength(12);
    expect(ticks({ 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '2s' }, 0)).toHaveLength(30);
  });

  it('of a cron expression are those of the expression', () => {
    const cron = { 'trigger-type': 'CRON', 'cron-expression': '5,35 * * * * *' };

    expect(ticks(cron, 0)).toEqual([5, 35]);
  });
});

describe('a run', () => {
  const delay = trigger({ 'trigger-type': 'FIXED_DELAY', 'fixed-rate': '10s' });

  it('with FIXED_DELAY waits for its delay after the end of the last one', () => {
    expect(mayRun(delay, undefined, 0)).toBe(true);
    expect(mayRun(delay, 0, 9_999)).toBe(false);
    expect(mayRun(delay, 0, 10_000)).toBe(true);
  });

  it('with any other trigger begins at once', () => {
    expect(mayRun(trigger({}), 0, 1)).toBe(true);
  });
});
