import { type Clock, toInstant } from '../../primitives/clock.ts';
import type { ItemWriter } from '../../store/item-writer.ts';
import type { QueryPage, Table, Update } from '../../store/table.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../store/unit-of-work.ts';
import type { KeptError } from '../wire/messaging-error.ts';
import { isBodyMissing, type PayloadStore } from '../wire/payload-store.ts';
import type { OrderedTopics } from '../wire/topology.ts';
import { pauseMs, throttledPauseMs } from './backoff.ts';
import { KeyOrder, type SendableRow } from './key-order.ts';
import type { Lanes } from './lanes.ts';
import {
  type DueRef,
  dueSortKey,
  type OutboxDraft,
  type OutboxKeys,
  type OutboxRow,
  toRow,
} from './outbox-row.ts';
import * as updates from './row-updates.ts';

export interface OutboxDependencies {
  readonly table: Table;
  readonly writer: ItemWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly payloads: PayloadStore;
  readonly clock: Clock;
  readonly keys: OutboxKeys;
  readonly lanes: Lanes;
  readonly orderedTopics: OrderedTopics;
  readonly sentRetentionMs: number;
  readonly maxRetries: number;
  readonly maxRetryDelayMs: number;
  /** From 0 to 1; injected, so that tests decide. */
  readonly random: () => number;
}

/** Lifetime of a claim on a row. */
export const CLAIM_MS = 15_000;

/** Further attempts of a row that is dead but for its body, which cannot be copied. */
const MAX_BODY_RETRIES = 3;

interface PutBack {
  readonly attempts: number;
  /** In ms. */
  readonly pause: number;
  readonly failure?: { readonly error: KeptError; readonly count: number };
}

/** Which due rows to read. */
export interface DueRequest {
  /** Due at this instant or before (epoch ms). */
  readonly untilMs: number;
  readonly limit: number;
  readonly startKey?: QueryPage<DueRef>['lastKey'];
}

/** The stored outbox: writes messages, claims them for sending and stores the result. */
export class Outbox {
  /** The order of keys. */
  readonly order: KeyOrder;
  readonly #deps: OutboxDependencies;

  constructor(dependencies: OutboxDependencies) {
    this.#deps = dependencies;
    this.order = new KeyOrder(dependencies);
  }

  get keys(): OutboxKeys {
    return this.#deps.keys;
  }

  /** The row of a new message. */
  draw(draft: OutboxDraft): OutboxRow {
    return toRow(draft, this.#deps.keys);
  }

  /** Adds a message to a unit of work. @returns its row */
  stage(unit: UnitOfWork, draft: OutboxDraft): OutboxRow {
    const row = this.draw(draft);
    unit.add(row);
    return row;
  }

  find(id: string): Promise<OutboxRow | undefined> {
    return this.#deps.table.get<OutboxRow>(this.#deps.keys.row(id));
  }

  /** A page of a shard's rows that are due, oldest first. */
  due(shard: number, { untilMs, limit, startKey }: DueRequest): Promise<QueryPage<DueRef>> {
    return this.#deps.table.query<DueRef>({
      index: 'gsi1',
      partition: this.#deps.keys.duePartition(shard),
      between: { from: '0', to: dueSortKey(untilMs, '~') },
      limit,
      ...(startKey ? { startKey } : {}),
    });
  }

  /** Claims a due row for sending; `undefined` when it is claimed or settled. The index may lag, the row does not. */
  claim(id: string): Promise<OutboxRow | undefined> {
    const now = this.#deps.clock.now();
    return this.#deps.writer.update<OutboxRow>(
      this.#deps.keys.row(id),
      updates.claimed(id, { now, until: now + CLAIM_MS }),
      updates.isDue(now),
    );
  }

  /** Marks a row as sent; for an ordered one its key moves on in the same transaction. */
  async settleSent(row: SendableRow): Promise<boolean> {
    const { clock, sentRetentionMs } = this.#deps;
    const update = updates.sent(row, clock.now(), sentRetentionMs);
    if (row.sequence === undefined || row.group !== undefined) return this.#settle(row, update);
    const { sequence } = row.reached ?? (await this.order.reached(row));
    if (sequence + 1 !== row.sequence) return this.#settle(row, update);
    return this.#settleInOrder(row, update, (unit, otherwise) =>
      this.order.stageMove(unit, row, { wasSent: true, otherwise }),
    );
  }

  /** Puts a row back after a failed send, or makes it a dead letter when that was the last one. */
  async settleFailed(row: SendableRow, error: KeptError): Promise<'RETRY' | 'DEAD' | 'LOST'> {
    const attempts = Math.max(row.attempts, 1);
    const count = (row.failures ?? 0) + 1;
    const body = count > this.#deps.maxRetries && (await this.#keepBody(row, count));
    if (body) {
      const isDead = await this.#settleDead({ ...row, attempts, ...body }, error);
      return isDead ? 'DEAD' : 'LOST';
    }
    const pause = pauseMs(count, this.#deps.maxRetryDelayMs, this.#deps.random());
    const failure = { error, count };
    return (await this.#putBack(row, { attempts, pause, failure })) ? 'RETRY' : 'LOST';
  }

  /** Makes a throttled row due again; the send does not count as an attempt. */
  settleLater(row: OutboxRow): Promise<boolean> {
    const pause = throttledPauseMs(this.#deps.maxRetryDelayMs, this.#deps.random());
    return this.#putBack(row, { attempts: Math.max(row.attempts - 1, 0), pause });
  }

  /** Gives a claim back that was not used: the row is due again, and it does not count as an attempt. */
  giveBack(row: OutboxRow): Promise<boolean> {
    return this.#putBack(row, { attempts: Math.max(row.attempts - 1, 0), pause: 0 });
  }

  #putBack(row: OutboxRow, { pause, ...rest }: PutBack): Promise<boolean> {
    const now = this.#deps.clock.now();
    return this.#settle(row, updates.putBack(row, { now, due: now + pause, ...rest }));
  }

  /**
   * Copies the body of a dying row to where nothing expires. A body that is gone, or cannot be copied in several tries,
   * does not keep the row from being listed.
   * @returns `undefined`: try again.
   */
  async #keepBody(
    { id, payloadRef, requeueCount }: OutboxRow,
    failures: number,
  ): Promise<Pick<OutboxRow, 'payloadRef'> | undefined> {
    if (!payloadRef) return {};
    try {
      return {
        payloadRef: await this.#deps.payloads.keepForDead(payloadRef, { id, requeueCount }),
      };
    } catch (cause) {
      const isLast = failures > this.#deps.maxRetries + MAX_BODY_RETRIES;
      return isLast || isBodyMissing(cause) ? { payloadRef } : undefined;
    }
  }

  async #settleDead(row: SendableRow, error: KeptError): Promise<boolean> {
    const deadAt = toInstant(this.#deps.clock.now());
    const update = updates.dead(row, { deadAt, error, partition: this.#deps.keys.deadPartition });
    if (row.sequence === undefined || !this.order.passesDead(row)) return this.#settle(row, update);
    return this.#settleInOrder(row, update, (unit, otherwise) =>
      this.order.stagePassed(unit, row, otherwise),
    );
  }

  /** Makes a dead letter due again: same messageId, no attempts. @param guard error when it is not dead any more */
  stageRequeue(unit: UnitOfWork, row: OutboxRow, guard: () => Error, ref = row.payloadRef): void {
    const { keys, clock } = this.#deps;
    const partition = keys.duePartition(keys.shardOf(row));
    unit.update(keys.row(row.id), updates.requeued(row, { now: clock.now(), partition, ref }), {
      condition: updates.isDeadVersion(row.version),
      otherwise: guard,
    });
  }

  #settle(row: OutboxRow, update: Update): Promise<boolean> {
    return this.#deps.writer.mark(
      this.#deps.keys.row(row.id),
      update,
      updates.hasVersion(row.version),
    );
  }

  /** Settles a row and lets its key go on; a message that is requeued after later ones were sent does not move it. */
  async #settleInOrder(
    row: SendableRow,
    update: Update,
    stageOrder: (unit: UnitOfWork, otherwise: () => Error) => Promise<void> | void,
  ): Promise<boolean> {
    const lost = new Error('The row was settled by another');
    try {
      await this.#deps.unitOfWork(async (unit) => {
        unit.update(this.#deps.keys.row(row.id), update, {
          condition: updates.hasVersion(row.version),
          otherwise: () => lost,
        });
        await stageOrder(unit, () => lost);
      });
      return true;
    } catch (cause) {
      if (cause === lost) return false;
      throw cause;
    }
  }
}
