import type { EntityModel } from '../definitions/model.ts';
import { laneGroups } from '../records/lanes.ts';
import { equalTo, unproven } from './find.ts';
import { type Hits, type IdHits, intersection, searchHits, union } from './hits.ts';
import { type Direction, openWalk, type Search } from './row-walk.ts';
import type { KeyRange } from './source.ts';

/** Most different words that begin with a wanted word: with more of them, their lists are not merged. */
const MAX_VARIANTS = 8;
/** Rows of one read unit: what a first look costs at least. */
export const FIRST_ROWS = 40;
/** Follows every row of a word and comes before every longer word. */
const NEXT_WORD = ' ';

/** The records with a word that begins with the longest of the wanted ones, in the order of words. */
export function wordHits(
  search: Search,
  words: readonly string[],
  direction: Direction,
): Hits | undefined {
  const index = wordIndex(search.model);
  if (!index) return undefined;
  const walk = openWalk(search, index, startingWith(leadingWord(words)), direction);
  const hits = searchHits(search, walk, [], ({ key }) => [key]);
  return words.length === 1 ? hits : unproven(hits);
}

/** The word that is looked for first: the longest is probably the rarest. */
export const leadingWord = (words: readonly string[]): string =>
  words.reduce((best, word) => (word.length > best.length ? word : best), '');

/**
 * The records with all these words in the order of their ids: one list for each word that there is.
 * @returns `undefined` when a wanted word begins too many others.
 */
export async function wordLists(
  search: Search,
  words: readonly string[],
  direction: Direction,
): Promise<IdHits | undefined> {
  const index = wordIndex(search.model);
  if (!index) return undefined;
  const variants = await Promise.all(words.map((word) => variantsOf(search, index, word)));
  if (variants.includes(undefined)) return undefined;
  const lists = variants.map((found) =>
    union(
      (found ?? []).map((word) => equalTo(search, index, word, [], direction)),
      direction.reverse,
    ),
  );
  const [only] = lists;
  return lists.length === 1 ? only : intersection(lists, direction.reverse, search);
}

/** The words that begin with a word, found by leaping from one to the next. */
async function variantsOf(
  search: Search,
  index: string,
  word: string,
): Promise<string[] | undefined> {
  const found: string[] = [];
  const range = startingWith(word);
  for (const lanes of laneGroups(index, search.model.definition.options.shards, range)) {
    const walk = openWalk(search, index, range, { reverse: false, expected: FIRST_ROWS, lanes });
    for (let row = await walk.next(); row; row = await walk.next()) {
      found.push(row.key);
      if (found.length > MAX_VARIANTS) return undefined;
      walk.seek(row.key + NEXT_WORD);
    }
  }
  return found;
}

const wordIndex = ({ definition }: EntityModel): string | undefined =>
  definition.indexes.find(({ kind, state }) => kind === 'words' && state === 'READY')?.name;

const startingWith = (word: string): KeyRange => ({ from: word, to: `${word}\u{10ffff}` });
