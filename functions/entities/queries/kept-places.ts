import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { type SortKey, toText } from '../domain/query/order.ts';
import type { Kept, Known } from '../domain/search/plan-request.ts';

interface Entry {
  readonly known: Known;
  readonly size: number;
  readonly endsAt: number;
}

const LIFE_MS = 120_000;
/** Most places that are kept of all queries together, of some 150 bytes each. */
const MAX_PLACES = 60_000;
/** Characters of keys that a place takes; longer ones count as several. */
const PLACE_LENGTH = 100;

/**
 * Remembers which records meet queries that had to collect them all, so that they are collected once for a caller who follows
 * such a list by cursors in this environment. Each record is read and judged anew before it is shown.
 */
export class KeptPlaces {
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What is known of one query by those who follow it from the same first page on: what was collected before that page
   * may lack records that were there by then.
   * @param query what its records and their order depend on
   * @param begun name of the walk through the list, from a cursor
   */
  of(query: unknown, begun?: string): Kept & { readonly walk: string } {
    const walk = begun ?? randomBytes(6).toString('base64url');
    const id = createHash('sha256')
      .update(JSON.stringify([query, walk]))
      .digest('base64url');
    const keyOf = (order: readonly SortKey[]): string => `${id} ${order.map(toText).join()}`;
    return {
      find: (order) => (begun === undefined ? undefined : this.#find(keyOf(order))),
      keep: (order, known) => this.#keep(keyOf(order), known),
      walk,
    };
  }

  #find(key: string): Known | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#drop(key, entry);
    if (entry.endsAt < this.#clock.now()) return undefined;
    this.#add(key, entry);
    return entry.known;
  }

  #keep(key: string, known: Known): void {
    const size = sizeOf(known);
    const before = this.#entries.get(key);
    if (before) this.#drop(key, before);
    if (size > MAX_PLACES) return;
    this.#add(key, { known, size, endsAt: this.#clock.now() + LIFE_MS });
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= MAX_PLACES) break;
      this.#drop(oldest, entry);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#size += entry.size;
  }

  #drop(key: string, { size }: Entry): void {
    this.#entries.delete(key);
    this.#size -= size;
  }
}

/** An empty list takes room, too. */
function sizeOf({ places, ids, begun, keys: read }: Known): number {
  let length = 0;
  for (const { keys } of places) for (const key of keys) length += key.length;
  // The key of a record by itself takes the room of a place.
  for (const keys of read?.found ?? []) length += keys.size * PLACE_LENGTH;
  const others = [...(begun?.values() ?? [])].reduce((sum, set) => sum + (set?.ids.size ?? 0), 0);
  return 1 + (ids?.size ?? 0) + others + places.length + Math.floor(length / PLACE_LENGTH);
}
