import type { Condition, Item, Key, StorableItem } from './table.ts';

/*
 * Answers kept by Idempotency-Key
 *   one call    IDEM#<module>#<hash of caller, operation and key> / IDEM
 */

/** A stored response for repeated calls. */
export interface KeptAnswer extends Item {
  readonly requestHash: string;
  /** As JSON text, which preserves every number and any depth. */
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

/** No response is stored yet, or it has expired. @param now epoch seconds */
export const isUnanswered = (now: number): Condition => ({
  expression: 'attribute_not_exists(pk) OR #ttl <= :now',
  names: { '#ttl': 'ttl' },
  values: { ':now': now },
});

/** How long answers are kept. */
export const KEPT_SECONDS = 24 * 3_600;
