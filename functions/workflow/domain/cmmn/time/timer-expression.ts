import type { Timer } from '../contract/state.ts';
import { nextCronTime, parseCron } from './cron.ts';
import { addDuration, isDuration, parseInstant } from './iso-8601.ts';

/** Longest row of past times that is stepped over. */
const MAX_MISSED = 1_000_000;

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
  let due = start;
  for (let time = 0; time < missed; time++) due = addDuration(due, every);
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

/** How many times of a repetition that began in the past are over; more than a million count as none. */
function missedTimes(startMs: number, every: string, nowMs: number): number {
  const stepMs = addDuration(startMs, every) - startMs;
  const missed = startMs > nowMs ? 0 : Math.floor((nowMs - startMs) / stepMs) + 1;
  return missed > MAX_MISSED ? 0 : missed;
}

/** The timer after one that has fired: counted from when it was due, so it does not drift. */
export function nextTimer(timer: Timer): Timer | undefined {
  const { every, remaining, until } = timer;
  if (every === undefined || remaining === 0) return undefined;
  const due = timeAfter(Date.parse(timer.dueAt), every);
  if (due === undefined || (until !== undefined && due > Date.parse(until))) return undefined;
  const left = remaining === undefined ? undefined : remaining - 1;
  return { ...timer, dueAt: toIso(due), remaining: left };
}

function timeAfter(instantMs: number, every: string): number | undefined {
  if (isDuration(every)) return addDuration(instantMs, every);
  const cron = parseCron(every);
  return cron && nextCronTime(cron, instantMs);
}

/** Whether a stored timer is one that an expression can have led to. */
export const isTimer = ({ every }: Timer): boolean =>
  every === undefined ||
  (isDuration(every) ? addDuration(0, every) > 0 : parseCron(every) !== undefined);

const toIso = (epochMs: number): string => new Date(epochMs).toISOString();
