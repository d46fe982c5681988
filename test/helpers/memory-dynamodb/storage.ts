import type { Attributes } from './attribute-value.ts';
import type { KeyNames } from './expressions/key-condition.ts';

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

interface Entry {
  readonly sortKey: readonly Buffer[];
  readonly item: Attributes;
}

type Partitions = Map<string, Entry[]>;

/** Items and index entries by partition, in the order of their sort keys. */
export class Storage {
  readonly #items: Partitions = new Map();
  readonly #indexes: Readonly<Record<IndexName, Partitions>> = { gsi1: new Map(), gsi2: new Map() };

  get(key: Attributes): Attributes | undefined {
    const entries = this.#items.get(key.pk?.S ?? '') ?? [];
    const [place, isThere] = find(entries, sortKeyOf(key, keyNames()));
    return isThere ? entries[place]?.item : undefined;
  }

  /** Puts an item in the place of what is there; `undefined` removes it. */
  replace(key: Attributes, item: Attributes | undefined): void {
    const old = this.get(key);
    if (old) remove(this.#items, old, keyNames());
    if (item) insert(this.#items, item, keyNames());
    for (const index of INDEX_NAMES) {
      const [before, after] = [indexEntry(old, index), indexEntry(item, index)];
      if (before) remove(this.#indexes[index], before, keyNames(index));
      if (after) insert(this.#indexes[index], after, keyNames(index));
    }
  }

  /** The items of a partition, in the order of their sort keys. */
  partition(value: string, index?: IndexName): readonly Attributes[] {
    const partitions = index ? this.#indexes[index] : this.#items;
    return (partitions.get(value) ?? []).map(({ item }) => item);
  }

  /** Every item. */
  all(): readonly Attributes[] {
    return [...this.#items.values()].flatMap((entries) => entries.map(({ item }) => item));
  }

  clear(): void {
    for (const partitions of [this.#items, ...Object.values(this.#indexes)]) partitions.clear();
  }
}

/** Where an item stands among those of a partition: by sort key, in an index then by the keys of the table. */
export function compareSortKeys(a: Attributes, b: Attributes, keys: KeyNames): number {
  return compare(sortKeyOf(a, keys), sortKeyOf(b, keys));
}

function sortKeyOf(item: Attributes, { sk }: KeyNames): readonly Buffer[] {
  const names = sk === 'sk' ? [sk] : [sk, 'pk', 'sk'];
  return names.map((name) => Buffer.from(item[name]?.S ?? ''));
}

function compare(a: readonly Buffer[], b: readonly Buffer[]): number {
  for (const [index, part] of a.entries()) {
    const order = Buffer.compare(part, b[index] ?? Buffer.alloc(0));
    if (order !== 0) return order;
  }
  return 0;
}

function find(entries: readonly Entry[], sortKey: readonly Buffer[]): [number, boolean] {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compare(entries[middle]?.sortKey ?? [], sortKey);
    if (order === 0) return [middle, true];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return [low, false];
}

function insert(partitions: Partitions, item: Attributes, keys: KeyNames): void {
  const partition = item[keys.pk]?.S ?? '';
  const entries = partitions.get(partition) ?? [];
  partitions.set(partition, entries);
  const sortKey = sortKeyOf(item, keys);
  entries.splice(find(entries, sortKey)[0], 0, { sortKey, item });
}

function remove(partitions: Partitions, item: Attributes, keys: KeyNames): void {
  const entries = partitions.get(item[keys.pk]?.S ?? '') ?? [];
  const [place, isThere] = find(entries, sortKeyOf(item, keys));
  if (isThere) entries.splice(place, 1);
}
