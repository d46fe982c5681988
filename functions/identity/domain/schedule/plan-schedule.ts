import { Cron } from 'croner';
import { periodMinutes, rateExpression, rateMs } from './period.ts';
import { ScheduleError } from './schedule-error.ts';
import { timedExpressions, weekDays } from './times.ts';

/** When a source is synchronised by itself. */
export interface Timing {
  readonly mode?: 'period' | 'timed' | undefined;
  readonly value?: string | undefined;
  readonly dayOfWeek?: readonly string[] | undefined;
  /** IANA name. */
  readonly timezone?: string | undefined;
}

/** The schedules of a source (EventBridge Scheduler). */
export interface SchedulePlan {
  readonly expressions: readonly string[];
  /** IANA name. */
  readonly timezone: string;
}

const SHOWN_RUNS = 3;
const MIN_PAUSE_MS = 5 * 60_000;
const CHECKED_RUNS = 12;

/**
 * Translates the schedule of a source.
 * @param zone time zone of sources that name none.
 * @returns `undefined` without a mode or a value: the source is synchronised by hand only.
 * @throws ScheduleError
 */
export function planSchedule(
  { mode, value, dayOfWeek, timezone }: Timing,
  zone: string,
  nowMs: number,
): SchedulePlan | undefined {
  const days = weekDays(dayOfWeek);
  const plan = { timezone: checkedZone(timezone ?? zone), expressions: [] as readonly string[] };
  if (mode === undefined || value === undefined || value.trim() === '') return undefined;
  plan.expressions = mode === 'period' ? periodic(value, days) : timedExpressions(value, days);
  demandPauses(plan, nowMs);
  return plan;
}

/** The next runs of a plan, as instants. @param anchorMs when a periodic schedule began. */
export function nextRuns(
  { expressions, timezone }: SchedulePlan,
  nowMs: number,
  anchorMs = nowMs,
  count = SHOWN_RUNS,
): readonly number[] {
  const runs = expressions.flatMap((expression) => {
    const period = rateMs(expression);
    if (period === undefined) return cronRuns(expression, timezone, nowMs, count);
    const first = anchorMs + (Math.floor(Math.max(0, nowMs - anchorMs) / period) + 1) * period;
    return Array.from({ length: count }, (_, index) => first + index * period);
  });
  return [...new Set(runs)].sort((a, b) => a - b).slice(0, count);
}

/** On some days only a period begins with each of them. */
function periodic(value: string, days: readonly string[] | undefined): readonly string[] {
  const minutes = periodMinutes(value);
  if (!days) return [rateExpression(minutes)];
  const hours = minutes / 60;
  if (!Number.isInteger(hours) || hours > 24) {
    throw new ScheduleError('dayOfWeek', 'goes with periods of 1 to 24 whole hours');
  }
  return [`cron(0 0/${hours} ? * ${days.join(',')} *)`];
}

function cronRuns(expression: string, timezone: string, nowMs: number, count: number): number[] {
  const fields = expression.slice('cron('.length, -1);
  try {
    const cron = new Cron(`0 ${fields}`, {
      mode: '7-part',
      alternativeWeekdays: true,
      sloppyRanges: true,
      domAndDow: true,
      paused: true,
      timezone,
    });
    return cron.nextRuns(count, new Date(nowMs)).map((run) => run.getTime());
  } catch {
    throw new ScheduleError('value', 'must be a cron expression that can be run');
  }
}

function demandPauses(plan: SchedulePlan, nowMs: number): void {
  const runs = nextRuns(plan, nowMs, nowMs, CHECKED_RUNS);
  if (runs.length === 0) throw new ScheduleError('value', 'must come in the future');
  const isTooOften = runs.some((run, index) => run - (runs[index - 1] ?? 0) < MIN_PAUSE_MS);
  if (isTooOften) throw new ScheduleError('value', 'must be at least 5 minutes apart');
}

function checkedZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new ScheduleError('timezone', 'must be an IANA time zone such as Europe/Berlin');
  }
}
