import { WORD_INDEX } from '../definitions/indexes.ts';
import { shardOf } from '../values/ids.ts';
import type { IndexRow } from './index-rows.ts';

/*
 * Rows of words are spread by the first two letters of their words, too, as a record writes several of them, and many records
 * share a word.
 */
/** First letters that have lanes of their own: tells a to z and the digits apart. */
const FIRST_LETTERS = 38;
/** Lanes of the words of one first letter: four letters of the alphabet to one, the next four to the other. */
const SECOND_LETTERS = 2;
const TOGETHER = 4;

/** The lane of a row: the part of the index that shares its partition key. */
export function laneOf(
  { index, key }: Pick<IndexRow, 'index' | 'key'>,
  id: string,
  shards: number,
) {
  const shard = shardOf(id, shards);
  return isSpread(index) ? laneOfWord(shard, lettersOf(key)) : String(shard);
}

/** The lanes of an index that may have rows of a range; all without a range. */
export const lanesOf = (index: string, shards: number, range?: KeyRange): string[] =>
  laneGroups(index, shards, range).flat();

/** The same in groups: a word has its rows in the lanes of one of them. */
export function laneGroups(index: string, shards: number, range?: KeyRange): string[][] {
  const all = Array.from({ length: shards }, (_, shard) => shard);
  if (!isSpread(index)) return [all.map(String)];
  const letters = range ? lettersWithin(range) : everyLetter;
  return letters.map((each) => all.map((shard) => laneOfWord(shard, each)));
}

const isSpread = (index: string): boolean =>
  index === WORD_INDEX || index.startsWith(`${WORD_INDEX}@`);

/** Sort keys from and to, both included. */
interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** First and second letter of a word as the numbers of their lanes. */
type Letters = readonly [number, number];

/** One character for the shard, one or two for the letters. */
const laneOfWord = (shard: number, [first, second]: Letters): string =>
  shard.toString(16) + (first * SECOND_LETTERS + second).toString(36);

const everySecond = (first: number): Letters[] =>
  Array.from({ length: SECOND_LETTERS }, (_, second) => [first, second]);

const everyLetter: readonly Letters[] = Array.from({ length: FIRST_LETTERS }, (_, first) =>
  everySecond(first),
).flat();

const lettersOf = (word: string): Letters => [
  codeAt(word, 0) % FIRST_LETTERS,
  Math.floor(codeAt(word, 1) / TOGETHER) % SECOND_LETTERS,
];

/** What follows a word, blank or separator, is no letter. */
function codeAt(word: string, at: number): number {
  const code = word.charCodeAt(at);
  return code > 0x20 ? code : 0;
}

/** Words that begin with the same two letters are in one lane. */
function lettersWithin({ from, to }: KeyRange): readonly Letters[] {
  if (codeAt(from, 0) !== codeAt(to, 0)) return everyLetter;
  return codeAt(from, 1) === codeAt(to, 1)
    ? [lettersOf(from)]
    : everySecond(codeAt(from, 0) % FIRST_LETTERS);
}
