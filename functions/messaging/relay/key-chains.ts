import type { Reached } from '../../../shared/messaging/outbox/key-order.ts';
import type { Outbox } from '../../../shared/messaging/outbox/outbox.ts';
import type { DueRef, OutboxRow } from '../../../shared/messaging/outbox/outbox-row.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { PARALLEL, type RowSender } from './row-sender.ts';

/** Entries of the index kept of rows that wait for their turn; later runs see those beyond. */
const MAX_HELD = 10_000;

interface Chain {
  /** Due rows that were not tried yet, by sequence number. */
  readonly held: Map<number, DueRef>;
  /** Sequence number that is next; unknown until a row of the key was read. */
  turn: number | undefined;
}

/**
 * Ordered keys of a shard during a run: sends the rows of each key in sequence, in whatever order the index shows
 * them. A key whose next row is not due, or fails, waits; the others go on.
 */
export class KeyChains {
  readonly #rows: RowSender;
  readonly #outbox: Outbox;
  readonly #log: Log;
  readonly #chains = new Map<string, Chain>();
  #heldCount = 0;

  constructor(rows: RowSender, outbox: Outbox, log: Log) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#log = log;
  }

  /** Takes further due rows and sends those whose turn it is. */
  async send(refs: readonly DueRef[], isTimeUp: () => boolean): Promise<void> {
    const chains = new Set(refs.flatMap((ref) => this.#hold(ref) ?? []));
    await mapLimited([...chains], PARALLEL, async (chain) => {
      for (let ref = this.#next(chain); ref && !isTimeUp(); ref = this.#next(chain)) {
        await this.#sendOne(chain, ref);
      }
    });
  }

  #hold(ref: DueRef): Chain | undefined {
    const { orderedKey = '', sequence = 0 } = ref.summary;
    const chain = this.#chains.get(orderedKey) ?? { held: new Map(), turn: undefined };
    this.#chains.set(orderedKey, chain);
    if (!chain.held.has(sequence)) {
      if (this.#heldCount >= MAX_HELD && chain.turn !== undefined && sequence > chain.turn) return;
      this.#heldCount += 1;
    }
    chain.held.set(sequence, ref);
    return chain;
  }

  /** The lowest row of a key, if it may be its turn. */
  #next({ held, turn }: Chain): DueRef | undefined {
    let lowest = Number.POSITIVE_INFINITY;
    for (const sequence of held.keys()) if (sequence < lowest) lowest = sequence;
    if (lowest > (turn ?? Number.MAX_SAFE_INTEGER)) return undefined;
    const ref = held.get(lowest);
    if (held.delete(lowest)) this.#heldCount -= 1;
    return ref;
  }

  async #sendOne(chain: Chain, ref: DueRef): Promise<void> {
    const row = await this.#rows.claim(ref);
    // Another one has it, or the index lags: the next may still be free.
    if (!row) return;
    const { sequence = 0 } = row;
    const reached = await this.#reached(row);
    chain.turn = reached.sequence + 1;
    if (sequence > chain.turn) {
      await this.#rows.giveBack(row);
      this.#hold(ref);
      return;
    }
    const passed = await this.#rows.send([{ ...row, reached }]);
    if (passed.has(row.id) && sequence === chain.turn) chain.turn += 1;
  }

  /** How far the key of a row has come; as long as that cannot be read, it is nobody's turn. */
  async #reached(row: OutboxRow): Promise<Reached> {
    try {
      return await this.#outbox.order.reached(row);
    } catch (cause) {
      const { topic, messageId } = row;
      this.#log.warn('The turn of a message cannot be read', { topic, messageId, cause });
      return { sequence: -1, after: {} };
    }
  }
}
