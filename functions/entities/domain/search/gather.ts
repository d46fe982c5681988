import { conjuncts, type Filter } from '../query/filter.ts';
import { compareKeys } from '../values/folding.ts';
import { fieldRanges, findByEquality, rangeHits } from './find.ts';
import type { Hit, Hits } from './hits.ts';
import type { Search } from './row-walk.ts';
import { leadingWord, wordHits } from './words.ts';

/** Rows of the first read of a condition. */
export const PROBE_ROWS = 200;

/** A set of candidate records being collected, unordered. */
export class IdSet {
  readonly #hits: Hits;
  readonly #found = new Map<string, boolean>();
  readonly rest: readonly Filter[];
  /** Whether the condition is tried on every row of its index. */
  readonly scansIndex: boolean;
  isComplete = false;

  constructor(hits: Hits, rest: readonly Filter[], scansIndex = false) {
    this.#hits = hits;
    this.rest = rest;
    this.scansIndex = scansIndex;
  }

  get size(): number {
    return this.#found.size;
  }

  has(id: string): boolean {
    return this.#found.has(id);
  }

  /** Collects up to this many records. @returns whether that is all there are */
  async collect(limit: number, isSpent: () => boolean): Promise<boolean> {
    while (!this.isComplete && this.#found.size <= limit && !isSpent()) await this.#next();
    return this.isComplete;
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

  /** The next record that was not found before. */
  async #next(): Promise<Hit | undefined> {
    for (let hit = await this.#hits.next(); hit; hit = await this.#hits.next()) {
      const known = this.#found.get(hit.id);
      this.#found.set(hit.id, known || hit.isProven);
      if (known === undefined) return hit;
    }
    this.isComplete = true;
    return undefined;
  }
}

const toHit = ([id, isProven]: readonly [string, boolean]): Hit => ({ id, keys: [], isProven });

/** Every set that conditions name by equalities, ranges or words. */
export function openSets(parts: readonly Filter[], filter: Filter, search: Search): IdSet[] {
  // One more than needed, so that the first request shows whether the set is complete.
  const direction = { reverse: false, expected: PROBE_ROWS + 1 };
  const equality = findByEquality(filter, search, direction);
  const others = (used: readonly Filter[]) =>
    conjuncts(filter).filter((part) => !used.includes(part));
  return [
    ...(equality ? [new IdSet(equality.hits, equality.rest)] : []),
    ...fieldRanges(parts, search.model)
      .filter(({ tests }) => tests.every(({ op }) => op !== 'eq' && op !== 'in'))
      .map((range) => {
        const scansIndex = range.tests.every(({ op }) => op === 'contains' || op === 'endsWith');
        return new IdSet(rangeHits(search, range, direction), others(range.tests), scansIndex);
      }),
    ...parts.flatMap((part) => {
      const hits = part.kind === 'words' ? wordHits(search, part.words, direction) : undefined;
      return hits ? [new IdSet(hits, others([part]))] : [];
    }),
  ];
}

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
): Promise<IdSet | undefined> {
  const isSpent = (): boolean => budget.isSpent;
  await budget.within(sets.length * PROBE_ROWS * 2, () =>
    Promise.all(sets.map((set) => set.collect(PROBE_ROWS, isSpent))),
  );
  return sets
    .filter(({ isComplete }) => isComplete)
    .reduce<IdSet | undefined>(
      (best, set) => (!best || set.size < best.size ? set : best),
      undefined,
    );
}
