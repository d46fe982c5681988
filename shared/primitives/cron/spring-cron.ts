/** A parsed field of a cron expression. */
export interface CronField {
  /** Allowed values in order; days of the week from Sunday 0 to Saturday 6. */
  readonly values: readonly number[];
  /** Whether every value is allowed. */
  readonly isAny: boolean;
  /** Days that depend on the month, besides `values`: `L`, `LW`, `15W`, `5L`, `5#2`. */
  readonly specials: readonly string[];
}

/** A Spring cron expression, read. An instant matches when each of the fields allows it. */
export interface SpringCron {
  readonly second: CronField;
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

interface FieldForm {
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  /** Whether `?` may stand for `*`. */
  readonly isDay?: true;
  /** Parses a part that is not a number; `undefined` when it is invalid. */
  readonly special?: (part: string) => string | undefined;
}

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};

/** The last day that every month has: beyond it schedulers disagree on `nW`. */
const LAST_DAY_OF_ALL = 27;

const FORMS = {
  second: { title: 'second', min: 0, max: 59 },
  minute: { title: 'minute', min: 0, max: 59 },
  hour: { title: 'hour', min: 0, max: 23 },
  dayOfMonth: { title: 'day-of-month', min: 1, max: 31, isDay: true, special: specialDayOfMonth },
  month: {
    title: 'month',
    min: 1,
    max: 12,
    names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' '),
  },
  // From Monday 1 to Sunday 7; 0 may be written for Sunday, but no wildcard begins there.
  dayOfWeek: {
    title: 'day-of-week',
    min: 1,
    max: 7,
    names: 'MON TUE WED THU FRI SAT SUN'.split(' '),
    isDay: true,
    special: specialDayOfWeek,
  },
} as const satisfies Record<string, FieldForm>;

/**
 * Reads a cron expression of six fields, or a macro such as `@daily`.
 * @throws RangeError saying which field breaks which rule.
 * @see Spring Framework, `CronExpression.parse`; refused besides are `L-n`, `LW` in a list, and `28W` to `31W`.
 */
export function parseSpringCron(expression: string): SpringCron {
  const text = expression.trim();
  const fields = (MACROS[text.toLowerCase()] ?? text).toUpperCase().split(/\s+/);
  if (fields.length !== 6) {
    throw new RangeError('must have six fields: second minute hour day-of-month month day-of-week');
  }
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  return {
    second: readField(second, FORMS.second),
    minute: readField(minute, FORMS.minute),
    hour: readField(hour, FORMS.hour),
    dayOfMonth: readField(dayOfMonth, FORMS.dayOfMonth),
    month: readField(month, FORMS.month),
    dayOfWeek: sundayFirst(readField(dayOfWeek, FORMS.dayOfWeek)),
  };
}

function readField(field: string, form: FieldForm): CronField {
  const text = field === '?' && form.isDay ? '*' : field;
  const values = new Set<number>();
  const specials: string[] = [];
  for (const part of text.split(',')) {
    const special = form.special?.(part);
    if (special === undefined) for (const value of valuesOf(part, form)) values.add(value);
    else specials.push(special);
  }
  // The cron package of the ticker does not support it.
  if (specials.includes('LW') && text !== 'LW') throw refused(text, form);
  const all = form.max - form.min + 1;
  return { values: sorted(values), isAny: values.size === all, specials };
}

function valuesOf(part: string, form: FieldForm): number[] {
  const [, base = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
  const width = step === undefined ? 1 : Number(step);
  if (base === '' || width < 1) throw refused(part, form);
  const { from, to } = rangeOf(base, form, part);
  // A number with a step begins a range that is open to the end of the field.
  const end = step !== undefined && !base.includes('-') ? form.max : to;
  const values: number[] = [];
  for (let value = from; value <= end; value += width) values.push(value);
  return values;
}

function rangeOf(base: string, form: FieldForm, part: string): { from: number; to: number } {
  if (base === '*') return { from: form.min, to: form.max };
  const [first = '', last, ...others] = base.split('-');
  const from = numberOf(first, form);
  const to = last === undefined ? from : numberOf(last, form);
  if (from === undefined || to === undefined || others.length > 0) throw refused(part, form);
  // Sunday begins the week when a range begins with it.
  const begin = last !== undefined && form === FORMS.dayOfWeek && from === 7 ? 0 : from;
  if (begin > to) throw refused(part, form);
  return { from: begin, to };
}

function numberOf(text: string, form: FieldForm): number | undefined {
  const named = (form.names ?? []).indexOf(text);
  if (named >= 0) return named + 1;
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  const isSunday = form === FORMS.dayOfWeek && value === 0;
  return isSunday || (value >= form.min && value <= form.max) ? value : undefined;
}

function specialDayOfMonth(part: string): string | undefined {
  if (part === 'L' || part === 'LW') return part;
  const day = Number(/^(\d+)W$/.exec(part)?.[1] ?? 0);
  return day >= 1 && day <= LAST_DAY_OF_ALL ? `${day}W` : undefined;
}

function specialDayOfWeek(part: string): string | undefined {
  const [, text = '', rest] = /^([A-Z]{3}|\d)(L|#[1-5])$/.exec(part) ?? [];
  const day = numberOf(text, FORMS.dayOfWeek);
  return day === undefined ? undefined : `${day % 7}${rest}`;
}

function sundayFirst(field: CronField): CronField {
  const days = new Set(field.values.map((day) => day % 7));
  return { ...field, values: sorted(days), isAny: days.size === 7 };
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);

const refused = (part: string, { title }: FieldForm): RangeError =>
  new RangeError(`has "${part}" as its ${title}, which cannot be run`);
