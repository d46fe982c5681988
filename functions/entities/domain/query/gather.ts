import { compareKeys } from '../values/folding.ts';
import { conjuncts, type Filter } from './filter.ts';
import { fieldRanges, findByEquality, rangeHits, type Search, wordHits } from './find.ts';
import type { Hit, Hits } from './hits.ts';

/** Rows that a first look at a condition reads. */
const PROBE_ROWS = 200;

/** A set of records that is being collected: all that some conditions name, in no particular order. */
export class IdSet {
  readonly #hits: Hits;
  readonly #found = new Map<string, boolean>();
  readonly rest: readonly Filter[];
  isComplete = false;

  constructor(hits: Hits, rest: readonly Filter[]) {
    this.#hits = hits;
    this.rest = rest;
  }

  get size(): number {
    return this.#found.size;
  }

  has(id: string): boolean {
    return this.#found.has(id);
  }

  /** Collects up to this many records. @returns whether that is all there are */
  async collect(limit: number, isSpent: () => boolean): Promise<boolean> {
    while (!this.isComplete && this.#found.size <= limit && !isSpent()) {
      const hit = await this.#hits.next();
      if (hit) this.#found.set(hit.id, (this.#found.get(hit.id) ?? false) || hit.isProven);
      else this.isComplete = true;
    }
    return this.isComplete;
  }

  /** The collected records in the order of their ids. */
  inIdOrder(descending: boolean): Hit[] {
    const sign = descending ? -1 : 1;
    return [...this.#found]
      .sort(([one], [other]) => sign * compareKeys(one, other))
      .map(([id, isProven]) => ({ id, keys: [], isProven }));
  }
}

/** Every set that conditions name by equalities, ranges or words. */
export function openSets(parts: readonly Filter[], filter: Filter, search: Search): IdSet[] {
  const direction = { reverse: false, expected: PROBE_ROWS };
  const equality = findByEquality(filter, search, direction);
  const others = (used: readonly Filter[]) =>
    conjuncts(filter).filter((part) => !used.includes(part));
  return [
    ...(equality ? [new IdSet(equality.hits, equality.rest)] : []),
    ...fieldRanges(parts, search.model)
      .filter(({ tests }) => tests.every(({ op }) => op !== 'eq' && op !== 'in'))
      .map((range) => new IdSet(rangeHits(search, range, direction), others(range.tests))),
    ...parts.flatMap((part) => {
      const hits = part.kind === 'words' ? wordHits(search, part.words, direction) : undefined;
      return hits ? [new IdSet(hits, others([part]))] : [];
    }),
  ];
}

/** Looks at the beginning of every set. @returns the smallest one that is complete, else `undefined` */
export async function probe(
  sets: readonly IdSet[],
  isSpent: () => boolean,
): Promise<IdSet | undefined> {
  await Promise.all(sets.map((set) => set.collect(PROBE_ROWS, isSpent)));
  return sets
    .filter(({ isComplete }) => isComplete)
    .reduce<IdSet | undefined>(
      (best, set) => (!best || set.size < best.size ? set : best),
      undefined,
    );
}
