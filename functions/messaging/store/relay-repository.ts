import type { OutboxKeys } from '../../../shared/messaging/outbox/outbox-row.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { ItemWriter } from '../../../shared/store/item-writer.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   lease of a shard              LOCK#messaging#relay#<shard> / LOCK
 *   end of the last relay run     LOCK#messaging#relay / LOCK
 *   what waits in a shard         query  gsi1: message#due#<shard>
 */
const leaseKey = (shard: number): Key => ({ pk: `LOCK#messaging#relay#${shard}`, sk: 'LOCK' });
const runKey: Key = { pk: 'LOCK#messaging#relay', sk: 'LOCK' };

/** A lease; only its holder may release it. */
export interface Lease {
  readonly shard: number;
  readonly owner: string;
}

type RunItem = Item & { readonly lastFinishedAt?: number };

/** Rows counted at most in a shard. */
const MAX_COUNTED = 1_000;

export interface RelayRepositoryDependencies {
  readonly table: Table;
  readonly writer: ItemWriter;
  readonly keys: OutboxKeys;
  readonly clock: Clock;
}

/** What runs of the relay share: leases, the end of the last run, and what waits. */
export class RelayRepository {
  readonly #table: Table;
  readonly #writer: ItemWriter;
  readonly #keys: OutboxKeys;
  readonly #clock: Clock;

  constructor({ table, writer, keys, clock }: RelayRepositoryDependencies) {
    this.#table = table;
    this.#writer = writer;
    this.#keys = keys;
    this.#clock = clock;
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

  /** Takes the lease of a shard for a time, when it is free, run out, or never was taken, or ends later than any can. */
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
          'attribute_not_exists(pk) OR attribute_not_exists(#owner) OR #owner = :owner OR expiresAt < :now OR expiresAt > :latest',
        values: { ':now': now, ':latest': now + 2 * lastsMs },
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
    return (await this.#table.get<RunItem>(runKey))?.lastFinishedAt;
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
}
