import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface AssetsRequest {
  readonly outputFolder: string;
  /** File with more modules than the platform's own. */
  readonly modulesEntry: string | undefined;
}

/**
 * Builds the assets of functions in a worker thread: generating the API description takes as long as
 * several requests, and the building process also serves the base URL.
 */
export class AssetsBuilder {
  #worker: Worker | undefined;

  /**
   * Copies and generates the assets of every function below a folder.
   * @throws Error when the API description cannot be generated.
   */
  async build(request: AssetsRequest): Promise<void> {
    this.#worker ??= new Worker(new URL('./assets-worker.ts', import.meta.url));
    const answered = once(this.#worker, 'message');
    this.#worker.postMessage(request);
    const [{ error }] = (await answered) as [{ readonly error?: string }];
    if (error !== undefined) throw new Error(error);
  }

  /** Ends the thread; the next one loads the current `lib/`. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
