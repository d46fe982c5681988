import type { RelaySchedule } from '../../../shared/module/declaration.ts';
import { DEFAULT_RATE_MS, delayMs, LONGEST_DELAY_TICK_MS, type Trigger } from './relay-delay.ts';
import { cronInstants, planCron } from './spring-cron.ts';

const MINUTE_MS = 60_000;

/** Chooses the trigger of the relay. */
export function relaySchedule(trigger: Trigger): RelaySchedule {
  switch (trigger.triggerType) {
    case 'RUN_ONCE':
      return { kind: 'once' };
    case 'FIXED_DELAY':
      return { kind: 'ticker' };
    case 'FIXED_RATE':
      return rateSchedule(trigger.fixedRate ?? DEFAULT_RATE_MS);
    case 'CRON': {
      const plan = planCron(trigger.cronExpression);
      return plan.kind === 'rule' ? plan : { kind: 'ticker' };
    }
  }
}

function rateSchedule(rateMs: number): RelaySchedule {
  const minutes = rateMs / MINUTE_MS;
  if (!Number.isInteger(minutes)) return { kind: 'ticker' };
  return { kind: 'rule', expression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})` };
}

/**
 * The instants at which the relay runs within a window. Those of a rate are multiples of it since 1970, so two
 * tickers of overlapping windows name the same ones.
 */
export function relayTicks(trigger: Trigger, fromMs: number, toMs: number): number[] {
  switch (trigger.triggerType) {
    case 'RUN_ONCE':
      return [];
    case 'FIXED_RATE':
      return multiples(trigger.fixedRate ?? DEFAULT_RATE_MS, fromMs, toMs);
    case 'FIXED_DELAY':
      return multiples(Math.min(delayMs(trigger), LONGEST_DELAY_TICK_MS), fromMs, toMs);
    case 'CRON': {
      const plan = planCron(trigger.cronExpression);
      return plan.kind === 'ticker' ? cronInstants(plan.expression, fromMs, toMs) : [];
    }
  }
}

function multiples(stepMs: number, fromMs: number, toMs: number): number[] {
  const instants: number[] = [];
  for (let at = Math.ceil(fromMs / stepMs) * stepMs; at < toMs; at += stepMs) instants.push(at);
  return instants;
}
