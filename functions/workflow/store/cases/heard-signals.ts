import { createHash } from 'node:crypto';
import { notExists } from '../../../../shared/store/conditions.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { heardSignalKey } from '../case-keys.ts';

/** The family has heard the signal from an earlier delivery of its message. */
export class HeardBeforeError extends Error {
  override readonly name = 'HeardBeforeError';
}

/** A queue keeps a message for 14 days. */
const KEPT_MS = 30 * 86_400_000;

/**
 * Stages that a family has heard a signal.
 * @param messageId what identifies the message that has brought it, its source included
 * @throws HeardBeforeError from the commit
 */
export function stageHeard(
  unit: UnitOfWork,
  familyId: string,
  messageId: string,
  now: number,
): void {
  const digest = createHash('sha256').update(messageId).digest('hex').slice(0, 32);
  const item = {
    ...heardSignalKey(familyId, digest),
    type: 'case_signal_heard',
    ttl: Math.ceil((now + KEPT_MS) / 1_000),
  };
  unit.put(item, { condition: notExists, otherwise: () => new HeardBeforeError() });
}
