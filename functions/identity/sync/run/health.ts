import { toInstant } from '../../../../shared/primitives/clock.ts';
import type { Health } from '../../domain/sources/source-state.ts';

export const HEALTHY: Health = { status: 'OK', consecutiveFailures: 0 };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A source that has failed for so long is switched off. */
const MAX_FAILING_MS = 28 * DAY_MS;

/** The health of a source after one more failure: scheduled runs pause twice as long each time, up to a day. */
export function afterFailure(
  { consecutiveFailures, failingSince }: Health,
  reason: string | undefined,
  now: number,
): Health {
  const failures = consecutiveFailures + 1;
  const pause = Math.min(DAY_MS, HOUR_MS * 2 ** (failures - 2));
  return {
    ...{ status: 'FAILING', consecutiveFailures: failures, reason },
    failingSince: failingSince ?? toInstant(now),
    // The first failure may be a chance.
    ...(failures > 1 && { retryAt: toInstant(now + pause) }),
  };
}

/** Whether a source has failed for too long. */
export const isLost = ({ status, failingSince }: Health, now: number): boolean =>
  status === 'FAILING' && now - Date.parse(failingSince ?? '') > MAX_FAILING_MS;
