import { Cron } from 'croner';
import { toRuleCron } from '../../../shared/primitives/cron/rule-cron.ts';
import {
  type CronField,
  parseSpringCron,
  type SpringCron,
} from '../../../shared/primitives/cron/spring-cron.ts';

/**
 * Translation of a Spring cron expression: an EventBridge rule when exactly equivalent, else an expression
 * that the relay's ticker evaluates every minute.
 * @see Spring Framework, `CronExpression.parse`; Amazon EventBridge, "Cron expressions"
 */
export type CronPlan =
  | { readonly kind: 'rule'; readonly expression: string }
  | { readonly kind: 'ticker'; readonly expression: string };

/** Translates a Spring cron expression, already validated with the configuration. */
export function planCron(expression: string): CronPlan {
  const cron = parseSpringCron(expression);
  const rule = toRuleCron(cron);
  if (rule !== undefined) return { kind: 'rule', expression: rule };
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const fields = [second, minute, hour, dayOfMonth, month, dayOfWeek];
  return { kind: 'ticker', expression: fields.map(tickerField).join(' ') };
}

/** The instants of a ticker expression from `fromMs` (included) to `toMs` (not included), in UTC. */
export function cronInstants(tickerExpression: string, fromMs: number, toMs: number): number[] {
  const cron = new Cron(tickerExpression, {
    paused: true,
    // UTC without `Intl`, which a named time zone goes through for every candidate.
    utcOffset: 0,
    mode: '6-part',
    domAndDow: true,
  });
  const instants: number[] = [];
  let next = cron.nextRun(new Date(fromMs - 1_000));
  while (next && next.getTime() < toMs) {
    if (next.getTime() >= fromMs) instants.push(next.getTime());
    next = cron.nextRun(next);
  }
  return instants;
}

/** The days from `fromMs` (included) to `toMs` (not included) on which an expression has instants, as midnights of UTC. */
export function cronDays(cron: SpringCron, fromMs: number, toMs: number): number[] {
  const days = [cron.dayOfMonth, cron.month, cron.dayOfWeek].map(tickerField);
  return cronInstants(`0 0 0 ${days.join(' ')}`, fromMs, toMs);
}

/** Lists instead of ranges and steps: every cron package interprets them equally. */
const tickerField = ({ isAny, values, specials }: CronField): string =>
  isAny ? '*' : [...values, ...specials].join(',');
