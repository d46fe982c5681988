import { Cron } from 'croner';

/**
 * What a Spring cron expression becomes: a rule of EventBridge when that says exactly the same, else an expression
 * that the relay's ticker evaluates every minute.
 * @see Spring Framework, `CronExpression.parse`; Amazon EventBridge, "Cron expressions"
 */
export type CronPlan =
  | { readonly kind: 'rule'; readonly expression: string }
  | { readonly kind: 'ticker'; readonly expression: string };

interface FieldForm {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
/** Spring counts days from Monday 1 to Sunday 7; 0 is Sunday too. */
const DAYS = 'MON TUE WED THU FRI SAT SUN'.split(' ');

const FORMS = {
  second: { min: 0, max: 59 },
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: MONTHS },
  dayOfWeek: { min: 0, max: 7, names: DAYS },
} as const satisfies Record<string, FieldForm>;

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};

/** Says how a Spring cron expression is run. It has been checked with the configuration. */
export function planCron(expression: string): CronPlan {
  const fields = fieldsOf(expression);
  return toRule(fields) ?? { kind: 'ticker', expression: toTickerExpression(fields) };
}

/** The instants of a ticker expression from `fromMs` (included) to `toMs` (not included), in UTC. */
export function cronInstants(tickerExpression: string, fromMs: number, toMs: number): number[] {
  const cron = new Cron(tickerExpression, {
    paused: true,
    timezone: 'UTC',
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

type Fields = readonly [string, string, string, string, string, string];

function fieldsOf(expression: string): Fields {
  const text = MACROS[expression] ?? expression;
  return text.trim().toUpperCase().split(/\s+/) as unknown as Fields;
}

/** @returns undefined when EventBridge cannot say it: it has whole minutes only, and one of the two day fields. */
function toRule([second, minute, hour, dayOfMonth, month, dayOfWeek]: Fields):
  | CronPlan
  | undefined {
  const isEveryDay = isAny(dayOfMonth);
  const isEveryWeekday = isAny(dayOfWeek);
  if (!/^0+$/.test(second) || (!isEveryDay && !isEveryWeekday)) return undefined;
  const fields = [
    ruleField(minute, FORMS.minute),
    ruleField(hour, FORMS.hour),
    isEveryWeekday ? ruleDayOfMonth(dayOfMonth) : '?',
    ruleField(month, FORMS.month),
    isEveryWeekday ? '?' : ruleDayOfWeek(dayOfWeek),
    '*',
  ];
  return fields.includes(undefined)
    ? undefined
    : { kind: 'rule', expression: `cron(${fields.join(' ')})` };
}

function ruleField(field: string, form: FieldForm): string | undefined {
  if (isAny(field)) return '*';
  const step = /^(\*|\d+)\/(\d+)$/.exec(field);
  if (step) return `${step[1] === '*' ? form.min : Number(step[1])}/${Number(step[2])}`;
  return listOf(field, form)?.join(',');
}

function ruleDayOfMonth(field: string): string | undefined {
  return /^(L|\d{1,2}W)$/.test(field) ? field : ruleField(field, FORMS.dayOfMonth);
}

/** EventBridge counts days from Sunday 1 to Saturday 7. */
function ruleDayOfWeek(field: string): string | undefined {
  const special = /^([A-Z]{3}|\d)(L|#[1-5])$/.exec(field);
  if (special) {
    const day = numberOf(special[1] ?? '', FORMS.dayOfWeek);
    return day === undefined ? undefined : `${(day % 7) + 1}${special[2]}`;
  }
  const days = listOf(field, FORMS.dayOfWeek);
  return days && unique(days.map((day) => (day % 7) + 1)).join(',');
}

function toTickerExpression([second, minute, hour, dayOfMonth, month, dayOfWeek]: Fields): string {
  return [
    tickerField(second, FORMS.second),
    tickerField(minute, FORMS.minute),
    tickerField(hour, FORMS.hour),
    tickerField(dayOfMonth, FORMS.dayOfMonth),
    tickerField(month, FORMS.month),
    tickerField(dayOfWeek, FORMS.dayOfWeek),
  ].join(' ');
}

/** Lists instead of ranges and steps: they mean the same to every cron package. */
function tickerField(field: string, form: FieldForm): string {
  return isAny(field) ? '*' : (listOf(field, form)?.join(',') ?? field);
}

/** All values of a field in order; `undefined` when it holds L, W or #. */
function listOf(field: string, form: FieldForm): number[] | undefined {
  const values: number[] = [];
  for (const part of field.split(',')) {
    const range = rangeOf(part, form);
    if (!range) return undefined;
    for (let value = range.from; value <= range.to; value += range.step) values.push(value);
  }
  return unique(values);
}

function rangeOf(
  part: string,
  form: FieldForm,
): { from: number; to: number; step: number } | undefined {
  const [, base = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
  const [first = '', last] = base.split('-');
  // Seven and nought are the same day; a step must not count it twice.
  const end = form.names === DAYS ? 6 : form.max;
  if (first === '*' || first === '?') return { from: form.min, to: end, step: Number(step ?? 1) };
  const from = numberOf(first, form);
  const to = last === undefined ? (step ? Math.max(end, from ?? 0) : from) : numberOf(last, form);
  return from === undefined || to === undefined || from > to
    ? undefined
    : { from, to, step: Number(step ?? 1) };
}

function numberOf(text: string, { names = [] }: FieldForm): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const position = names.indexOf(text);
  return position < 0 ? undefined : position + 1;
}

const isAny = (field: string): boolean => field === '*' || field === '?';

const unique = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
