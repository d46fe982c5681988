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
  /** How far the key has come; unknown until a row of it was read. */
  reached: number | undefined;
}

/**
 * Ordered keys of a shard during a run: sends the rows of each key in sequence, in whatever order the index shows
 * them. A key whose next row is not due, or fails, waits; the others go on. Rows that wait for one group are a key of
 * their own.
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
    const chain = this.#chains.get(orderedKey) ?? { held: new Map(), reached: undefined };
    this.#chains.set(orderedKey, chain);
    if (!chain.held.has(sequence)) {
      const isEarly = chain.reached !== undefined && placeBefore(ref.summary) > chain.reached;
      if (this.#heldCount >= MAX_HELD && isEarly) return;
      this.#heldCount += 1;
    }
    chain.held.set(sequence, ref);
    return chain;
  }

  /** The lowest row of a key, if it may be its turn. */
  #next({ held, reached = Number.POSITIVE_INFINITY }: Chain): DueRef | undefined {
    let lowest = Number.POSITIVE_INFINITY;
    for (const sequence of held.keys()) if (sequence < lowest) lowest = sequence;
    const ref = held.get(lowest);
    if (!ref || placeBefore(ref.summary) > reached) return undefined;
    held.delete(lowest);
    this.#heldCount -= 1;
    return ref;
  }

  async #sendOne(chain: Chain, ref: DueRef): Promise<void> {
    const row = await this.#rows.claim(ref);
    // Another one has it, or the index lags: the next may still be free.
    if (!row) return;
    const reached = await this.#reached(row);
    // A row that was sent to its group lets the next one follow, although the group is not done with it.
    chain.reached = reached && Math.max(reached.sequence, row.group ? (chain.reached ?? 0) : 0);
    if (!reached || placeBefore(row) > (chain.reached ?? -1)) {
      chain.reached ??= NOBODY;
      await this.#rows.giveBack(row);
      this.#hold(ref);
      return;
    }
    const passed = await this.#rows.send([{ ...row, reached }]);
    if (passed.has(row.id)) chain.reached = Math.max(chain.reached ?? 0, row.sequence ?? 0);
  }

  /** How far the key of a row has come; `undefined` when that cannot be read. */
  async #reached(row: OutboxRow): Promise<Reached | undefined> {
    try {
      return await this.#outbox.order.reached(row);
    } catch (cause) {
      const { topic, messageId } = row;
      this.#log.warn('The turn of a message cannot be read', { topic, messageId, cause });
      return undefined;
    }
  }
}

/** Position before all places: no message is next. */
const NOBODY = -1;

/** The place that must have been reached before a row is sent. */
const placeBefore = ({ sequence = 0, after }: Pick<OutboxRow, 'sequence' | 'after'>): number =>
  after ?? sequence - 1;
