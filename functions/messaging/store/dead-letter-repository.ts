import type { OutboxKeys } from '../../../shared/messaging/outbox/outbox-row.ts';
import { type DeadLetterSummary, summaryText } from '../../../shared/messaging/wire/dead-letter.ts';
import type { PayloadRef } from '../../../shared/messaging/wire/payload-store.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Condition, Item, Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';

/*
 * Access patterns (messages and tracking: shared/messaging/outbox/outbox-row.ts, consuming/tracking-row.ts)
 *   dead letters, newest first    query  gsi1: message#dead / <deadAt>#<id>, reverse
 */

/** What a list of dead letters may be narrowed to. */
export interface DeadLetterFilter {
  readonly topic?: string | undefined;
  readonly group?: string | undefined;
  readonly source?: 'outbox' | 'consumer' | undefined;
  readonly key?: string | undefined;
  readonly messageId?: string | undefined;
  /** Died at or after this instant. */
  readonly from?: string | undefined;
  /** Died before this instant. */
  readonly to?: string | undefined;
}

/** Who discards a dead letter, when (epoch ms) and why. */
export interface Discard {
  readonly by: string;
  /** Issuer of the token of `by`. */
  readonly issuer?: string;
  readonly reason?: string | undefined;
  readonly now: number;
  /** New location of the body. */
  readonly payloadRef?: PayloadRef | undefined;
}

type DeadItem = Item & { readonly summary: DeadLetterSummary };

/** Entries counted at most for a total. */
const MAX_COUNTED = 1_000;

/** Before and after every instant. */
const EARLIEST = '0';
const LATEST = '~';

const DISCARDED_SECONDS = 30 * 24 * 3_600;

const isDead = {
  expression: '#status = :wanted',
  names: { '#status': 'status' },
  values: { ':wanted': 'DEAD' },
};

/** The list of dead letters, of both sides, and what becomes of them. */
export class DeadLetterRepository {
  readonly #table: Table;
  readonly #keys: OutboxKeys;

  constructor({ table, keys }: { readonly table: Table; readonly keys: OutboxKeys }) {
    this.#table = table;
    this.#keys = keys;
  }

  async list(filter: DeadLetterFilter, page: PageRequest): Promise<ReadPage<DeadLetterSummary>> {
    const query = {
      index: 'gsi1' as const,
      partition: this.#keys.deadPartition,
      between: { from: filter.from ?? EARLIEST, to: filter.to ?? LATEST },
      reverse: true,
      ...narrow(filter),
    };
    const identity = ['dead-letters', filter, page.size];
    const found = await readPage<DeadItem>(this.#table, query, page, identity);
    return { ...found, content: found.content.map(({ summary }) => summary) };
  }

  /** Number of dead letters; counting stops at 1000. */
  async count(): Promise<{ readonly value: number; readonly relation: 'eq' | 'gte' }> {
    const { items, lastKey } = await this.#table.query({
      index: 'gsi1',
      partition: this.#keys.deadPartition,
      limit: MAX_COUNTED,
    });
    return { value: items.length, relation: lastKey ? 'gte' : 'eq' };
  }

  /** Keeps a dead letter for 30 days more, off the list. */
  stageDiscard(
    unit: UnitOfWork,
    { pk, sk }: Key,
    { by, issuer = '', reason = '', now, payloadRef }: Discard,
    otherwise: () => Error,
  ): void {
    const update = {
      expression: `SET #status = :discarded, discardedBy = :by, discardedByIssuer = :issuer, discardReason = :reason, updatedAt = :at, #ttl = :ttl${payloadRef ? ', payloadRef = :ref' : ''} REMOVE gsi1pk, gsi1sk, summary`,
      names: { '#status': 'status', '#ttl': 'ttl' },
      values: {
        ':discarded': 'DISCARDED',
        ':by': by,
        ':issuer': issuer,
        ':reason': reason,
        ':at': toInstant(now),
        ':ttl': Math.floor(now / 1_000) + DISCARDED_SECONDS,
        ...(payloadRef ? { ':ref': payloadRef } : {}),
      },
    };
    unit.update({ pk, sk }, update, { condition: isDead, otherwise });
  }

  /** Makes a dead message consumable again by its group, with attempts reset. */
  stageTakenAgain(
    unit: UnitOfWork,
    { pk, sk }: Key,
    { now, ttl }: { readonly now: number; readonly ttl: number },
    otherwise: () => Error,
  ): void {
    const update = {
      expression:
        'SET #status = :failed, attempts = :zero, requeueCount = if_not_exists(requeueCount, :zero) + :one, updatedAt = :at, #ttl = :ttl REMOVE gsi1pk, gsi1sk, summary, envelope, payloadRef, deadAt',
      names: { '#status': 'status', '#ttl': 'ttl' },
      values: { ':failed': 'FAILED', ':zero': 0, ':one': 1, ':at': toInstant(now), ':ttl': ttl },
    };
    unit.update({ pk, sk }, update, { condition: isDead, otherwise });
  }
}

function narrow(filter: DeadLetterFilter): { filter?: Condition } {
  const wanted = (['topic', 'group', 'source', 'key', 'messageId'] as const).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (wanted.length === 0) return {};
  return {
    filter: {
      expression: wanted.map(({ name }) => `#summary.#${name} = :${name}`).join(' AND '),
      names: {
        '#summary': 'summary',
        ...Object.fromEntries(wanted.map(({ name }) => [`#${name}`, name])),
      },
      values: Object.fromEntries(wanted.map(({ name, value }) => [`:${name}`, summaryText(value)])),
    },
  };
}
