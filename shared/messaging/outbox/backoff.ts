/** Pause before the first resend (ms); it doubles with each further one. */
const FIRST_PAUSE_MS = 100;
const MAX_DOUBLINGS = 40;

/**
 * Longest pause before a resend: `min(cap, 100 ms x 2^(n-1))`.
 * @param resend number of the resend, from 1.
 * @param capMs `svc.mq.relay.max-retry-delay`.
 */
export function longestPauseMs(resend: number, capMs: number): number {
  return Math.min(capMs, FIRST_PAUSE_MS * 2 ** Math.min(Math.max(resend, 1) - 1, MAX_DOUBLINGS));
}

/**
 * Pause before a resend with full jitter, in whole milliseconds; at least 1 ms unless the cap is 0,
 * because a running relay would send the row again at once.
 * @param random from 0 to 1.
 */
export function pauseMs(resend: number, capMs: number, random: number): number {
  const longest = longestPauseMs(resend, capMs);
  return Math.min(longest, 1 + Math.floor(longest * random));
}

/** Pause after throttling by the broker: not a failure, so the cap is at least a second. */
export function throttledPauseMs(capMs: number, random: number): number {
  return Math.floor(Math.max(capMs, 1_000) * (0.5 + random / 2));
}
