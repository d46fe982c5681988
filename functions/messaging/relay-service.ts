import { randomUUID } from 'node:crypto';
import type { PlatformConfig } from '../../shared/config/index.ts';
import { CLAIM_MS, type Outbox } from '../../shared/messaging/outbox/outbox.ts';
import type { DueRef, OutboxRow } from '../../shared/messaging/outbox/outbox-row.ts';
import type { MessageSender, SendOutcome } from '../../shared/messaging/outbox/sender.ts';
import type { MessagingMetrics } from '../../shared/messaging/wire/messaging-metrics.ts';
import type { OrderedTopics } from '../../shared/messaging/wire/topology.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import { faultPoint } from '../../shared/primitives/fault-point.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { mapLimited } from '../../shared/primitives/map-limited.ts';
import { requestContext, runInContext } from '../../shared/primitives/request-context.ts';
import { mayRun } from './domain/relay-schedule.ts';
import { planSendOrder, shardOrder } from './domain/send-order.ts';
import type { MessagingRepository } from './repository.ts';

export interface RelayDependencies {
  readonly repository: MessagingRepository;
  readonly outbox: Outbox;
  readonly sender: MessageSender;
  readonly orderedTopics: OrderedTopics;
  readonly metrics: MessagingMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: PlatformConfig['mq']['relay'];
}

/** Result of a run. */
export interface RelayReport {
  readonly sent: number;
  readonly retried: number;
  readonly dead: number;
}

/** Requests at the table at the same time. */
const PARALLEL = 16;
/** A run ends this long before the function's time-out. */
const RESERVE_MS = 10_000;
const DEFAULT_RUN_MS = 50_000;
/** Delay of an ordered message that is not next. */
const TURN_PAUSE_MS = 250;
const MAX_CHAIN_PAUSES = 20;

/** Sends rows that the publishers did not send or left to the relay. */
export class RelayService {
  readonly #deps: RelayDependencies;

  constructor(dependencies: RelayDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Sends the due rows of all shards until none is left or the time is up. Concurrent runs do not
   * conflict: each row is claimed, and a lease for each shard avoids duplicate work.
   */
  async run(): Promise<RelayReport> {
    const { repository, clock, config } = this.#deps;
    const startedAt = clock.now();
    const total = new Tally();
    if (!mayRun(config.scheduleTrigger, await this.#lastFinishedAt(), startedAt)) return total;
    const owner = randomUUID();
    for (const shard of shardOrder(this.#deps.outbox.keys.shards, Math.random())) {
      if (this.#isTimeUp(startedAt)) break;
      await this.#relayShard(shard, owner, startedAt, total);
    }
    await repository.markFinished();
    await this.#report(startedAt);
    return total;
  }

  /** Sends specific rows if they are due: the new ones of the stream. */
  async sendNow(refs: readonly DueRef[]): Promise<RelayReport> {
    const total = new Tally();
    await this.#sendAll(refs, total);
    return total;
  }

  async #relayShard(shard: number, owner: string, startedAt: number, total: Tally): Promise<void> {
    const { outbox, repository, config } = this.#deps;
    let refs = await outbox.due(shard, config.batchSize);
    if (refs.length === 0) return;
    while (refs.length > 0 && !this.#isTimeUp(startedAt)) {
      if (!(await repository.takeLease({ shard, owner }, 2 * CLAIM_MS))) return;
      faultPoint('relay.after-lease');
      const progress = await this.#sendAll(refs, total);
      if (progress === 0) break;
      refs = await outbox.due(shard, config.batchSize);
      faultPoint('relay.after-query');
    }
    await repository.giveLeaseBack({ shard, owner });
  }

  /** @returns how many rows were claimed. */
  async #sendAll(refs: readonly DueRef[], total: Tally): Promise<number> {
    const { free, chains } = planSendOrder(refs);
    const before = total.claimed;
    const rows = await mapLimited(free, PARALLEL, (ref) => this.#claim(ref, total));
    await this.#sendRows(
      rows.filter((row) => row !== undefined),
      total,
    );
    await mapLimited(chains, PARALLEL, (chain) => this.#sendChain(chain, total));
    return total.claimed - before;
  }

  async #claim({ pk, sk }: DueRef, total: Tally): Promise<OutboxRow | undefined> {
    const id = pk.slice(sk.length + 1);
    const row = await this.#deps.outbox.claim(id);
    faultPoint('relay.after-claim');
    if (row) total.claimed += 1;
    return row;
  }

  async #sendRows(rows: readonly OutboxRow[], total: Tally): Promise<void> {
    if (rows.length === 0) return;
    const outcomes = await this.#deps.sender.send(rows);
    faultPoint('relay.after-send');
    await mapLimited(rows, PARALLEL, async (row) => {
      await this.#settle(row, outcomes.get(row.id), total);
    });
    this.#deps.metrics.sent(total.takeSent(), total.takeFailed());
  }

  /** Sends rows of an ordered key in sequence; the first failure stops the rest. */
  async #sendChain(chain: readonly DueRef[], total: Tally): Promise<void> {
    for (const ref of chain) {
      const row = await this.#claim(ref, total);
      if (!row) return;
      const sent = await this.#deps.outbox.sentSequence(row.topic, row.key ?? '');
      const ahead = (row.sequence ?? 0) - 1 - sent;
      if (ahead > 0) {
        await this.#deps.outbox.settleWaiting(
          row,
          TURN_PAUSE_MS * Math.min(ahead, MAX_CHAIN_PAUSES),
        );
        total.claimed -= 1;
        return;
      }
      const before = total.passed;
      await this.#sendRows([row], total);
      if (total.passed === before) return;
    }
  }

  async #settle(row: OutboxRow, outcome: SendOutcome | undefined, total: Tally): Promise<void> {
    const { outbox } = this.#deps;
    faultPoint('relay.before-mark');
    if (outcome?.kind === 'sent') {
      if (await outbox.settleSent(row)) total.count('sent');
      return;
    }
    if (outcome === undefined || outcome.kind === 'later') {
      await outbox.settleLater(row);
      total.count('retried');
      return;
    }
    const movesOn = this.#deps.orderedTopics[row.topic]?.onDead !== 'block';
    const settled = await outbox.settleFailed(row, outcome.error, { movesOn });
    if (settled === 'RETRY') total.count('retried');
    if (settled === 'DEAD') this.#buried(row, outcome.error.code, total, movesOn);
  }

  #buried(row: OutboxRow, code: string, total: Tally, movesOn: boolean): void {
    total.count('dead', movesOn);
    const { topic, messageId, traceId, attempts } = row;
    runInContext({ traceId }, () =>
      this.#deps.log.error('A message could not be sent and is dead', {
        topic,
        messageId,
        attempts,
        code,
      }),
    );
  }

  async #lastFinishedAt(): Promise<number | undefined> {
    const isDelayed = this.#deps.config.scheduleTrigger.triggerType === 'FIXED_DELAY';
    return isDelayed ? this.#deps.repository.lastFinishedAt() : undefined;
  }

  #isTimeUp(startedAt: number): boolean {
    const now = this.#deps.clock.now();
    const deadline = requestContext().deadline ?? startedAt + DEFAULT_RUN_MS + RESERVE_MS;
    return deadline - now < RESERVE_MS;
  }

  async #report(startedAt: number): Promise<void> {
    const { repository, outbox, clock, metrics } = this.#deps;
    const shards = Array.from({ length: outbox.keys.shards }, (_, shard) => shard);
    const waiting = await Promise.all(shards.map((shard) => repository.pending(shard)));
    const oldest = waiting.flatMap(({ oldestCreatedAt }) => oldestCreatedAt ?? []).sort()[0];
    const now = clock.now();
    metrics.outboxState(
      {
        pending: waiting.reduce((sum, { count }) => sum + count, 0),
        oldestAgeMs: oldest === undefined ? 0 : Math.max(now - Date.parse(oldest), 0),
        dead: (await repository.countDead()).value,
      },
      now - startedAt,
    );
  }
}

class Tally implements RelayReport {
  sent = 0;
  retried = 0;
  dead = 0;
  claimed = 0;
  /** Rows that let the next of their key go on. */
  passed = 0;
  #newSent = 0;
  #newFailed = 0;

  count(what: 'sent' | 'retried' | 'dead', movesOn = what === 'sent'): void {
    this[what] += 1;
    if (movesOn) this.passed += 1;
    if (what === 'sent') this.#newSent += 1;
    else this.#newFailed += 1;
  }

  takeSent(): number {
    const count = this.#newSent;
    this.#newSent = 0;
    return count;
  }

  takeFailed(): number {
    const count = this.#newFailed;
    this.#newFailed = 0;
    return count;
  }
}
