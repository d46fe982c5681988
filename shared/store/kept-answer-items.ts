import type { Condition, Item, Key, StorableItem } from './table.ts';

/*
 * Answers kept by Idempotency-Key
 *   one call    IDEM#<module>#<hash of caller, operation and key> / IDEM
 */

/** An answer that a repeated call gets again. */
export interface KeptAnswer extends Item {
  readonly requestHash: string;
  /** As JSON, which keeps every number and every depth. */
  readonly reply: string;
  /** Epoch seconds. */
  readonly ttl: number;
}

export const keptAnswerKey = (module: string, callHash: string): Key => ({
  pk: `IDEM#${module}#${callHash}`,
  sk: 'IDEM',
});

export const keptAnswerItem = (
  key: Key,
  answer: Pick<KeptAnswer, 'requestHash' | 'reply' | 'ttl'>,
): StorableItem => ({ ...key, type: 'idempotency', ...answer });

/** Nobody has answered the call yet, or the kept answer has expired. @param now epoch seconds */
export const isUnanswered = (now: number): Condition => ({
  expression: 'attribute_not_exists(pk) OR #ttl <= :now',
  names: { '#ttl': 'ttl' },
  values: { ':now': now },
});
