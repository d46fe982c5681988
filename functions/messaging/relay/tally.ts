/** Result of a run. */
export interface RelayReport {
  readonly sent: number;
  readonly retried: number;
  readonly dead: number;
}

/** Counts what becomes of rows. */
export class Tally implements RelayReport {
  sent = 0;
  retried = 0;
  dead = 0;
  /** Rows that were claimed and not given back. */
  claimed = 0;
  #newSent = 0;
  #newFailed = 0;

  count(what: 'sent' | 'retried' | 'dead'): void {
    this[what] += 1;
    if (what === 'sent') this.#newSent += 1;
    else this.#newFailed += 1;
  }

  /** Sent and failed since the last call. */
  take(): readonly [sent: number, failed: number] {
    const counts = [this.#newSent, this.#newFailed] as const;
    this.#newSent = 0;
    this.#newFailed = 0;
    return counts;
  }
}
