import { createHash } from 'node:crypto';
import { v7 } from 'uuid';

const TIME_DIGITS = 12;

/**
 * Ids of what the plan of a run makes: a plan that is made twice chooses the same ones. A worker that was given up may
 * still write files of its plan beside those of the one that has followed it.
 */
export const plannedIds =
  (batch: string, kind: 'user' | 'department' | 'root') =>
  (externalId = ''): string => {
    const digits = batch.replaceAll('-', '').slice(0, TIME_DIGITS);
    const random = createHash('sha256')
      .update(JSON.stringify([batch, kind, externalId]))
      .digest();
    return v7({ msecs: Number.parseInt(digits, 16) || 0, random: random.subarray(0, 16) });
  };
