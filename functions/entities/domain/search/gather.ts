import { hash } from 'node:crypto';
import { allOf, conjuncts, type Filter } from '../query/filter.ts';
import type { Position } from '../query/order.ts';
import { compareKeys } from '../values/folding.ts';
import { MAX_COLLECTED, ROWS_PER_RECORD } from './estimate.ts';
import { fieldRanges, findByEquality, rangeHits, withinIndex } from './find.ts';
import type { Hit, Hits } from './hits.ts';
import { KeyRows, manyKeys, rowsInstead } from './keyed/key-rows.ts';
import { rowAt, type Search } from './row-walk.ts';
import { countFromCounters } from './totals.ts';
import { leadingWord, wordHits } from './words.ts';

/** Rows that are read of each condition at first. */
export const PROBE_ROWS = 200;

/** The beginning of a set that an earlier request has collected, and its last row. */
export interface Begun {
  readonly ids: ReadonlySet<string>;
  readonly last: Position;
}

/** What a set consists of. */
interface SetOptions {
  /** Tells it from other sets of the query. */
  readonly name?: string;
  readonly begun?: Begun | undefined;
  /** Whether the condition is tried on every row of its index. */
  readonly scansIndex?: boolean;
  /** The rows of many keys, where the records are those. */
  readonly keyed?: KeyRows;
}

/** A set of candidate records being collected, unordered. */
export class IdSet {
  readonly #hits: Hits;
  readonly #found: Map<string, boolean>;
  readonly rest: readonly Filter[];
  readonly name: string;
  readonly scansIndex: boolean;
  readonly keyed: KeyRows | undefined;
  isComplete = false;
  #last: Position | undefined;

  constructor(
    hits: Hits,
    rest: readonly Filter[],
    { name = '', begun, scansIndex = false, keyed }: SetOptions = {},
  ) {
    this.#hits = hits;
    this.#found = new Map([...(begun?.ids ?? [])].map((id) => [id, false]));
    this.#last = begun?.last;
    this.rest = rest;
    this.name = name;
    this.scansIndex = scansIndex;
    this.keyed = keyed;
  }

  get size(): number {
    return this.#found.size;
  }

  has(id: string): boolean {
    return this.#found.has(id);
  }

  /** Collects up to this many records. @returns whether that is all there are */
  async collect(limit: number, search?: Pick<Search, 'budget'>): Promise<boolean> {
    const goesOn = (): boolean => this.#found.size <= limit && !search?.budget.isSpent;
    while (!this.isComplete && goesOn()) await this.#next();
    return this.isComplete;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#found.keys());
  }

  /** What another request may go on with. */
  get begun(): Begun | undefined {
    return this.#last && { ids: this.ids, last: this.#last };
  }

  /** The records one after the other, each once, while they are collected. */
  stream(): Hits {
    const known = [...this.#found].map(toHit).values();
    return { next: async () => known.next().value ?? this.#next() };
  }

  /** The collected records in the order of their ids. */
  inIdOrder(descending: boolean): Hit[] {
    const sign = descending ? -1 : 1;
    return [...this.#found].sort(([one], [other]) => sign * compareKeys(one, other)).map(toHit);
  }

  /** Rows that are worth reading until it is complete; `undefined`: those of its records. */
  async rowsAmong({ source }: Search): Promise<number | undefined> {
    const { live } = await source.counters();
    return this.keyed ? rowsInstead(this.keyed.of, live) : this.scansIndex ? live : undefined;
  }

  /** Number of records that meet the filter, where the rows alone prove it. */
  get total(): number | undefined {
    const isProven = this.isComplete && this.rest.length === 0;
    return isProven && this.#found.values().every(Boolean) ? this.size : undefined;
  }

  /** The next record that was not found before. */
  async #next(): Promise<Hit | undefined> {
    for (let hit = await this.#hits.next(); hit; hit = await this.#hits.next()) {
      this.#last = hit;
      const known = this.#found.get(hit.id);
      this.#found.set(hit.id, known || hit.isProven);
      if (known === undefined) return hit;
    }
    this.isComplete = true;
    return undefined;
  }
}

const toHit = ([id, isProven]: readonly [string, boolean]): Hit => ({ id, keys: [], isProven });

/** What is known of the sets of a query. */
interface SetsOptions {
  /** What was collected of them before. */
  readonly begun?: ReadonlyMap<string, Begun | undefined> | undefined;
  /** Rows of the first request. */
  readonly rows?: number;
  /** Conditions that are left to the records. */
  readonly unused?: readonly Filter[];
}

/** Every set that conditions name by equalities, ranges or words. */
export function openSets(
  all: readonly Filter[],
  search: Search,
  { begun = new Map(), rows = PROBE_ROWS, unused = [] }: SetsOptions = {},
): IdSet[] {
  const parts = all.filter((part) => !unused.includes(part));
  // One more than needed, so that the first request shows whether the set is complete.
  const first = { reverse: false, expected: rows + 1 };
  const others = (used: readonly Filter[]) => all.filter((part) => !used.includes(part));
  const nameOf = (used: readonly Filter[]) => hash('sha256', JSON.stringify(used), 'base64');
  const ofEqual = unused.length > 0 ? nameOf(parts) : EQUALITIES;
  const equal = begun.get(ofEqual);
  const direction = { ...first, after: equal?.last.id };
  const equality = findByEquality(allOf(parts), search, direction, 'left out');
  const options = (used: readonly Filter[]) => {
    const name = nameOf(used);
    const before = begun.get(name);
    return { name, begun: before, direction: { ...first, after: before && rowAt(before.last) } };
  };
  const ranges = fieldRanges(parts, search.model)
    .filter(({ tests }) => tests.every(({ op }) => op !== 'eq' && op !== 'in'))
    .map((range) => {
      const scansIndex = range.tests.every(({ op }) => op === 'contains' || op === 'endsWith');
      return { scansIndex, ...(scansIndex ? range : withinIndex(range, parts, search.model)) };
    })
    .sort((one, other) => other.index.fields.length - one.index.fields.length);
  // Records of a range within equalities are some of those that meet these.
  const isCovered = parts.every(
    (part) =>
      equality?.rest.includes(part) ||
      ranges.some(({ tests }) => tests.some((test) => test === part)),
  );
  return [
    ...(equality && !isCovered
      ? [new IdSet(equality.hits, [...equality.rest, ...unused], { name: ofEqual, begun: equal })]
      : []),
    ...parts.flatMap((part) => {
      const many = equality?.rest.includes(part) === false ? undefined : manyKeys(part, search);
      if (!many) return [];
      const { direction, ...which } = options([part]);
      const keyed = new KeyRows(many, search, direction.after);
      return [new IdSet(keyed, others([part]), { ...which, keyed })];
    }),
    ...ranges.map(({ scansIndex, ...range }) => {
      const { direction, ...which } = options(range.tests);
      const hits = rangeHits(search, range, direction);
      return new IdSet(hits, others(range.tests), { ...which, scansIndex });
    }),
    ...parts.flatMap((part) => {
      if (part.kind !== 'words') return [];
      const { direction, ...which } = options([part]);
      const hits = wordHits(search, part.words, direction);
      return hits ? [new IdSet(hits, others([part]), which)] : [];
    }),
  ];
}

/** The set of all equalities. */
const EQUALITIES = '=';

/** The sets of the words that are not looked for first: a shorter one may be the rarer. */
export function otherWordSets(filter: Filter, search: Search): IdSet[] {
  const direction = { reverse: false, expected: PROBE_ROWS + 1 };
  return conjuncts(filter).flatMap((part) => {
    if (part.kind !== 'words') return [];
    const first = leadingWord(part.words);
    return part.words
      .filter((word) => word !== first)
      .flatMap((word) => {
        const hits = wordHits(search, [word], direction);
        return hits ? [new IdSet(hits, conjuncts(filter))] : [];
      });
  });
}

/** Reads the beginning of every set. @returns the smallest one that is complete, else `undefined` */
export async function probe(
  sets: readonly IdSet[],
  { budget }: Search,
  rows = PROBE_ROWS,
): Promise<IdSet | undefined> {
  await budget.within(sets.length * rows * 2, () =>
    Promise.all(
      sets.map(async (set) => {
        const isMore = set.keyed && (await set.keyed.sample()).last !== undefined;
        if (!isMore) await set.collect(rows, { budget });
      }),
    ),
  );
  return sets
    .filter(({ isComplete }) => isComplete)
    .reduce<IdSet | undefined>(
      (best, set) => (!best || set.size < best.size ? set : best),
      undefined,
    );
}

/** Collects a set with the rows that a request has for that. @returns whether it is complete */
export const collectedBy = (set: IdSet, { budget }: Search): Promise<boolean> =>
  budget.within(MAX_COLLECTED - budget.rows, () => set.collect(MAX_COLLECTED, { budget }));

/** Rows of one condition that leave too few for the others. */
const MANY_ROWS = 9_000;

/** The first set, without counted conditions of many rows, where these cost more than what the page then looks at in vain. */
export async function rarerSet(
  first: IdSet | undefined,
  { filter, expected }: { readonly filter: Filter; readonly expected: number },
  search: Search,
): Promise<IdSet | undefined> {
  const parts = conjuncts(filter);
  if (first?.name !== EQUALITIES || parts.length === 1) return first;
  const counters = await search.source.counters();
  const counted = parts
    .map((part) => ({ part, many: countFromCounters(part, search, counters) ?? 0 }))
    .sort((one, other) => other.many - one.many);
  const unused: Filter[] = [];
  let looked = expected;
  for (const { part, many } of counted) {
    const inVain = looked * (counters.live / Math.max(many, 1) - 1);
    if (many <= Math.max(MANY_ROWS, inVain * ROWS_PER_RECORD)) break;
    unused.push(part);
    looked += inVain;
  }
  const [rarer] = unused.length > 0 ? openSets(parts, search, { unused }) : [];
  return rarer ?? first;
}
