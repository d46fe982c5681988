interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Changes of a text, collected in any order; what none of them touches stays as it is. */
export class Splices {
  readonly #splices: Splice[] = [];

  get isEmpty(): boolean {
    return this.#splices.length === 0;
  }

  /** Insertions at the same place keep the order in which they are made, and stand before what replaces from there on. */
  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  remove(start: number, end: number): void {
    this.replace(start, end, '');
  }

  replace(start: number, end: number, text: string): void {
    this.#splices.push({ start, end, text });
  }

  /** @throws RangeError when two changes overlap */
  apply(source: string): string {
    const pieces: string[] = [];
    let at = 0;
    for (const { start, end, text } of this.#splices.toSorted(
      (a, b) => a.start - b.start || a.end - b.end,
    )) {
      if (start < at) throw new RangeError(`Two changes overlap at ${start}.`);
      pieces.push(source.slice(at, start), text);
      at = end;
    }
    pieces.push(source.slice(at));
    return pieces.join('');
  }
}
