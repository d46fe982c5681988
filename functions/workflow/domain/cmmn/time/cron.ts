import { Cron } from 'croner';

/**
 * Parses a cron expression in the form of Quartz, in UTC: second, minute, hour, day of month, month, day of week
 * (1 is Sunday) and, if wanted, year. It only computes times; nothing is scheduled. undefined: it is none.
 */
export function parseCron(text: string): Cron | undefined {
  if (!/^\S+(?:\s+\S+){5,6}$/.test(text)) return undefined;
  try {
    return new Cron(text, {
      mode: '6-or-7-parts',
      // UTC without `Intl`, which a named time zone goes through for every candidate.
      utcOffset: 0,
      alternativeWeekdays: true,
      sloppyRanges: true,
      domAndDow: true,
      paused: true,
    });
  } catch {
    return undefined;
  }
}

/** The first time after an instant that the expression allows; undefined: none. */
export const nextCronTime = (cron: Cron, afterMs: number): number | undefined =>
  cron.nextRun(new Date(afterMs))?.getTime();
