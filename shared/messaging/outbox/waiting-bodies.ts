import type { Clock } from '../../primitives/clock.ts';
import type { Log } from '../../primitives/log.ts';
import { mapLimited } from '../../primitives/map-limited.ts';
import { type TimeLimit, timeLimit, within } from '../../primitives/time-limit.ts';
import type { ItemWriter } from '../../store/item-writer.ts';
import type { PayloadRef, PayloadStore } from '../wire/payload-store.ts';
import type { Outbox } from './outbox.ts';
import { type OutboxRow, rowIdOf } from './outbox-row.ts';

export interface WaitingBodiesDependencies {
  readonly outbox: Outbox;
  readonly payloads: PayloadStore;
  readonly writer: ItemWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** How long copies may take that something waits for (ms). */
  readonly copyingMs?: number | undefined;
}

const DAY_MS = 86_400_000;
/** The bucket forgets a body after 30 days; one that waits is copied long before. */
const RENEWED_AFTER_MS = 10 * DAY_MS;
/** A message that is sent lives on for up to 28 days, in its queue and in its dead-letter queue. */
const SENT_WITHIN_MS = DAY_MS;
const CHECKED_AGAIN_MS = DAY_MS;
const ROUND_MS = 3_600_000;
const PAGE = 1_000;
const COPYING_MS = 3_000;
const PARALLEL = 16;
/** The last instant of the due index. */
const LAST_DUE_MS = 999_999_999_999_999;

/** Large bodies of rows that wait for long: they must not expire before their rows are sent and processed. */
export class WaitingBodies {
  readonly #deps: WaitingBodiesDependencies;
  readonly #checked = new Map<string, number>();
  #nextRound = 0;

  constructor(dependencies: WaitingBodiesDependencies) {
    this.#deps = dependencies;
  }

  /** Copies the bodies of all rows that have waited for more than 10 days; at most once an hour. */
  async renewAll(oldestAgeMs: number, isTimeUp: () => boolean): Promise<void> {
    const { outbox, clock } = this.#deps;
    const now = clock.now();
    if (oldestAgeMs < RENEWED_AFTER_MS || now < this.#nextRound) return;
    for (let shard = 0; shard < outbox.keys.shards && !isTimeUp(); shard += 1) {
      await this.#renewShard(shard, isTimeUp);
    }
    if (!isTimeUp()) this.#nextRound = now + ROUND_MS;
  }

  /**
   * The rows with bodies that last long enough for their receivers. One that cannot be copied now stays as it is, and the
   * other rows do not wait for it: when it is gone, its receivers list the message.
   */
  async forSending<R extends OutboxRow>(rows: readonly R[]): Promise<readonly R[]> {
    const limit = this.#copyingTime();
    const lasting = await mapLimited(rows, PARALLEL, (row) =>
      this.#tryRenew(row, SENT_WITHIN_MS, limit.signal),
    );
    limit.end();
    return lasting;
  }

  async #renewShard(shard: number, isTimeUp: () => boolean): Promise<void> {
    const { outbox, clock } = this.#deps;
    const now = clock.now();
    let startKey: Readonly<Record<string, unknown>> | undefined;
    do {
      const page = await outbox.due(shard, {
        untilMs: LAST_DUE_MS,
        limit: PAGE,
        ...(startKey ? { startKey } : {}),
      });
      for (const ref of page.items) {
        const id = rowIdOf(ref);
        const isOld = now - Date.parse(ref.summary.createdAt) >= RENEWED_AFTER_MS;
        const isDue = now - (this.#checked.get(id) ?? 0) >= CHECKED_AGAIN_MS;
        if (!isOld || !isDue || isTimeUp()) continue;
        await this.#renewOne(id);
        this.#checked.set(id, now);
      }
      startKey = page.lastKey;
    } while (startKey && !isTimeUp());
  }

  async #renewOne(id: string): Promise<void> {
    const row = await this.#deps.outbox.find(id);
    if (!row) return;
    const limit = this.#copyingTime();
    await this.#tryRenew(row, RENEWED_AFTER_MS, limit.signal);
    limit.end();
  }

  #copyingTime(): TimeLimit {
    return timeLimit(this.#deps.copyingMs ?? COPYING_MS);
  }

  async #tryRenew<R extends OutboxRow>(row: R, maxAgeMs: number, signal: AbortSignal): Promise<R> {
    try {
      return await this.#renew(row, maxAgeMs, signal);
    } catch (cause) {
      const { topic, messageId } = row;
      this.#deps.log.warn('The large body of a message that waits could not be copied', {
        ...{ topic, messageId },
        cause,
      });
      return row;
    }
  }

  async #renew<R extends OutboxRow>(row: R, maxAgeMs: number, signal: AbortSignal): Promise<R> {
    const { outbox, payloads, writer, clock } = this.#deps;
    const { payloadRef: ref } = row;
    const now = clock.now();
    if (!ref || now - storedAt(ref, row) < maxAgeMs) return row;
    const copyId = `${row.id}.${now}`;
    const payloadRef = await within(signal, () => payloads.release(ref, copyId, now));
    const isOurs = await writer.mark(
      outbox.keys.row(row.id),
      { expression: 'SET payloadRef = :ref', values: { ':ref': payloadRef } },
      { expression: 'version = :version', values: { ':version': row.version } },
    );
    return isOurs ? { ...row, payloadRef } : row;
  }
}

/** A copy has the instant in its name; the first body is as old as its row. */
function storedAt({ key }: PayloadRef, { createdAt }: OutboxRow): number {
  const copied = /\.(\d{13})$/.exec(key)?.[1];
  return copied === undefined ? Date.parse(createdAt) : Number(copied);
}
