import type { Item } from '../store/table.ts';

/*
 * Items about the sessions of the platform that every function may read.
 *   subjects whose tokens ended  SESSION#revoked  <instant>#<id of the first>
 */
export const REVOKED_PARTITION = 'SESSION#revoked';
/** Tokens live at most so long (seconds); their revocations too. */
export const MAX_TOKEN_SECONDS = 86_400;

/** Subjects whose tokens issued until an instant are refused: one item for all that one commit disables. */
export interface RevokedItem extends Item {
  readonly subjects: readonly string[];
  /** Epoch ms. */
  readonly revokedAt: number;
}

export function revokedItem(subjects: readonly string[], nowMs: number): RevokedItem {
  return {
    pk: REVOKED_PARTITION,
    sk: `${new Date(nowMs).toISOString()}#${subjects[0]}`,
    type: 'session_revoked',
    subjects,
    revokedAt: nowMs,
    ttl: Math.ceil(nowMs / 1_000) + MAX_TOKEN_SECONDS + 3_600,
  };
}
