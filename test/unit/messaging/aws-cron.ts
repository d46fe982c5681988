/** A cron expression of EventBridge: allowed values of each field; `undefined` stands for all. */
export interface AwsCron {
  readonly minute: ReadonlySet<number> | undefined;
  readonly hour: ReadonlySet<number> | undefined;
  readonly dayOfMonth: ReadonlySet<number> | undefined;
  readonly month: ReadonlySet<number> | undefined;
  readonly dayOfWeek: ReadonlySet<number> | undefined;
}

/**
 * Reads lists, steps and wildcards of an EventBridge rule.
 * @see Amazon EventBridge, "Cron expressions": day of week 1 is Sunday, `a/n` is every n from a on.
 */
export function parseAwsCron(expression: string): AwsCron {
  const [, text = ''] = /^cron\((.*)\)$/.exec(expression) ?? [];
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year] =
    text.split(' ');
  if (year !== '*') throw new Error(`unexpected year in ${expression}`);
  if ((dayOfMonth === '?') === (dayOfWeek === '?'))
    throw new Error(`one ? is needed: ${expression}`);
  return {
    minute: values(minute, 59),
    hour: values(hour, 23),
    dayOfMonth: values(dayOfMonth, 31),
    month: values(month, 12),
    dayOfWeek: values(dayOfWeek, 7),
  };
}

/** Whether a rule fires in the minute that begins at an instant, in UTC. */
export function isAwsCronMinute(cron: AwsCron, atMs: number): boolean {
  const at = new Date(atMs);
  const holds = (allowed: ReadonlySet<number> | undefined, value: number) =>
    allowed?.has(value) ?? true;
  return (
    holds(cron.minute, at.getUTCMinutes()) &&
    holds(cron.hour, at.getUTCHours()) &&
    holds(cron.dayOfMonth, at.getUTCDate()) &&
    holds(cron.month, at.getUTCMonth() + 1) &&
    holds(cron.dayOfWeek, at.getUTCDay() + 1)
  );
}

function values(field: string, max: number): ReadonlySet<number> | undefined {
  if (field === '*' || field === '?') return undefined;
  const [, from, step] = /^(\d+)\/(\d+)$/.exec(field) ?? [];
  if (from !== undefined) {
    const all = new Set<number>();
    for (let value = Number(from); value <= max; value += Number(step)) all.add(value);
    return all;
  }
  return new Set(field.split(',').map(Number));
}
