import { Worker } from 'node:worker_threads';
import {
  EngineBroken,
  type EngineOutput,
  JobRefused,
  type StartedEngine,
} from '../watching/started-engine.ts';
import type { EngineJob, ThreadData, ThreadMessage } from './thread-messages.ts';

/** How an engine's thread is started. */
export interface EngineStart {
  /** File of the thread's code. */
  readonly file: URL;
  readonly data: ThreadData;
}

/** One engine in a thread of its own; of no use after it threw `EngineBroken`. */
export class Engine implements StartedEngine<EngineJob> {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<ThreadMessage> | undefined;
  #end: EngineBroken | undefined;

  constructor({ file, data }: EngineStart) {
    this.#worker = new Worker(file, { workerData: data });
    this.#worker.on('message', (message: ThreadMessage) => this.#waiting?.resolve(message));
    this.#worker.on('error', (cause) => this.#die(`it threw ${String(cause)}`));
    this.#worker.on('exit', (code) => this.#die(`it ended with ${code}`));
    // An engine without work keeps no process alive.
    this.#worker.unref();
  }

  async ready(): Promise<void> {
    this.#accept(await this.#answer());
  }

  async convert(job: EngineJob): Promise<EngineOutput> {
    const answered = this.#answer();
    this.#worker.postMessage(job);
    const message = this.#accept(await answered);
    if (message.kind !== 'done') throw new EngineBroken(`it said ${message.kind}`);
    return { pdf: message.pdf, pages: message.pages };
  }

  async stop(): Promise<void> {
    this.#die('it was stopped');
    await this.#worker.terminate();
  }

  async #answer(): Promise<ThreadMessage> {
    if (this.#end) throw this.#end;
    this.#waiting = Promise.withResolvers();
    this.#worker.ref();
    try {
      return await this.#waiting.promise;
    } finally {
      this.#waiting = undefined;
      // Whoever ends it waits for that.
      if (!this.#end) this.#worker.unref();
    }
  }

  #accept(message: ThreadMessage): ThreadMessage {
    if (message.kind === 'refused') throw new JobRefused(message.reason);
    if (message.kind === 'broken') throw new EngineBroken(message.reason);
    return message;
  }

  #die(reason: string): void {
    this.#end ??= new EngineBroken(`The engine is gone: ${reason}`);
    this.#waiting?.reject(this.#end);
  }
}
