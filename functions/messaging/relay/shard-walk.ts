import { CLAIM_MS, type DueRequest, type Outbox } from '../../../shared/messaging/outbox/outbox.ts';
import type { DueRef } from '../../../shared/messaging/outbox/outbox-row.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { RelayRepository } from '../store/relay-repository.ts';
import { KeyChains } from './key-chains.ts';
import type { RowSender } from './row-sender.ts';
import type { Tally } from './tally.ts';

export interface ShardWalkDependencies {
  readonly repository: RelayRepository;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
}

type StartKey = DueRequest['startKey'];

/** One way through what is due, from the oldest on. */
interface Round {
  /** Rows that the run had claimed before. */
  readonly claimed: number;
  readonly startKey?: StartKey;
}

const PAGES_PER_TURN = 10;
/** Fewest entries of the index read at once. */
const MIN_PAGE = 100;

/** What a run does in one shard. */
export class ShardWalk {
  readonly #deps: ShardWalkDependencies;
  readonly #rows: RowSender;
  readonly #tally: Tally;
  readonly #chains: KeyChains;
  readonly #lease: { readonly shard: number; readonly owner: string };
  readonly #pageSize: number;
  #round: Round | undefined;

  constructor(
    dependencies: ShardWalkDependencies,
    { rows, tally }: { readonly rows: RowSender; readonly tally: Tally },
    { batchSize, ...lease }: { shard: number; owner: string; batchSize: number },
  ) {
    this.#deps = dependencies;
    this.#rows = rows;
    this.#tally = tally;
    this.#lease = lease;
    this.#pageSize = Math.max(batchSize, MIN_PAGE);
    this.#chains = new KeyChains(rows, dependencies.outbox, dependencies.log);
  }

  /**
   * Goes on through everything that is due, past rows that cannot be sent, and yields to other shards now and then.
   * @returns whether there may be more to send.
   */
  async turn(isTimeUp: () => boolean): Promise<boolean> {
    const round = this.#round ?? { claimed: this.#tally.claimed };
    this.#round = undefined;
    let [hasLease, isEmpty] = [false, false];
    try {
      let { startKey } = round;
      for (let page = 0; (page === 0 || startKey) && !isTimeUp(); page += 1) {
        if (page === PAGES_PER_TURN) {
          this.#round = { ...round, startKey };
          break;
        }
        const { items, lastKey } = await this.#due(startKey);
        startKey = lastKey;
        isEmpty = items.length === 0;
        const refs = items.filter((ref) => !this.#rows.wasTried(ref));
        if (refs.length === 0) continue;
        hasLease = await this.#deps.repository.takeLease(this.#lease, 2 * CLAIM_MS);
        if (!hasLease) return false;
        faultPoint('relay.after-lease');
        await sendDue(refs, { rows: this.#rows, chains: this.#chains, isTimeUp });
      }
    } catch (cause) {
      const { shard } = this.#lease;
      this.#deps.log.error('A shard of the outbox could not be read; the others go on', {
        shard,
        cause,
      });
    }
    if (hasLease) await this.#giveLeaseBack();
    return this.#round !== undefined || (!isEmpty && this.#tally.claimed > round.claimed);
  }

  async #due(startKey: StartKey) {
    const page = { untilMs: this.#deps.clock.now(), limit: this.#pageSize, startKey };
    const found = await this.#deps.outbox.due(this.#lease.shard, page);
    faultPoint('relay.after-query');
    return found;
  }

  async #giveLeaseBack(): Promise<void> {
    try {
      await this.#deps.repository.giveLeaseBack(this.#lease);
    } catch (cause) {
      this.#deps.log.warn('A lease could not be given back; it ends by itself', { cause });
    }
  }
}

/** Sends rows: those of ordered keys in sequence, the others together. */
export async function sendDue(
  refs: readonly DueRef[],
  {
    rows,
    chains,
    isTimeUp,
  }: { readonly rows: RowSender; readonly chains: KeyChains; readonly isTimeUp: () => boolean },
): Promise<void> {
  const isOrdered = ({ summary }: DueRef) => summary?.orderedKey !== undefined;
  await rows.sendFree(
    refs.filter((ref) => !isOrdered(ref)),
    isTimeUp,
  );
  await chains.send(refs.filter(isOrdered), isTimeUp);
}
