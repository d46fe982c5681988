import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Where the assets go, and what other modules there are. */
export interface AssetsRequest {
  readonly outputFolder: string;
  /** File with more modules than the platform's own. */
  readonly modulesEntry: string | undefined;
}

/**
 * Makes what lies beside the code of functions in a thread of its own: describing the interface takes the time of
 * several requests, and the process that builds also serves the base URL.
 */
export class AssetsBuilder {
  #worker: Worker | undefined;

  /**
   * Copies and makes the assets of every function below a folder.
   * @throws Error when the description of the interface cannot be made.
   */
  async build(request: AssetsRequest): Promise<void> {
    this.#worker ??= new Worker(new URL('./assets-worker.ts', import.meta.url));
    const answered = once(this.#worker, 'message');
    this.#worker.postMessage(request);
    const [{ error }] = (await answered) as [{ readonly error?: string }];
    if (error !== undefined) throw new Error(error);
  }

  /** Ends the thread; the next one reads `lib/` as it is then. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
