import { setTimeout as sleep } from 'node:timers/promises';

const longestWaitMs = 1000;

/** A gate that counts visitors and can be closed once they have left. */
export class Gate {
  #inside = 0;
  #closed: Promise<unknown> | undefined;

  /** Resolves when the visitor is inside. */
  async enter(): Promise<void> {
    while (this.#closed !== undefined) await this.#closed;
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
  }

  /** Runs `work` while the gate is empty, or after waiting one second. */
  async whileQuiet<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed;
    const working = this.#waitUntilEmpty().then(work);
    const closed = working.catch(() => undefined);
    this.#closed = closed;
    try {
      return await working;
    } finally {
      this.#closed = undefined;
    }
  }

  async #waitUntilEmpty(): Promise<void> {
    const deadline = Date.now() + longestWaitMs;
    while (this.#inside > 0 && Date.now() < deadline) await sleep(2);
  }
}
