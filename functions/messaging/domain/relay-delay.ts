import type { PlatformConfig } from '../../../shared/config/index.ts';

/** What makes the relay run. */
export type Trigger = PlatformConfig['mq']['relay']['scheduleTrigger'];

/** The default rate; EventBridge supports whole minutes only. */
export const DEFAULT_RATE_MS = 60_000;

/** Longest interval between checks whether the delay of FIXED_DELAY has passed. */
export const LONGEST_DELAY_TICK_MS = 5_000;

/**
 * Whether a run may begin: with FIXED_DELAY only when its delay has passed since the last one ended. An end far ahead is
 * that of a wrong clock.
 */
export function mayRun(
  trigger: Trigger,
  lastFinishedAtMs: number | undefined,
  now: number,
): boolean {
  if (trigger.triggerType !== 'FIXED_DELAY' || lastFinishedAtMs === undefined) return true;
  return Math.abs(now - lastFinishedAtMs) >= delayMs(trigger);
}

/** The delay of FIXED_DELAY. */
export const delayMs = ({ fixedRate = DEFAULT_RATE_MS }: Trigger): number => fixedRate;
