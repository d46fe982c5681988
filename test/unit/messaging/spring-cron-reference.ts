/**
 * Whether a Spring cron expression (numbers, lists, ranges, steps, day names) fires at a second, in UTC. Written
 * from the description alone: each field is asked by itself, and all must agree.
 * @see Spring Framework, `CronExpression.parse`
 */
export function isSpringCronSecond(expression: string, atMs: number): boolean {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] =
    expression.split(' ');
  const at = new Date(atMs);
  const dayOfWeek = at.getUTCDay();
  const days = weekday.replace(/[A-Z]{3}/g, (name) => String(DAYS.indexOf(name)));
  return (
    agrees(second, at.getUTCSeconds(), 59) &&
    agrees(minute, at.getUTCMinutes(), 59) &&
    agrees(hour, at.getUTCHours(), 23) &&
    agrees(day, at.getUTCDate(), 31, 1) &&
    agrees(month, at.getUTCMonth() + 1, 12, 1) &&
    (agrees(days, dayOfWeek, 6) || (dayOfWeek === 0 && days === '7'))
  );
}

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function agrees(field: string, value: number, max: number, min = 0): boolean {
  return field.split(',').some((part) => {
    const [range = '', step] = part.split('/');
    const [low, high] = range.split('-');
    const from = low === '*' || low === '?' ? min : Number(low);
    const isOpen = low === '*' || low === '?' || (step !== undefined && high === undefined);
    const to = isOpen ? max : Number(high ?? low);
    return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0;
  });
}
