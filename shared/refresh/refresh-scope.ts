import type { Clock } from '../primitives/clock.ts';
import type { Log } from '../primitives/log.ts';
import type { Table } from '../store/table.ts';
import {
  type EpochEntry,
  type EpochItem,
  entrySortKey,
  epochKey,
  REFRESH_ALL,
  REFRESH_PARTITION,
} from './epoch-items.ts';

/** A value that is loaded on first use, and again after its key was refreshed. */
export interface RefreshScoped<T> {
  get(): Promise<T>;
}

interface Slot {
  readonly matches: (key: string) => boolean;
  drop(): void;
}

/** Most entries read to find the refreshed keys; beyond that everything is refreshed. */
const MAX_ENTRIES = 100;

/**
 * The refresh-scoped values of one warm environment. It compares the stored epoch with the last one it saw,
 * at most once per staleness period, and drops values refreshed in between: a value is stale for at most the
 * period plus one invocation, even when every notice is lost. A failed read is logged and
 * repeated after the period; values are kept in the meantime.
 */
export class RefreshScope {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stalenessMs: number;
  readonly #slots = new Set<Slot>();
  #lastCheck = Number.NEGATIVE_INFINITY;
  #epoch: number | undefined;

  constructor({
    table,
    clock,
    log,
    stalenessMs,
  }: { table: Table; clock: Clock; log: Log; stalenessMs: number }) {
    this.#table = table;
    this.#clock = clock;
    this.#log = log;
    this.#stalenessMs = stalenessMs;
  }

  /**
   * Makes a value that follows refreshes of a setting.
   * @param key name of the setting; a `.` or `*` at its end makes it a prefix.
   * @param load runs once for all waiting callers. They get its failure when there is no earlier value;
   *   otherwise the earlier value is kept and the failure is logged.
   */
  refreshScoped<T>(key: string, load: () => Promise<T>): RefreshScoped<T> {
    let current: Promise<T> | undefined;
    let lastGood: { readonly value: T; readonly run: number } | undefined;
    let runs = 0;
    const start = async (): Promise<T> => {
      runs += 1;
      const run = runs;
      try {
        const value = await load();
        // A load that started before a refresh may end after it.
        if (!lastGood || lastGood.run < run) lastGood = { value, run };
        return value;
      } catch (cause) {
        if (run === runs) current = undefined;
        if (!lastGood) throw cause;
        this.#log.error('A refreshed value could not be loaded; the previous one is kept', {
          code: 'CONFIG_REFRESH_FAILED',
          key,
          cause,
        });
        return lastGood.value;
      }
    };
    this.#slots.add({
      matches: matcher(key),
      drop: () => {
        current = undefined;
      },
    });
    return {
      get: () => {
        current ??= start();
        return current;
      },
    };
  }

  /** Drops the values of a key at once, in this environment only. */
  drop(key: string): void {
    for (const slot of this.#slots) if (key === REFRESH_ALL || slot.matches(key)) slot.drop();
  }

  /** Called at the start of every invocation; reads the epoch when the staleness has passed. */
  async atInvocationStart(): Promise<void> {
    if (this.#clock.now() - this.#lastCheck >= this.#stalenessMs) await this.refreshNow();
  }

  /** Reads the epoch now, whatever the staleness; for long invocations. */
  async refreshNow(): Promise<void> {
    this.#lastCheck = this.#clock.now();
    try {
      const epoch = (await this.#table.get<EpochItem>(epochKey))?.epoch ?? 0;
      // Values loaded before the first read of the epoch may be older than that epoch.
      if (this.#epoch === undefined) this.drop(REFRESH_ALL);
      const seen = this.#epoch ?? epoch;
      if (epoch > seen) for (const key of await this.#keysSince(seen, epoch)) this.drop(key);
      if (epoch < seen) this.drop(REFRESH_ALL);
      this.#epoch = epoch;
    } catch (cause) {
      this.#log.error('The refresh epoch cannot be read; cached values are kept', {
        code: 'CONFIG_REFRESH_UNAVAILABLE',
        cause,
      });
    }
  }

  async #keysSince(seen: number, epoch: number): Promise<readonly string[]> {
    if (epoch - seen > MAX_ENTRIES) return [REFRESH_ALL];
    const { items } = await this.#table.query<EpochEntry>({
      partition: REFRESH_PARTITION,
      between: { from: entrySortKey(seen + 1), to: entrySortKey(epoch) },
      limit: MAX_ENTRIES,
      consistent: true,
    });
    return items.length === epoch - seen ? items.map(({ key }) => key) : [REFRESH_ALL];
  }
}

function matcher(key: string): (refreshed: string) => boolean {
  const prefix = /[.*]$/.test(key) ? key.replace(/\*$/, '') : undefined;
  return prefix === undefined ? (name) => name === key : (name) => name.startsWith(prefix);
}
