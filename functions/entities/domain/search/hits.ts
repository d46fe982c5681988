import type { RecordHeader } from '../entity/record.ts';
import { type Comparison, holds } from '../query/filter.ts';
import { compareKeys } from '../values/folding.ts';
import type { RowWalk, Search, WalkedRow } from './row-walk.ts';

/** A candidate record of a query. */
export interface Hit {
  readonly id: string;
  /** Sort keys, when the row contains them. */
  readonly keys: readonly string[];
  /** Whether the row alone proves that the record matches the conditions. */
  readonly isProven: boolean;
  /** The record, where it was read already. */
  readonly header?: RecordHeader;
}

/** A stream of candidate records. */
export interface Hits {
  next(): Promise<Hit | undefined>;
}

/** A stream of candidates in id order that supports skipping. */
export interface IdHits extends Hits {
  /** Skips to this id or the first one after it. */
  seek(id: string): void;
}

/**
 * Evaluates comparisons on a row: `true` or `false` when certain, `undefined` when the record must
 * be read.
 */
export function judgeRow(row: WalkedRow, tests: readonly Comparison[]): boolean | undefined {
  let verdict: boolean | undefined = row.text === false ? undefined : true;
  for (const test of tests) {
    const one = judgeTest(row, test);
    if (one === false) return false;
    if (one === undefined) verdict = undefined;
  }
  return verdict;
}

function judgeTest({ key, text }: WalkedRow, test: Comparison): boolean | undefined {
  if (text === false) return undefined;
  const hasValue = key.startsWith('1');
  if (test.op === 'null' || test.op === 'exists')
    return holds(test, hasValue ? [{ key, value: '' }] : []);
  const isNegative = test.op === 'ne' || test.op === 'nin';
  if (isNegative && test.isMany) return undefined;
  if (!hasValue) return isNegative;
  if (test.isExact || isOrderTest(test))
    return holds(test, [{ key: key.slice(1), value: undefined }]);
  return holds(test, [{ key: key.slice(1), value: text ?? key.slice(1) }]);
}

const isOrderTest = ({ op }: Comparison): boolean =>
  op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte' || op === 'between';

/**
 * The rows of a scan that match the comparisons of its field. At the work limit the current row is returned
 * as unproven, so that the caller can stop there.
 * @param keys those of a row's place in the order
 */
export function searchHits(
  { budget }: Pick<Search, 'budget'>,
  walk: RowWalk,
  tests: readonly Comparison[],
  keys: (row: WalkedRow) => readonly string[] = () => [],
): Hits {
  return {
    async next() {
      for (let row = await walk.next(); row; row = await walk.next()) {
        const verdict = judgeRow(row, tests);
        if (verdict !== false || budget.isSpent)
          return { id: row.id, keys: keys(row), isProven: verdict === true };
      }
      return undefined;
    },
  };
}

/** A list that is opened with its first record; it skips to the last place that was asked for until then. */
export function openedLater(open: () => Promise<IdHits>): IdHits {
  let place: string | undefined;
  let hits: IdHits | undefined;
  return {
    async next() {
      if (!hits) {
        hits = await open();
        if (place !== undefined) hits.seek(place);
      }
      return hits.next();
    },
    seek(id) {
      place = id;
      hits?.seek(id);
    },
  };
}

/** Compares ids in the direction of a scan. */
const before = (one: string, other: string, reverse: boolean): boolean =>
  reverse ? compareKeys(one, other) > 0 : compareKeys(one, other) < 0;

/** Union of lists, without duplicates. */
export function union(lists: readonly IdHits[], reverse: boolean): IdHits {
  const heads: (Hit | undefined | 'unread')[] = lists.map(() => 'unread');
  return {
    async next() {
      await Promise.all(
        lists.map(async (list, at) => {
          if (heads[at] === 'unread') heads[at] = await list.next();
        }),
      );
      const present = heads.filter((hit): hit is Hit => typeof hit === 'object');
      const first = present.reduce<Hit | undefined>(
        (best, hit) => (!best || before(hit.id, best.id, reverse) ? hit : best),
        undefined,
      );
      if (!first) return undefined;
      const same = present.filter(({ id }) => id === first.id);
      for (const [at, hit] of heads.entries()) {
        if (typeof hit === 'object' && hit.id === first.id) heads[at] = 'unread';
      }
      return { ...first, isProven: same.some(({ isProven }) => isProven) };
    },
    seek(id) {
      for (const [at, list] of lists.entries()) {
        const head = heads[at];
        if (typeof head === 'object' && !before(head.id, id, reverse)) continue;
        if (head === undefined) continue;
        heads[at] = 'unread';
        list.seek(id);
      }
    },
  };
}

/**
 * Intersection of lists: each list skips to the position of the furthest one. At the work limit that
 * position is returned as an unproven record.
 */
export function intersection(
  lists: readonly IdHits[],
  reverse: boolean,
  { budget }: Pick<Search, 'budget'>,
): IdHits {
  let heads: (Hit | undefined | 'unread')[] = lists.map(() => 'unread');
  const read = async (): Promise<(Hit | undefined)[]> =>
    Promise.all(heads.map((head, at) => (head === 'unread' ? lists[at]?.next() : head)));
  const leave = (id: string): void => {
    heads = heads.map((head) => (typeof head === 'object' && head.id === id ? 'unread' : head));
  };
  const leap = (id: string): void => {
    heads = heads.map((head, at) => {
      if (head === undefined || (typeof head === 'object' && !before(head.id, id, reverse)))
        return head;
      lists[at]?.seek(id);
      return 'unread';
    });
  };
  return {
    async next() {
      for (;;) {
        const found = await read();
        heads = found;
        if (found.includes(undefined)) return undefined;
        const present = found as Hit[];
        const furthest = present.reduce((best, hit) =>
          before(best.id, hit.id, reverse) ? hit : best,
        );
        const isCommon = present.every(({ id }) => id === furthest.id);
        if (isCommon || budget.isSpent) {
          leave(furthest.id);
          const isProven = isCommon && present.every((hit) => hit.isProven);
          return { ...furthest, isProven };
        }
        leap(furthest.id);
      }
    },
    seek: leap,
  };
}

/** Hits from memory. */
export function listed(hits: readonly Hit[]): Hits {
  let at = 0;
  return {
    next: () => {
      at += 1;
      return Promise.resolve(hits[at - 1]);
    },
  };
}

/** Hits from memory in the order of their ids, those behind a place. It skips forward only. */
export function idList(hits: readonly Hit[], reverse: boolean, after: string | undefined): IdHits {
  const left = hits
    .filter(({ id }) => after === undefined || before(after, id, reverse))
    .sort((one, other) => (reverse ? -1 : 1) * compareKeys(one.id, other.id));
  let at = 0;
  return {
    next: () => {
      at += 1;
      return Promise.resolve(left[at - 1]);
    },
    seek: (place) => {
      let end = left.length;
      while (at < end) {
        const middle = (at + end) >> 1;
        if (before(left[middle]?.id ?? '', place, reverse)) at = middle + 1;
        else end = middle;
      }
    },
  };
}

/** Only the records of a set. At the work limit any record may be returned, so that the caller can stop there. */
export function sift(
  hits: Hits,
  set: Pick<ReadonlySet<string>, 'has'>,
  search?: Pick<Search, 'budget'>,
): Hits {
  return {
    async next() {
      for (let hit = await hits.next(); hit; hit = await hits.next()) {
        if (set.has(hit.id) || search?.budget.isSpent) return hit;
      }
      return undefined;
    },
  };
}
