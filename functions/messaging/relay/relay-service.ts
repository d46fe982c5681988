import { randomUUID } from 'node:crypto';
import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { DueRef } from '../../../shared/messaging/outbox/outbox-row.ts';
import { requestContext } from '../../../shared/primitives/request-context.ts';
import { mayRun } from '../domain/relay-delay.ts';
import { shardOrder } from '../domain/shard-order.ts';
import type { DeadLetterRepository } from '../store/dead-letter-repository.ts';
import type { RelayRepository } from '../store/relay-repository.ts';
import { KeyChains } from './key-chains.ts';
import { RowSender, type RowSenderDependencies } from './row-sender.ts';
import { ShardWalk, sendDue } from './shard-walk.ts';
import { type RelayReport, Tally } from './tally.ts';

export interface RelayDependencies extends RowSenderDependencies {
  readonly repository: RelayRepository;
  readonly deadLetters: DeadLetterRepository;
  readonly config: PlatformConfig['mq']['relay'];
}

/** A run ends this long before the function's time-out. */
const RESERVE_MS = 10_000;
const DEFAULT_RUN_MS = 50_000;

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
    const { clock, config, outbox } = this.#deps;
    const startedAt = clock.now();
    const tally = new Tally();
    if (!mayRun(config.scheduleTrigger, await this.#lastFinishedAt(), startedAt)) return tally;
    const isTimeUp = this.#timeUp(startedAt);
    const rows = new RowSender(this.#deps, tally, config.batchSize);
    const lease = { owner: randomUUID(), batchSize: config.batchSize };
    const walks = shardOrder(outbox.keys.shards, Math.random()).map(
      (shard) => new ShardWalk(this.#deps, { rows, tally }, { shard, ...lease }),
    );
    // In turn, so that a shard that fills up again does not keep the others waiting.
    for (let walk = walks.shift(); walk && !isTimeUp(); walk = walks.shift()) {
      if (await walk.turn(isTimeUp)) walks.push(walk);
    }
    await this.#finish(startedAt, isTimeUp);
    return tally;
  }

  /** Sends specific rows if they are due: the new ones of the stream. */
  async sendNow(refs: readonly DueRef[]): Promise<RelayReport> {
    const { outbox, log, clock } = this.#deps;
    const tally = new Tally();
    const rows = new RowSender(this.#deps, tally);
    const isTimeUp = this.#timeUp(clock.now());
    await sendDue(refs, { rows, chains: new KeyChains(rows, outbox, log), isTimeUp });
    return tally;
  }

  async #lastFinishedAt(): Promise<number | undefined> {
    const { repository, config, log } = this.#deps;
    if (config.scheduleTrigger.triggerType !== 'FIXED_DELAY') return undefined;
    try {
      return await repository.lastFinishedAt();
    } catch (cause) {
      log.warn('The end of the last relay run cannot be read', { cause });
      return undefined;
    }
  }

  #timeUp(startedAt: number): () => boolean {
    const deadline = requestContext().deadline ?? startedAt + DEFAULT_RUN_MS + RESERVE_MS;
    return () => deadline - this.#deps.clock.now() < RESERVE_MS;
  }

  /** What was sent stays sent, whatever becomes of the notes about the run. */
  async #finish(startedAt: number, isTimeUp: () => boolean): Promise<void> {
    const { repository, log } = this.#deps;
    try {
      await repository.markFinished();
      await this.#report(startedAt, isTimeUp);
    } catch (cause) {
      log.error('The end of a relay run could not be noted', { cause });
    }
  }

  async #report(startedAt: number, isTimeUp: () => boolean): Promise<void> {
    const { repository, deadLetters, outbox, bodies, clock, metrics } = this.#deps;
    const shards = Array.from({ length: outbox.keys.shards }, (_, shard) => shard);
    const waiting = await Promise.all(shards.map((shard) => repository.pending(shard)));
    const oldest = waiting.flatMap(({ oldestCreatedAt }) => oldestCreatedAt ?? []).sort()[0];
    const now = clock.now();
    const oldestAgeMs = oldest === undefined ? 0 : Math.max(now - Date.parse(oldest), 0);
    metrics.outboxState(
      {
        pending: waiting.reduce((sum, { count }) => sum + count, 0),
        oldestAgeMs,
        dead: (await deadLetters.count()).value,
      },
      now - startedAt,
    );
    await bodies.renewAll(oldestAgeMs, isTimeUp);
  }
}
