import { toInstant } from '../../../../shared/primitives/clock.ts';

/** What is due is found by the hour: `2026-11-23T04`. */
export const HOUR_MS = 3_600_000;
/** An hour is done with so long after its end (ms): until then commands may write rows of it. */
const MARGIN_MS = HOUR_MS;

export const hourOf = (at: number): string => hourOfInstant(toInstant(at));

export const hourOfInstant = (at: string): string => at.slice(0, 13);

const nextHour = (hour: string): string => hourOf(Date.parse(`${hour}:00:00.000Z`) + HOUR_MS);

/**
 * The first hour for which commands may still write rows.
 * @param oldestRest when the oldest command was given that has left writes to do
 */
export function firstOpenHour(now: number, oldestRest: string | undefined): string {
  const hour = hourOf(now - MARGIN_MS);
  const rest = oldestRest && hourOfInstant(oldestRest);
  return rest !== undefined && rest < hour ? rest : hour;
}

/** Hours that are read at a time: after months without a sweep there are thousands of empty ones. */
const HOURS_AT_A_TIME = 24;

/** The hours from one until another, a day of them at a time. */
export function* hoursBetween(first: string, last: string): Generator<readonly string[]> {
  let hours: string[] = [];
  for (let hour = first; hour <= last; hour = nextHour(hour)) {
    hours.push(hour);
    if (hours.length < HOURS_AT_A_TIME) continue;
    yield hours;
    hours = [];
  }
  if (hours.length > 0) yield hours;
}
