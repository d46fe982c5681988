/** How far the recovery of a document has come that the editing server could not deliver. */
export interface Recovery {
  /** Why it was not stored at last: stable code. */
  readonly reason: string;
  readonly tries: number;
  /** ISO 8601, UTC. */
  readonly nextTryAt: string;
}

/** A try that has failed. */
interface FailedTry {
  readonly reason: string;
  /** Whether it does not pass by itself. */
  readonly isFinal: boolean;
}

/** Distances of tries (ms); the schedule of recovery has the first one, and comes a little early at times. */
const FIRST_MS = 15 * 60_000;
const LONGEST_MS = 86_400_000;
const EARLY_MS = 60_000;

/** A permanent failure is retried once a day, as a limit may have been raised. */
export function recoveryAfter(
  before: Recovery | undefined,
  { reason, isFinal }: FailedTry,
  now: number,
): Recovery {
  const tries = (before?.tries ?? 0) + 1;
  const growing = Math.min(FIRST_MS * 2 ** (tries - 1), LONGEST_MS);
  const distance = isFinal ? LONGEST_MS : growing;
  return { reason, tries, nextTryAt: new Date(now + distance).toISOString() };
}

export const isDue = (recovery: Recovery | undefined, now: number): boolean =>
  recovery === undefined || now >= Date.parse(recovery.nextTryAt) - EARLY_MS;
