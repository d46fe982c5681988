/** Entries in order. Many can be added at once; they are sorted when somebody looks. */
export class SortedList<T> {
  readonly #compare: (one: T, other: T) => number;
  #entries: T[];
  #isSorted = true;

  constructor(compare: (one: T, other: T) => number, entries: T[] = []) {
    this.#compare = compare;
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.length;
  }

  at(place: number): T | undefined {
    return this.#sorted()[place];
  }

  values(): readonly T[] {
    return this.#sorted();
  }

  /** The first place whose entry is past something; the number of entries when none is. */
  firstPast(isPast: (entry: T) => boolean): number {
    const entries = this.#sorted();
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isPast(entries[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Puts an entry in its place. */
  insert(entry: T): void {
    this.#sorted().splice(
      this.firstPast((other) => this.#compare(other, entry) >= 0),
      0,
      entry,
    );
  }

  removeAt(place: number): void {
    this.#sorted().splice(place, 1);
  }

  /** Adds an entry that no other is equal to; its place is found later. */
  append(entry: T): void {
    this.#entries.push(entry);
    this.#isSorted = false;
  }

  copy(): SortedList<T> {
    return new SortedList(this.#compare, [...this.#sorted()]);
  }

  #sorted(): T[] {
    if (!this.#isSorted) this.#entries.sort(this.#compare);
    this.#isSorted = true;
    return this.#entries;
  }
}
