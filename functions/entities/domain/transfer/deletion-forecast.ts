/** What is kept of a forecast between two steps of its job. */
export interface ForecastNotes {
  readonly staying: readonly string[];
  /** Records with those that they wait for. */
  readonly waiting: readonly (readonly [string, readonly string[]])[];
  readonly isExact: boolean;
}

/**
 * Which records a deletion by filter leaves: those that stay for a reason of their own, those that wait for one that stays,
 * and those that wait for each other.
 */
export class DeletionForecast {
  readonly #staying: Set<string>;
  readonly #waiting: Map<string, readonly string[]>;
  /** Whether nothing was forgotten, and no record waits longer than the deletion tries. */
  #isExact: boolean;

  constructor({ staying, waiting, isExact }: ForecastNotes = NOTHING_YET) {
    this.#staying = new Set(staying);
    this.#waiting = new Map(waiting);
    this.#isExact = isExact;
  }

  get isExact(): boolean {
    return this.#isExact;
  }

  isStaying(id: string): boolean {
    return this.#staying.has(id);
  }

  stays(id: string): void {
    this.#staying.add(id);
  }

  /** A record goes when others have gone. */
  waits(id: string, others: readonly string[]): void {
    if (others.length > 0) this.#waiting.set(id, others);
  }

  /** What the next step needs to know. @param most characters that it may take; the rest is forgotten */
  notes(most: number): ForecastNotes {
    let room = most;
    const fits = (part: unknown): boolean => {
      room -= JSON.stringify(part).length + 1;
      if (room < 0) this.#isExact = false;
      return room >= 0;
    };
    const staying = [...this.#staying].filter(fits);
    const waiting = [...this.#waiting].filter(fits);
    return { staying, waiting, isExact: this.#isExact };
  }

  /**
   * Judges those that wait when all records are known.
   * @param maxRounds how often a deletion tries records again
   * @returns those that stay because of others
   */
  settle(maxRounds: number): readonly string[] {
    const dependents = new Map<string, string[]>();
    for (const [id, others] of this.#waiting) {
      for (const other of others) dependents.set(other, [...(dependents.get(other) ?? []), id]);
    }
    const kept = this.#keptBy(dependents, [...this.#staying]);
    const open = new Map(
      [...this.#waiting]
        .filter(([id]) => !this.#staying.has(id))
        .map(([id, others]) => [id, others.filter((other) => this.#waiting.has(other)).length]),
    );
    let ready = [...open.keys()].filter((id) => open.get(id) === 0);
    for (let round = 1; ready.length > 0; round += 1) {
      if (round >= maxRounds) this.#isExact = false;
      const going = ready;
      for (const id of going) open.delete(id);
      ready = going.flatMap((id) => dependents.get(id) ?? []).filter((id) => closed(open, id));
    }
    for (const id of open.keys()) this.#staying.add(id);
    return [...kept, ...open.keys()];
  }

  /** Those that wait for records that stay, and for them in turn. */
  #keptBy(dependents: ReadonlyMap<string, readonly string[]>, first: readonly string[]): string[] {
    const kept: string[] = [];
    for (let some = first; some.length > 0; ) {
      const next = some
        .flatMap((id) => dependents.get(id) ?? [])
        .filter((id) => this.#staying.size !== this.#staying.add(id).size);
      kept.push(...next);
      some = next;
    }
    return kept;
  }
}

const NOTHING_YET: ForecastNotes = { staying: [], waiting: [], isExact: true };

/** Whether a record waits for nothing more, now that one of those that it has waited for goes. */
function closed(open: Map<string, number>, id: string): boolean {
  const left = open.get(id);
  if (left === undefined) return false;
  open.set(id, left - 1);
  return left === 1;
}
