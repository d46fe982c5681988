import type { Comparison, Filter } from '../../query/filter.ts';
import { ID_SEPARATOR, valueKey } from '../../records/index-rows.ts';
import { lanesOf } from '../../records/lanes.ts';
import { compareKeys } from '../../values/folding.ts';
import { type Hit, type Hits, judgeRow } from '../hits.ts';
import { keysEqual } from '../ranges.ts';
import { openWalk, type RowWalk, type Search, type WalkedRow } from '../row-walk.ts';

/** Most lists that a condition opens at once without a look at what else would do. */
const FEW_LISTS = 32;
/** Most keys whose lists are opened at all. */
const MAX_LISTS = 200;
/** Lists that are opened at once where they are read one after the other. */
const AT_ONCE = 16;
/** Rows of an index that cost about as much as one request for a list. */
const ROWS_PER_LIST = 60;
/** Most rows of an index that are read to find those of many keys. */
const MAX_ROWS = 16_000;
/** To look at records has to be so many times cheaper than to read all rows, which the pages behind need no more. */
const WALK_PAYS = 3;
/** Rows that show how many of an index have one of the keys. */
const SAMPLE = 200;
/** Rows of the first request behind the sample. */
const READ_AHEAD = 2_000;

/** A condition that names many values of an index. */
export interface ManyKeys {
  readonly test: Comparison;
  readonly index: string;
  /** Keys of the values in their order. */
  readonly keys: readonly string[];
  /** Requests that open all lists. */
  readonly requests: number;
  /** Whether the lists of all keys may be opened. */
  readonly mayList: boolean;
}

/** The keys that a condition names, where they are many. */
export function manyKeys(part: Filter, { model }: Pick<Search, 'model'>): ManyKeys | undefined {
  if (part.kind !== 'test' || part.op !== 'in') return undefined;
  const index = model.readyIndex([part.field])?.name;
  if (index === undefined) return undefined;
  const lanes = lanesOf(index, model.definition.options.shards).length;
  if (part.operands.length * lanes <= FEW_LISTS) return undefined;
  const keys = [...new Set(part.operands.map(({ key }) => valueKey(key)))].sort(compareKeys);
  const requests = keys.length * lanes;
  if (requests <= FEW_LISTS) return undefined;
  return { test: part, index, keys, requests, mayList: keys.length <= MAX_LISTS };
}

/** Whether all rows between the keys are read rather than the list of each. */
export const readsBetween = ({ requests, mayList }: ManyKeys, live: number): boolean =>
  !mayList || live <= Math.min(ROWS_PER_LIST * requests, MAX_ROWS);

/** Rows that are worth reading to find all that have one of the keys, rather than to look at records. */
export function rowsInstead(keys: ManyKeys, live: number): number {
  if (!readsBetween(keys, live)) return Math.min(live, ROWS_PER_LIST * keys.requests);
  return live > MAX_ROWS ? live : live / WALK_PAYS;
}

/** Rows that are read between the keys of a filter. */
export async function rowsOfKeys(filter: Filter, search: Search): Promise<number> {
  const all = keysWithin(filter, search);
  if (all.length === 0) return 0;
  const { live } = await search.source.counters();
  return live > MAX_ROWS ? 0 : live * all.filter((keys) => readsBetween(keys, live)).length;
}

function keysWithin(filter: Filter, search: Search): readonly ManyKeys[] {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.parts.flatMap((part) => keysWithin(part, search));
  const keys = manyKeys(filter, search);
  return keys ? [keys] : [];
}

/**
 * The rows of many keys, in the order of keys. The rows between them are read as well where these are few; else one
 * list after the other, some at once.
 */
export class KeyRows implements Hits {
  readonly of: ManyKeys;
  readonly #search: Search;
  readonly #after: string | undefined;
  readonly #rows: AsyncGenerator<Hit, undefined>;
  #sample: Promise<Sample> | undefined;

  /** @param after sort key of the row to continue behind */
  constructor(of: ManyKeys, search: Search, after?: string) {
    this.of = of;
    this.#search = search;
    this.#after = after;
    this.#rows = this.#read();
  }

  /** The first rows between the keys. */
  sample(): Promise<Sample> {
    this.#sample ??= this.#readSample();
    return this.#sample;
  }

  async next(): Promise<Hit | undefined> {
    return (await this.#rows.next()).value;
  }

  async #readSample(): Promise<Sample> {
    const { keys } = this.of;
    const named = new Set(keys);
    const walk = this.#between(this.#after, SAMPLE);
    const rows: WalkedRow[] = [];
    for (let row = await walk.next(); row && rows.length < SAMPLE; row = await walk.next()) {
      rows.push(row);
      if (rows.length === SAMPLE) break;
    }
    const last = rows.length === SAMPLE ? rows.at(-1)?.sk : undefined;
    // The first key has rows for certain, so these say nothing about the others.
    const others = rows.filter(({ key }) => key !== keys[0]);
    const found = others.filter(({ key }) => named.has(key)).length;
    const share = others.length > 0 ? found / others.length : undefined;
    return { hits: rows.flatMap((row) => this.#hitsOf(row, named.has(row.key))), share, last };
  }

  async *#read(): AsyncGenerator<Hit, undefined> {
    const { keys } = this.of;
    const { hits, last } = await this.sample();
    yield* hits;
    if (last === undefined) return undefined;
    const { live } = await this.#search.source.counters();
    if (readsBetween(this.of, live)) return yield* this.#all(last);
    const from = keys.findIndex((key) => compareKeys(key + ID_SEPARATOR + LAST_ID, last) > 0);
    for (let at = from; at >= 0 && at < keys.length; at += AT_ONCE) {
      yield* this.#lists(keys.slice(at, at + AT_ONCE), last);
    }
    return undefined;
  }

  /** Every row between the keys, but for those that can be left out. */
  async *#all(after: string): AsyncGenerator<Hit, undefined> {
    const { keys } = this.of;
    const walk = this.#between(after, READ_AHEAD);
    let at = 0;
    for (let row = await walk.next(); row; row = await walk.next()) {
      while (at < keys.length && compareKeys(keys[at] ?? '', row.key) < 0) at += 1;
      const isNamed = keys[at] === row.key;
      yield* this.#hitsOf(row, isNamed);
      if (!isNamed) walk.seek(keysEqual(keys[at] ?? LAST_ID).from);
    }
    return undefined;
  }

  /** The rows from the first key to the last. */
  #between(after: string | undefined, expected: number): RowWalk {
    const { keys, index } = this.of;
    const range = { from: keysEqual(keys[0] ?? '').from, to: keysEqual(keys.at(-1) ?? '').to };
    return openWalk(this.#search, index, range, { reverse: false, after, expected });
  }

  async *#lists(keys: readonly string[], after: string): AsyncGenerator<Hit> {
    const walks = keys.map((key) => this.#list(key, after));
    const heads = await Promise.all(walks.map((walk) => walk.next()));
    for (const [at, walk] of walks.entries()) {
      for (let row = heads[at]; row; row = await walk.next()) yield* this.#hitsOf(row, true);
    }
  }

  #list(key: string, after: string): RowWalk {
    const direction = { reverse: false, after, expected: ROWS_PER_LIST };
    return openWalk(this.#search, this.of.index, keysEqual(key), direction);
  }

  /** The hit of a row, if it is one. At the work limit every row is, so that the caller can stop there. */
  #hitsOf(row: WalkedRow, isNamed: boolean): readonly Hit[] {
    const verdict = isNamed ? judgeRow(row, [this.of.test]) : false;
    if (verdict === false && !this.#search.budget.isSpent) return [];
    return [{ id: row.id, keys: [row.key], isProven: verdict === true }];
  }
}

/** The first rows of an index between two keys. */
interface Sample {
  readonly hits: readonly Hit[];
  /** Part of the rows that have one of the keys; `undefined`: unknown. */
  readonly share: number | undefined;
  /** Sort key of the last row; `undefined` when there are no more. */
  readonly last: string | undefined;
}

/** Sorts behind every id. */
const LAST_ID = '~';
