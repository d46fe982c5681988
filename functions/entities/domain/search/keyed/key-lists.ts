import { type Hit, type IdHits, idList, openedLater, union } from '../hits.ts';
import type { Direction, Search } from '../row-walk.ts';
import { KeyRows, type ManyKeys, readsBetween } from './key-rows.ts';

/**
 * The records of many keys in the order of ids: the lists of all keys are merged, or their rows are collected first where
 * that takes fewer requests and costs no more.
 * @param listOf opens the list of one key
 */
export function keyLists(
  of: ManyKeys,
  search: Search,
  direction: Direction,
  listOf: (key: string) => IdHits,
): IdHits {
  const { reverse, after } = direction;
  return openedLater(async () => {
    const { live } = await search.source.counters();
    const all = readsBetween(of, live) ? await collected(of, search) : undefined;
    return all ? idList(all, reverse, after) : union(of.keys.map(listOf), reverse);
  });
}

/** All records that have one of the keys; `undefined` when the work limit is reached before. */
async function collected(of: ManyKeys, search: Search): Promise<readonly Hit[] | undefined> {
  const rows = new KeyRows(of, search);
  const found = new Map<string, Hit>();
  for (let hit = await rows.next(); hit; hit = await rows.next()) {
    const { id } = hit;
    const isProven = hit.isProven || (found.get(id)?.isProven ?? false);
    found.set(id, { id, keys: [], isProven });
    if (search.budget.isSpent) return undefined;
  }
  return [...found.values()];
}
