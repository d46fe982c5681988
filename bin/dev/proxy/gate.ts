import { setTimeout as sleep } from 'node:timers/promises';

const longestWaitMs = 1000;

/** Lets visitors in and out, and can be closed for a moment once those inside have left. */
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

  /** Does `work` with nobody inside; whoever is still there after a second is not waited for any longer. */
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
