import { compareKeys } from '../../values/folding.ts';
import type { Hits } from '../hits.ts';
import type { Search } from '../row-walk.ts';

/** Ids in their order. */
export interface Ids {
  readonly ids: readonly string[];
  /** Whether no more follow. */
  readonly isWhole: boolean;
}

/** The next ids of a stream in id order, until the work of the search is spent. */
export async function nextIds(hits: Hits, limit: number, { budget }: Search): Promise<Ids> {
  const ids: string[] = [];
  while (ids.length < limit) {
    const hit = await hits.next();
    if (!hit) return { ids, isWhole: true };
    ids.push(hit.id);
    if (budget.isSpent) break;
  }
  return { ids, isWhole: false };
}

/**
 * The lowest ids of an unordered stream above `after`; holds at most twice the limit.
 * @returns `undefined` when the stream is longer than `maxRows`
 */
export async function lowestIds(
  hits: Hits,
  after: string | undefined,
  { limit, maxRows }: { readonly limit: number; readonly maxRows: number },
): Promise<Ids | undefined> {
  let found = new Set<string>();
  let bound: string | undefined;
  let rows = 0;
  for (let hit = await hits.next(); hit; hit = await hits.next()) {
    rows += 1;
    if (rows > maxRows) return undefined;
    if (after !== undefined && compareKeys(hit.id, after) <= 0) continue;
    if (bound !== undefined && compareKeys(hit.id, bound) > 0) continue;
    found.add(hit.id);
    if (found.size < 2 * limit) continue;
    found = new Set([...found].sort(compareKeys).slice(0, limit));
    bound = [...found].at(-1);
  }
  const ids = [...found].sort(compareKeys);
  return { ids: ids.slice(0, limit), isWhole: bound === undefined && ids.length <= limit };
}
