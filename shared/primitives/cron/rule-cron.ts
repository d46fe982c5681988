import type { CronField, SpringCron } from './spring-cron.ts';

/** Longest schedule expression of EventBridge. */
const MAX_LENGTH = 256;

/**
 * The `cron(...)` of EventBridge that means the same; `undefined` when EventBridge cannot say it: it takes whole
 * minutes, one of the two day fields, and one special day.
 */
export function toRuleCron(cron: SpringCron): string | undefined {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const hasWholeMinutes = second.values.length === 1 && second.values[0] === 0;
  const days = ruleDays(dayOfMonth, dayOfWeek);
  if (!hasWholeMinutes || !days) return undefined;
  const time = `${ruleField(minute, 59)} ${ruleField(hour, 23)}`;
  const rule = `cron(${time} ${days.ofMonth} ${ruleField(month, 12)} ${days.ofWeek} *)`;
  return rule.length <= MAX_LENGTH ? rule : undefined;
}

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
