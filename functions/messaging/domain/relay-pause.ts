import { parseSpringCron } from '../../../shared/primitives/cron/spring-cron.ts';
import { DEFAULT_RATE_MS, delayMs, LONGEST_DELAY_TICK_MS, type Trigger } from './relay-delay.ts';
import { cronDays } from './spring-cron.ts';

const MINUTE_MS = 60_000;
/** Two years with a leap day: the pauses of a calendar repeat in them. */
const FROM_MS = Date.UTC(2027, 0, 1);
const TO_MS = Date.UTC(2029, 0, 1);

/**
 * Longest time from the start of a run to the next one (ms), without the time that a run takes.
 * @returns undefined when no schedule wakes the relay, or none that comes again within two years.
 */
export function longestPause(trigger: Trigger): number | undefined {
  switch (trigger.triggerType) {
    case 'RUN_ONCE':
      return undefined;
    case 'FIXED_RATE':
      return trigger.fixedRate ?? DEFAULT_RATE_MS;
    case 'FIXED_DELAY':
      return delayMs(trigger) + LONGEST_DELAY_TICK_MS;
    case 'CRON':
      return longestPauseOfCron(trigger.cronExpression);
  }
}

/** Exact to the minute: seconds only shorten a pause. */
function longestPauseOfCron(expression: string): number | undefined {
  const cron = parseSpringCron(expression);
  const times = cron.hour.values.flatMap((hour) =>
    cron.minute.values.map((minute) => (hour * 60 + minute) * MINUTE_MS),
  );
  const [first = 0] = times;
  const [last = first] = times.slice(-1);
  const overnight = steps(cronDays(cron, FROM_MS, TO_MS)).map((pause) => pause + first - last);
  if (overnight.length === 0) return undefined;
  return Math.max(MINUTE_MS, ...overnight, ...steps(times));
}

const steps = (instants: readonly number[]): number[] =>
  instants.slice(1).map((instant, index) => instant - (instants[index] ?? instant));
