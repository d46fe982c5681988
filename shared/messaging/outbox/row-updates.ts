import { toInstant } from '../../primitives/clock.ts';
import type { Condition, Update } from '../../store/table.ts';
import { deadSummary } from '../wire/dead-letter.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import type { PayloadRef } from '../wire/payload-store.ts';
import { dueSortKey, dueSummary, type OutboxRow } from './outbox-row.ts';

/*
 * The states of a row as updates of the table. Every update counts up `version`, so that of two which build on the same
 * state one is refused.
 */

/** Instants are epoch ms. */
export function claimed(
  id: string,
  { now, until }: { readonly now: number; readonly until: number },
): Update {
  return {
    expression:
      'SET #status = :sending, gsi1sk = :until, attempts = attempts + :one, version = version + :one, updatedAt = :at',
    names: { '#status': 'status' },
    values: {
      ':sending': 'SENDING',
      ':until': dueSortKey(until, id),
      ':one': 1,
      ':at': toInstant(now),
    },
  };
}

/** Whether a row may be claimed: it waits, or its claim has run out. */
export const isDue = (now: number): Condition => ({
  expression: '#status IN (:pending, :retry, :sending) AND gsi1sk <= :now',
  values: { ':pending': 'PENDING', ':retry': 'RETRY', ':now': dueSortKey(now, '~') },
});

export function sent({ attempts }: OutboxRow, now: number, retentionMs: number): Update {
  return {
    expression:
      'SET #status = :sent, sentAt = :at, updatedAt = :at, #ttl = :ttl, attempts = :attempts, version = version + :one REMOVE gsi1pk, gsi1sk, summary',
    names: { '#status': 'status', '#ttl': 'ttl' },
    values: {
      ':sent': 'SENT',
      ':at': toInstant(now),
      ':ttl': Math.floor((now + retentionMs) / 1_000),
      ':attempts': Math.max(attempts, 1),
      ':one': 1,
    },
  };
}

/** Due again. */
export function putBack(
  { id }: OutboxRow,
  {
    now,
    due,
    attempts,
    failure,
  }: {
    readonly now: number;
    readonly due: number;
    readonly attempts: number;
    readonly failure?: { readonly error: KeptError; readonly count: number };
  },
): Update {
  return {
    expression: `SET #status = :retry, gsi1sk = :due, attempts = :attempts, updatedAt = :at, version = version + :one${failure ? ', lastError = :error, failures = :failures' : ''}`,
    names: { '#status': 'status' },
    values: {
      ':retry': 'RETRY',
      ':due': dueSortKey(due, id),
      ':attempts': attempts,
      ':at': toInstant(now),
      ':one': 1,
      ...(failure ? { ':error': failure.error, ':failures': failure.count } : {}),
    },
  };
}

/** Listed among the dead letters. */
export function dead(
  row: OutboxRow,
  {
    deadAt,
    error,
    partition,
  }: { readonly deadAt: string; readonly error: KeptError; readonly partition: string },
): Update {
  const ref = row.payloadRef;
  return {
    expression: `SET #status = :dead, gsi1pk = :partition, gsi1sk = :sort, summary = :summary, attempts = :attempts, lastError = :error, deadAt = :at, updatedAt = :at, version = version + :one${ref ? ', payloadRef = :ref' : ''}`,
    names: { '#status': 'status' },
    values: {
      ':dead': 'DEAD',
      ':partition': partition,
      ':sort': `${deadAt}#${row.id}`,
      ':summary': deadSummary({
        ...row,
        source: 'outbox',
        deadAt,
        lastError: error,
        listenerGroup: undefined,
      }),
      ':attempts': row.attempts,
      ':error': error,
      ':at': deadAt,
      ':one': 1,
      ...(ref ? { ':ref': ref } : {}),
    },
  };
}

/** Due again under the same messageId, without attempts. */
export function requeued(
  row: OutboxRow,
  {
    now,
    partition,
    ref,
  }: { readonly now: number; readonly partition: string; readonly ref: PayloadRef | undefined },
): Update {
  return {
    expression: `SET #status = :pending, gsi1pk = :partition, gsi1sk = :due, summary = :summary, attempts = :zero, requeueCount = requeueCount + :one, version = version + :one, updatedAt = :at${ref ? ', payloadRef = :ref' : ''} REMOVE deadAt, failures`,
    names: { '#status': 'status' },
    values: {
      ':pending': 'PENDING',
      ':partition': partition,
      ':due': dueSortKey(now, row.id),
      ':summary': dueSummary(row),
      ':zero': 0,
      ':one': 1,
      ':at': toInstant(now),
      ...(ref ? { ':ref': ref } : {}),
    },
  };
}

export const hasVersion = (version: number): Condition => ({
  expression: 'version = :version',
  values: { ':version': version },
});

export const isDeadVersion = (version: number): Condition => ({
  expression: 'version = :version AND #status = :wanted',
  values: { ':version': version, ':wanted': 'DEAD' },
});
