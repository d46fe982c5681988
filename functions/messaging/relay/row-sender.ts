import type { SendableRow } from '../../../shared/messaging/outbox/key-order.ts';
import type { Outbox } from '../../../shared/messaging/outbox/outbox.ts';
import {
  type DueRef,
  dueMsOf,
  type OutboxRow,
  rowIdOf,
} from '../../../shared/messaging/outbox/outbox-row.ts';
import type { MessageSender, SendOutcome } from '../../../shared/messaging/outbox/sender.ts';
import type { WaitingBodies } from '../../../shared/messaging/outbox/waiting-bodies.ts';
import type { MessagingMetrics } from '../../../shared/messaging/wire/messaging-metrics.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { runInContext } from '../../../shared/primitives/request-context.ts';
import { timeLimit } from '../../../shared/primitives/time-limit.ts';
import type { Tally } from './tally.ts';

export interface RowSenderDependencies {
  readonly outbox: Outbox;
  readonly sender: MessageSender;
  readonly bodies: WaitingBodies;
  readonly metrics: MessagingMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Requests at the table at the same time. */
export const PARALLEL = 16;
/** A run waits so long for the broker; a claim with less time left than this is not used. */
const SEND_MS = 5_000;
/** Most rows claimed at once: ten requests of ten events, which the sender sends side by side. */
const MAX_ROWS = 100;
/** About as many bytes of rows are held at once, whatever their number. */
const MAX_BYTES = 8 * 1_024 * 1_024;

/**
 * Claims rows, sends them and stores what became of them. What goes wrong with one row is logged and concerns that row
 * only: it stays due, or becomes so when its claim ends.
 */
export class RowSender {
  readonly #deps: RowSenderDependencies;
  readonly #tally: Tally;
  readonly #batchSize: number;
  readonly #tried = new Set<string>();

  constructor(dependencies: RowSenderDependencies, tally: Tally, batchSize = MAX_ROWS) {
    this.#deps = dependencies;
    this.#tally = tally;
    this.#batchSize = Math.min(batchSize, MAX_ROWS);
  }

  /** Sends rows without an order, no more of them at once than memory and a claim allow. */
  async sendFree(refs: readonly DueRef[], isTimeUp: () => boolean): Promise<void> {
    const waiting = refs.values();
    for (let isDone = false; !isDone && !isTimeUp(); ) {
      const batch = await this.#claimSome(waiting);
      await this.send(batch.rows);
      isDone = batch.isLast;
    }
  }

  /** Whether this state of a row was tried before: the index may show it for a while longer. */
  wasTried({ gsi1sk }: DueRef): boolean {
    return this.#tried.has(gsi1sk);
  }

  /** Claims a row; `undefined` when another has it, when it is settled, or when the table refuses. */
  async claim(ref: DueRef): Promise<OutboxRow | undefined> {
    const id = rowIdOf(ref);
    this.#tried.add(ref.gsi1sk);
    try {
      const row = await this.#deps.outbox.claim(id);
      faultPoint('relay.after-claim');
      if (row) this.#tally.claimed += 1;
      return row;
    } catch (cause) {
      this.#deps.log.warn('A message could not be claimed; it stays due', { id, cause });
      return undefined;
    }
  }

  /** Sends claimed rows. @returns ids of those after which the next of their key may go. */
  async send(rows: readonly SendableRow[]): Promise<ReadonlySet<string>> {
    const passed = new Set<string>();
    const lasting = await this.#deps.bodies.forSending(await this.#stillOurs(rows));
    const ours = await this.#stillOurs(lasting);
    if (ours.length === 0) return passed;
    const limit = timeLimit(SEND_MS);
    const outcomes = await this.#deps.sender.send(ours, limit.signal);
    limit.end();
    faultPoint('relay.after-send');
    await mapLimited(ours, PARALLEL, async (row) => {
      if (await this.#settle(row, outcomes.get(row.id))) passed.add(row.id);
    });
    this.#deps.metrics.sent(...this.#tally.take());
    return passed;
  }

  /** The rows whose claims last for a send; the others are given back. */
  async #stillOurs(rows: readonly SendableRow[]): Promise<readonly SendableRow[]> {
    const now = this.#deps.clock.now();
    const isOurs = (row: SendableRow) => dueMsOf(String(row.gsi1sk)) - now > SEND_MS;
    const late = rows.filter((row) => !isOurs(row));
    await mapLimited(late, PARALLEL, (row) => this.giveBack(row));
    return rows.filter(isOurs);
  }

  /** Makes a claimed row due again that is not sent now; its attempt does not count. */
  async giveBack(row: OutboxRow): Promise<void> {
    this.#tally.claimed -= 1;
    await this.#guard(row, () => this.#deps.outbox.giveBack(row));
  }

  async #claimSome(
    waiting: Iterator<DueRef, undefined>,
  ): Promise<{ rows: OutboxRow[]; isLast: boolean }> {
    const rows: OutboxRow[] = [];
    let [tried, bytes, isLast] = [0, 0, false];
    const worker = async (): Promise<void> => {
      while (tried < this.#batchSize && bytes < MAX_BYTES) {
        const next = waiting.next();
        isLast = next.done === true;
        if (next.done) return;
        tried += 1;
        const row = await this.claim(next.value);
        if (!row) continue;
        rows.push(row);
        bytes += (row.raw ?? row.payload ?? '').length;
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    return { rows, isLast };
  }

  /** @returns whether the next of its key may go. */
  async #settle(row: SendableRow, outcome: SendOutcome | undefined): Promise<boolean> {
    faultPoint('relay.before-mark');
    return (await this.#guard(row, () => this.#mark(row, outcome))) ?? false;
  }

  async #mark(row: SendableRow, outcome: SendOutcome | undefined): Promise<boolean> {
    const { outbox } = this.#deps;
    if (outcome?.kind === 'sent') {
      const isMarked = await outbox.settleSent(row);
      if (isMarked) this.#tally.count('sent');
      return isMarked;
    }
    if (outcome === undefined || outcome.kind === 'later') {
      await outbox.settleLater(row);
      this.#tally.count('retried');
      return false;
    }
    const settled = await outbox.settleFailed(row, outcome.error);
    if (settled === 'RETRY') this.#tally.count('retried');
    if (settled === 'DEAD') this.#buried(row, outcome.error.code);
    return settled === 'DEAD' && outbox.order.passesDead(row);
  }

  #buried({ topic, messageId, traceId, attempts }: OutboxRow, code: string): void {
    this.#tally.count('dead');
    runInContext({ traceId }, () =>
      this.#deps.log.error('A message could not be sent and has become a dead letter', {
        topic,
        messageId,
        attempts,
        code,
      }),
    );
  }

  async #guard<T>(row: OutboxRow, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (cause) {
      const { topic, messageId } = row;
      this.#deps.log.error('A message could not be marked; it is due again when its claim ends', {
        topic,
        messageId,
        cause,
      });
      return undefined;
    }
  }
}
