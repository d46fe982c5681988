import type { OutboxKeys } from '../../shared/messaging/outbox/outbox-row.ts';
import { type DeadLetterSummary, summaryText } from '../../shared/messaging/wire/dead-letter.ts';
import type { PayloadRef } from '../../shared/messaging/wire/payload-store.ts';
import { type Clock, toInstant } from '../../shared/primitives/clock.ts';
import type { ItemWriter } from '../../shared/store/item-writer.ts';
import { type PageRequest, type ReadPage, readPage } from '../../shared/store/paged-read.ts';
import type { Condition, Item, Key, Table } from '../../shared/store/table.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';

/*
 * Access patterns (messages and tracking: shared/messaging/outbox/outbox-row.ts, tracking.ts)
 *   dead letters, newest first    query  gsi1: message#dead / <deadAt>#<id>, reverse
 *   lease of a shard              LOCK#messaging#relay#<shard> / LOCK
 *   end of the last relay run     LOCK#messaging#relay / LOCK
 *   layout of stored messages     message#layout / layout
 */
const leaseKey = (shard: number): Key => ({ pk: `LOCK#messaging#relay#${shard}`, sk: 'LOCK' });
const runKey: Key = { pk: 'LOCK#messaging#relay', sk: 'LOCK' };
const layoutKey = (messageTable: string): Key => ({ pk: `${messageTable}#layout`, sk: 'layout' });

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

/** A lease; only its holder may release it. */
export interface Lease {
  readonly shard: number;
  readonly owner: string;
}

type DeadItem = Item & { readonly summary: DeadLetterSummary };
type LeaseItem = Item & { readonly owner?: string; readonly lastFinishedAt?: number };
type LayoutItem = Item & { readonly layout: number };

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

/** Dead letters, leases of the relay and the layout of what is stored. */
export class MessagingRepository {
  readonly #table: Table;
  readonly #writer: ItemWriter;
  readonly #keys: OutboxKeys;
  readonly #clock: Clock;
  readonly #messageTable: string;

  constructor(dependencies: {
    readonly table: Table;
    readonly writer: ItemWriter;
    readonly keys: OutboxKeys;
    readonly clock: Clock;
    readonly messageTable: string;
  }) {
    this.#table = dependencies.table;
    this.#writer = dependencies.writer;
    this.#keys = dependencies.keys;
    this.#clock = dependencies.clock;
    this.#messageTable = dependencies.messageTable;
  }

  async deadLetters(
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<ReadPage<DeadLetterSummary>> {
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
  async countDead(): Promise<{ readonly value: number; readonly relation: 'eq' | 'gte' }> {
    return this.#count(this.#keys.deadPartition);
  }

  /** What waits in a shard: how many, and since when the oldest. */
  async pending(
    shard: number,
  ): Promise<{ readonly count: number; readonly oldestCreatedAt: string | undefined }> {
    const { items } = await this.#table.query<Item>({
      index: 'gsi1',
      partition: this.#keys.duePartition(shard),
      limit: MAX_COUNTED,
    });
    const created = items.map(({ summary }) => String(summary?.createdAt)).sort();
    return { count: items.length, oldestCreatedAt: created[0] };
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

  /** Takes the lease of a shard for a time, when it is free, run out, or never was taken. */
  async takeLease({ shard, owner }: Lease, lastsMs: number): Promise<boolean> {
    const now = this.#clock.now();
    return this.#writer.mark(
      leaseKey(shard),
      {
        expression:
          'SET #type = :type, #owner = :owner, expiresAt = :until, fence = if_not_exists(fence, :zero) + :one',
        names: { '#type': 'type', '#owner': 'owner' },
        values: {
          ':type': 'LOCK',
          ':owner': owner,
          ':until': now + lastsMs,
          ':zero': 0,
          ':one': 1,
        },
      },
      {
        expression:
          'attribute_not_exists(pk) OR attribute_not_exists(#owner) OR #owner = :owner OR expiresAt < :now',
        values: { ':now': now },
      },
    );
  }

  async giveLeaseBack({ shard, owner }: Lease): Promise<void> {
    await this.#writer.mark(
      leaseKey(shard),
      {
        expression: 'SET lastFinishedAt = :now REMOVE #owner',
        names: { '#owner': 'owner' },
        values: { ':now': this.#clock.now() },
      },
      { expression: '#owner = :owner', values: { ':owner': owner } },
    );
  }

  /** When the relay finished last (epoch ms). */
  async lastFinishedAt(): Promise<number | undefined> {
    return (await this.#table.get<LeaseItem>(runKey))?.lastFinishedAt;
  }

  async markFinished(): Promise<void> {
    await this.#writer.mark(
      runKey,
      {
        expression: 'SET #type = :type, lastFinishedAt = :now',
        names: { '#type': 'type' },
        values: { ':type': 'LOCK', ':now': this.#clock.now() },
      },
      {
        expression: 'attribute_not_exists(lastFinishedAt) OR lastFinishedAt <= :now',
      },
    );
  }

  async layout(): Promise<number | undefined> {
    return (await this.#table.get<LayoutItem>(layoutKey(this.#messageTable)))?.layout;
  }

  /** Says which layout the stored messages have; an older one is replaced, a newer one stays. */
  async markLayout(layout: number): Promise<void> {
    await this.#writer.put(
      {
        ...layoutKey(this.#messageTable),
        type: 'message',
        layout,
        updatedAt: toInstant(this.#clock.now()),
      },
      {
        expression: 'attribute_not_exists(pk) OR layout < :layout',
        values: { ':layout': layout },
      },
    );
  }

  async #count(partition: string) {
    const { items, lastKey } = await this.#table.query({
      index: 'gsi1',
      partition,
      limit: MAX_COUNTED,
    });
    return { value: items.length, relation: lastKey ? ('gte' as const) : ('eq' as const) };
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
