import { Cron } from 'croner';
import {
  type CronField,
  parseSpringCron,
  type SpringCron,
} from '../../../shared/primitives/spring-cron.ts';

/**
 * Translation of a Spring cron expression: an EventBridge rule when exactly equivalent, else an expression
 * that the relay's ticker evaluates every minute.
 * @see Spring Framework, `CronExpression.parse`; Amazon EventBridge, "Cron expressions"
 */
export type CronPlan =
  | { readonly kind: 'rule'; readonly expression: string }
  | { readonly kind: 'ticker'; readonly expression: string };

/** Longest schedule expression of a rule. */
const MAX_RULE_LENGTH = 256;

/** Translates a Spring cron expression, already validated with the configuration. */
export function planCron(expression: string): CronPlan {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parseSpringCron(expression);
  const hasWholeMinutes = second.values.length === 1 && second.values[0] === 0;
  const days = ruleDays(dayOfMonth, dayOfWeek);
  if (hasWholeMinutes && days) {
    const time = `${ruleField(minute, 59)} ${ruleField(hour, 23)}`;
    const rule = `cron(${time} ${days.ofMonth} ${ruleField(month, 12)} ${days.ofWeek} *)`;
    if (rule.length <= MAX_RULE_LENGTH) return { kind: 'rule', expression: rule };
  }
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

/** @returns undefined when EventBridge cannot say it: it takes one of the two day fields, and one special day. */
function ruleDays(
  dayOfMonth: CronField,
  dayOfWeek: CronField,
): { ofMonth: string; ofWeek: string } | undefined {
  if (dayOfWeek.isAny) {
    const ofMonth = ruleDay(dayOfMonth, (day) => (day === 'LW' ? undefined : day), 31);
    return ofMonth === undefined ? undefined : { ofMonth, ofWeek: '?' };
  }
  if (!dayOfMonth.isAny) return undefined;
  // EventBridge counts days from Sunday 1 to Saturday 7.
  const shifted = { ...dayOfWeek, values: dayOfWeek.values.map((day) => day + 1) };
  const ofWeek = ruleDay(shifted, ([day, ...rest]) => `${Number(day) + 1}${rest.join('')}`);
  return ofWeek === undefined ? undefined : { ofMonth: '?', ofWeek };
}

function ruleDay(
  field: CronField,
  toRule: (special: string) => string | undefined,
  max?: number,
): string | undefined {
  const [special] = field.specials;
  if (special === undefined) return ruleField(field, max);
  return field.specials.length === 1 && field.values.length === 0 ? toRule(special) : undefined;
}

/** @param max end of a field whose steps EventBridge counts as Spring does. */
function ruleField({ isAny, values }: CronField, max?: number): string {
  if (isAny) return '*';
  const [first = 0, second = first] = values;
  const step = second - first;
  const isStep = step > 1 && values.every((value, index) => value === first + index * step);
  const [last = first] = values.slice(-1);
  const isOpen = max !== undefined && last + step > max && values.length > 2;
  return isStep && isOpen ? `${first}/${step}` : values.join(',');
}

/** Lists instead of ranges and steps: every cron package interprets them equally. */
const tickerField = ({ isAny, values, specials }: CronField): string =>
  isAny ? '*' : [...values, ...specials].join(',');
