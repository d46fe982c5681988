import type { Attributes, AttributeValue } from './attribute-value.ts';
import type { KeyNames } from './expressions/key-condition.ts';
import { SortedList } from './sorted-list.ts';

/** Names of the secondary indexes. */
export type IndexName = 'gsi1' | 'gsi2';
export const INDEX_NAMES: readonly IndexName[] = ['gsi1', 'gsi2'];

/** Attributes of a record that the indexes hold besides the keys. */
const PROJECTED = ['type', 'summary'] as const;

/** Key attributes of the table, or of an index. */
export function keyNames(index?: IndexName): KeyNames {
  return index ? { pk: `${index}pk`, sk: `${index}sk` } : { pk: 'pk', sk: 'sk' };
}

/** The entry an item has in an index; `undefined` when it lacks one of the index's keys. */
export function indexEntry(item: Attributes | undefined, index: IndexName): Attributes | undefined {
  const { pk, sk } = keyNames(index);
  if (!item?.[pk] || !item[sk]) return undefined;
  return Object.fromEntries(
    ['pk', 'sk', pk, sk, ...PROJECTED].flatMap((name) => {
      const value = item[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/** An item without its partition key, which many share; one that is nothing but its key is just its sort key. */
type Entry = string | { readonly sk: string; readonly rest: Attributes };

type Partitions<T> = Map<string, SortedList<T>>;

/** Which items of a partition to read, and in what order. */
export interface Selection {
  readonly partition: string;
  readonly index: IndexName | undefined;
  /** Whether a sort key lies before (negative), in or after (positive) the wanted range. */
  readonly place: (sortKey: AttributeValue) => number;
  readonly isForward: boolean;
  /** Key of the item after which to begin. */
  readonly startKey?: Attributes | undefined;
}

/** Items and index entries by partition, in the order of their sort keys. */
export class Storage {
  readonly #items: Partitions<Entry>;
  readonly #indexes: Readonly<Record<IndexName, Partitions<Attributes>>>;

  constructor(items: Partitions<Entry> = new Map(), indexes = emptyIndexes()) {
    this.#items = items;
    this.#indexes = indexes;
  }

  get({ pk, sk }: Attributes): Attributes | undefined {
    const entries = this.#items.get(pk?.S ?? '');
    const entry = entries?.at(placeIn(entries, sk?.S ?? ''));
    return entry !== undefined && sortKeyOf(entry) === sk?.S
      ? toItem(pk?.S ?? '', entry)
      : undefined;
  }

  /** Puts an item in the place of what is there; `undefined` removes it. */
  replace(key: Attributes, item: Attributes | undefined): void {
    const old = this.get(key);
    const [partition = '', sk = ''] = [key.pk?.S, key.sk?.S];
    if (old) {
      const entries = listOf(this.#items, partition, compareEntries);
      entries.removeAt(placeIn(entries, sk));
    }
    if (item) listOf(this.#items, partition, compareEntries).insert(toEntry(item));
    for (const index of INDEX_NAMES) {
      const [before, after] = [indexEntry(old, index), indexEntry(item, index)];
      if (before) this.#leaveIndex(index, before);
      if (after) this.#indexList(index, after).insert(after);
    }
  }

  /** Adds many items that are not there yet. */
  load(items: Iterable<Attributes>): void {
    for (const item of items) {
      const partition = item.pk?.S ?? '';
      const entries = this.#items.get(partition);
      const entry = toEntry(item);
      if (entries) entries.append(entry);
      else this.#items.set(partition, new SortedList(compareEntries, [entry]));
      for (const index of INDEX_NAMES) {
        const inIndex = indexEntry(item, index);
        if (inIndex) this.#indexList(index, inIndex).append(inIndex);
      }
    }
  }

  /** Items of a partition one after the other. */
  *select({ partition, index, place, isForward, startKey }: Selection): Iterable<Attributes> {
    const keys = keyNames(index);
    const items = this.#list(partition, index);
    const isAfterStart = (item: Attributes, other: Attributes): boolean =>
      compareSortKeys(item, other, keys) > 0;
    let from = items.firstPast((item) => place(item[keys.sk] ?? {}) >= 0);
    let to = items.firstPast((item) => place(item[keys.sk] ?? {}) > 0);
    if (startKey && isForward) {
      from = Math.max(
        from,
        items.firstPast((item) => isAfterStart(item, startKey)),
      );
    } else if (startKey) {
      to = Math.min(
        to,
        items.firstPast((item) => !isAfterStart(startKey, item)),
      );
    }
    for (let at = from; at < to; at += 1) {
      const item = items.at(isForward ? at : to - 1 - (at - from));
      if (item) yield item;
    }
  }

  /** Every item. */
  *all(): Iterable<Attributes> {
    for (const [partition, entries] of this.#items)
      for (const entry of entries.values()) yield toItem(partition, entry);
  }

  /** The same items, whatever becomes of them here. */
  copy(): Storage {
    const { gsi1, gsi2 } = this.#indexes;
    return new Storage(copyOf(this.#items), { gsi1: copyOf(gsi1), gsi2: copyOf(gsi2) });
  }

  #list(partition: string, index: IndexName | undefined): ItemList {
    if (index) return this.#indexes[index].get(partition) ?? new SortedList(() => 0);
    const entries = this.#items.get(partition);
    return {
      at: (place) => {
        const entry = entries?.at(place);
        return entry === undefined ? undefined : toItem(partition, entry);
      },
      firstPast: (isPast) => entries?.firstPast((entry) => isPast(toItem(partition, entry))) ?? 0,
    };
  }

  #indexList(index: IndexName, entry: Attributes): SortedList<Attributes> {
    const keys = keyNames(index);
    return listOf(this.#indexes[index], entry[keys.pk]?.S ?? '', (one, other) =>
      compareSortKeys(one, other, keys),
    );
  }

  #leaveIndex(index: IndexName, entry: Attributes): void {
    const keys = keyNames(index);
    const entries = this.#indexList(index, entry);
    entries.removeAt(entries.firstPast((other) => compareSortKeys(other, entry, keys) >= 0));
  }
}

/** What a selection reads from. */
type ItemList = Pick<SortedList<Attributes>, 'at' | 'firstPast'>;

const emptyIndexes = (): Readonly<Record<IndexName, Partitions<Attributes>>> => ({
  gsi1: new Map(),
  gsi2: new Map(),
});

const copyOf = <T>(partitions: Partitions<T>): Partitions<T> =>
  new Map([...partitions].map(([name, list]) => [name, list.copy()]));

function listOf<T>(
  partitions: Partitions<T>,
  partition: string,
  compare: (one: T, other: T) => number,
): SortedList<T> {
  const known = partitions.get(partition);
  if (known) return known;
  const list = new SortedList(compare);
  partitions.set(partition, list);
  return list;
}

function toEntry({ pk: _pk, sk, ...rest }: Attributes): Entry {
  for (const _name in rest) return { sk: sk?.S ?? '', rest };
  return sk?.S ?? '';
}

function toItem(partition: string, entry: Entry): Attributes {
  const keys = { pk: { S: partition }, sk: { S: sortKeyOf(entry) } };
  return typeof entry === 'string' ? keys : { ...keys, ...entry.rest };
}

const sortKeyOf = (entry: Entry): string => (typeof entry === 'string' ? entry : entry.sk);

const compareEntries = (one: Entry, other: Entry): number =>
  compareTexts(sortKeyOf(one), sortKeyOf(other));

const placeIn = (entries: SortedList<Entry>, sk: string): number =>
  entries.firstPast((entry) => compareTexts(sortKeyOf(entry), sk) >= 0);

/** Where an item stands among those of a partition: by sort key, in an index then by the keys of the table. */
function compareSortKeys(one: Attributes, other: Attributes, { sk }: KeyNames): number {
  for (const name of sk === 'sk' ? [sk] : [sk, 'pk', 'sk']) {
    const order = compareTexts(one[name]?.S ?? '', other[name]?.S ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of the texts' UTF-8 bytes. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  // UTF-16 puts surrogates below U+E000 and above; only there its order differs.
  if (!SURROGATE_OR_ABOVE.test(one) || !SURROGATE_OR_ABOVE.test(other)) return one < other ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const SURROGATE_OR_ABOVE = /[\ud800-\uffff]/;
