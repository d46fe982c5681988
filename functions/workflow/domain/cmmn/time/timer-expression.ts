import { nextCronTime, parseCron } from './cron.ts';
import { addDuration, isDuration, isInstant, parseInstant } from './iso-8601.ts';
import type { Timer } from './timer.ts';

/** The last instant that a text of four digits for the year can name. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

const REPETITION = /^R(\d*)\/(?:([^P/][^/]*)\/)?(P[^/]+)$/;
const REPETITION_WITH_END = /^R(\d*)\/(P[^/]+)\/([^/]+)$/;

/**
 * When a timer is due (CMMN 1.1, 5.4): an instant or date, a duration from now, a repetition `R3/PT1H`,
 * `R/<start>/PT1H` or `R/PT1H/<end>`, or a cron expression in the form of Quartz, in UTC. undefined: the text is
 * none of these.
 */
export function parseTimer(text: string, nowMs: number): Timer | undefined {
  try {
    return readTimer(text.trim(), nowMs);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError when the time is one that no calendar has */
function readTimer(source: string, nowMs: number): Timer | undefined {
  if (isDuration(source)) return { dueAt: toIso(addDuration(nowMs, source)) };
  const instant = parseInstant(source);
  if (instant !== undefined) return { dueAt: toIso(instant) };
  if (source.startsWith('R')) {
    return parseRepetitionWithEnd(source, nowMs) ?? parseRepetition(source, nowMs);
  }
  const cron = parseCron(source);
  const due = cron && nextCronTime(cron, nowMs);
  return due === undefined ? undefined : { dueAt: toIso(due), every: source };
}

function parseRepetition(text: string, nowMs: number): Timer | undefined {
  const [, times, startText, every] = REPETITION.exec(text) ?? [];
  if (!every || !isDuration(every) || addDuration(0, every) <= 0 || times === '0') return undefined;
  const start = startText === undefined ? addDuration(nowMs, every) : parseInstant(startText);
  if (start === undefined) return undefined;
  const remaining = times ? Number(times) - 1 : undefined;
  const missed = Math.min(missedTimes(start, every, nowMs), remaining ?? Number.MAX_SAFE_INTEGER);
  const due = addDuration(start, every, missed);
  const left = remaining === undefined ? undefined : remaining - missed;
  return { dueAt: toIso(due), every, remaining: left };
}

/** The first firing is due in any case; those after it up to the end, that instant included (Flowable). */
function parseRepetitionWithEnd(text: string, nowMs: number): Timer | undefined {
  const [, times, every, endText = ''] = REPETITION_WITH_END.exec(text) ?? [];
  const end = parseInstant(endText);
  const timer = end === undefined ? undefined : parseRepetition(`R${times}/${every}`, nowMs);
  return timer && end !== undefined ? { ...timer, until: toIso(end) } : undefined;
}

/** The number of past times of a repetition, by binary search. */
function missedTimes(startMs: number, every: string, nowMs: number): number {
  if (startMs > nowMs) return 0;
  let over = 1;
  while (timeOf(startMs, every, over) <= nowMs) over *= 2;
  let low = Math.floor(over / 2);
  while (low + 1 < over) {
    const middle = Math.floor((low + over) / 2);
    if (timeOf(startMs, every, middle) <= nowMs) low = middle;
    else over = middle;
  }
  return over;
}

/** The nth time after the first; later than anything when no calendar has it. */
function timeOf(startMs: number, every: string, times: number): number {
  try {
    return addDuration(startMs, every, times);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The timer after one that has fired: counted from when it was due, so it does not drift. */
export function nextTimer(timer: Timer): Timer | undefined {
  const { every, remaining, until } = timer;
  if (every === undefined || remaining === 0) return undefined;
  const due = timeAfter(Date.parse(timer.dueAt), every);
  if (due === undefined || due > LATEST || (until !== undefined && due > Date.parse(until)))
    return undefined;
  const left = remaining === undefined ? undefined : remaining - 1;
  return { ...timer, dueAt: toIso(due), remaining: left };
}

function timeAfter(instantMs: number, every: string): number | undefined {
  if (isDuration(every)) return timeOf(instantMs, every, 1);
  const cron = parseCron(every);
  return cron && nextCronTime(cron, instantMs);
}

/** A timer that has been brought forward because too many of its firings are overdue. */
export interface CatchUp {
  readonly timer: Timer;
  /** Firings that are left out; absent: they have not been counted. */
  readonly skipped?: number;
}

/** Skips the oldest overdue firings beyond a limit; undefined: there are fewer. */
export function capCatchUp(timer: Timer, nowMs: number, most: number): CatchUp | undefined {
  const { every, remaining, until } = timer;
  const dueMs = Date.parse(timer.dueAt);
  const endMs = Math.min(nowMs, until === undefined ? nowMs : Date.parse(until));
  if (every === undefined || dueMs > endMs) return undefined;
  if (!isDuration(every)) return capCron(timer, every, endMs, most);
  const overdue = Math.min(
    missedTimes(dueMs, every, endMs),
    (remaining ?? Number.MAX_SAFE_INTEGER - 1) + 1,
  );
  const skipped = overdue - most;
  if (skipped <= 0) return undefined;
  const dueAt = toIso(addDuration(dueMs, every, skipped));
  const left = remaining === undefined ? undefined : remaining - skipped;
  return { timer: { ...timer, dueAt, remaining: left }, skipped };
}

/** The last times of a cron expression are asked for; how many came before them is not worth counting. */
function capCron(timer: Timer, every: string, endMs: number, most: number): CatchUp | undefined {
  const first = parseCron(every)
    ?.previousRuns(most, new Date(endMs + 1_000))
    .at(-1);
  const isEarlier = first === undefined || first.getTime() <= Date.parse(timer.dueAt);
  return isEarlier ? undefined : { timer: { ...timer, dueAt: toIso(first.getTime()) } };
}

/** Whether a stored timer is one that an expression can have led to. */
export const isTimer = ({ every }: Timer): boolean =>
  every === undefined ||
  (isDuration(every) ? addDuration(0, every) > 0 : parseCron(every) !== undefined);

/** @throws RangeError beyond the year 9999: later instants are written with a sign, and no longer sort as texts. */
function toIso(epochMs: number): string {
  const text = new Date(epochMs).toISOString();
  if (isInstant(text)) return text;
  throw new RangeError(`${text} is too late`);
}
