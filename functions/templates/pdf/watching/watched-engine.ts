import type { Log } from '../../../../shared/primitives/log.ts';
import { TimeUpError, timeLimit, within } from '../../../../shared/primitives/time-limit.ts';
import {
  EngineBroken,
  type EngineOutput,
  EngineStarting,
  type StartedEngine,
} from './started-engine.ts';

export interface WatchOptions<Job> {
  readonly start: () => StartedEngine<Job>;
  /** A document that every engine prints before the first job. */
  readonly trial: Job;
  /** Longest time until an engine has printed the trial (ms); then it is ended and another one started. */
  readonly startMs: number;
  /** Time after which an engine that works on a document is taken to stand still (ms), if there is time for another. */
  readonly stallMs: number;
  /** Least time that another attempt is worth (ms): the start of an engine and a short document. */
  readonly minAttemptMs: number;
  /** Jobs after which an engine is worn out. */
  readonly maxJobs: number;
  /** Memory above which an engine is worn out. */
  readonly maxMemoryBytes: number;
  /** Default: that of this process. */
  readonly memoryBytes?: () => number;
  /** Longest time until an engine that is stopped has ended (ms); nobody waits longer for one. */
  readonly stopMs?: number;
  readonly now?: () => number;
  readonly log: Pick<Log, 'warn'>;
}

/** A document that ends two engines ends every one. */
const MAX_ATTEMPTS = 2;
/** Engines that are started one after the other before it is said that none starts. */
const MAX_STARTS = 3;
/** An engine ends at once, unless the machine itself stands still (ms). */
const STOP_MS = 5_000;

interface StartingEngine<Job> {
  readonly engine: StartedEngine<Job>;
  /** Resolved when it has printed the trial. */
  readonly printed: Promise<void>;
  /** Time in which documents have waited for it (ms): between two of them a function may be frozen. */
  waitedMs: number;
}

/** An engine that is there when it is needed: one that stands still, dies or is worn out is replaced. */
export class WatchedEngine<Job> {
  readonly #options: WatchOptions<Job>;
  readonly #now: () => number;
  #engine: StartedEngine<Job> | undefined;
  #starting: StartingEngine<Job> | undefined;
  #jobs = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: WatchOptions<Job>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Starts an engine, if none is there. @throws EngineStarting at the deadline; Error when none starts. */
  warm(deadline: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#ready(deadline);
    });
  }

  /**
   * Converts one document after the other.
   * @throws JobRefused; TimeUpError at the deadline, EngineStarting when no engine was ready by then; EngineBroken when two engines broke; Error when none starts.
   */
  convert(job: Job, deadline: number): Promise<EngineOutput> {
    return this.#inTurn(async () => {
      let firstEnd: unknown;
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(job, deadline, attempt);
        } catch (cause) {
          // A document that has ended an engine may end the next one, too.
          const end = cause instanceof EngineStarting ? (firstEnd ?? cause) : cause;
          await this.#endOver(end, attempt, deadline);
          firstEnd = end;
        }
      }
    });
  }

  /** Drops an engine that has ended over a document. @throws what has ended it, unless there is time for another attempt */
  async #endOver(cause: unknown, attempt: number, deadline: number): Promise<void> {
    if (cause instanceof EngineStarting || !isEndOfEngine(cause)) throw cause;
    await this.#drop(cause);
    const isLast = attempt === MAX_ATTEMPTS || this.#left(deadline) < this.#options.minAttemptMs;
    if (isLast) throw cause;
  }

  async stop(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#dropStarting();
      await this.#drop();
    });
  }

  async #attempt(job: Job, deadline: number, attempt: number): Promise<EngineOutput> {
    const before = this.#engine;
    const engine = await this.#ready(deadline);
    const { stallMs, minAttemptMs } = this.#options;
    const left = this.#left(deadline);
    // An engine that is at a document when the time is up would have to be started again.
    if (attempt === 1 && left < (engine === before ? 1 : minAttemptMs)) {
      throw new EngineStarting('Waiting for an engine has taken the time');
    }
    const isLast = attempt === MAX_ATTEMPTS || left < 2 * minAttemptMs;
    const limitMs = isLast ? left : Math.min(stallMs, left - minAttemptMs);
    this.#jobs += 1;
    return await limited(limitMs, () => engine.convert(job));
  }

  async #ready(deadline: number): Promise<StartedEngine<Job>> {
    if (this.#engine && this.#isWornOut()) await this.#drop('worn out');
    for (let starts = 0; !this.#engine; ) {
      const left = this.#left(deadline);
      if (left <= 0) throw new EngineStarting('No engine was ready in time');
      if (!this.#starting && starts++ === MAX_STARTS) throw new Error('No engine starts');
      await this.#await(this.#starting ?? this.#start(), left);
    }
    return this.#engine;
  }

  #left(deadline: number): number {
    return deadline - this.#now();
  }

  #start(): StartingEngine<Job> {
    const engine = this.#options.start();
    const print = async () => {
      await engine.ready();
      await engine.convert(this.#options.trial);
    };
    const printed = print();
    // Whoever waits for it is told.
    printed.catch(() => undefined);
    this.#starting = { engine, printed, waitedMs: 0 };
    return this.#starting;
  }

  /** Waits for an engine that starts, which is ended when it takes too long for one. */
  async #await(starting: StartingEngine<Job>, left: number): Promise<void> {
    const remaining = this.#options.startMs - starting.waitedMs;
    try {
      await limited(Math.min(remaining, left), () => starting.printed);
      this.#starting = undefined;
      this.#engine = starting.engine;
      this.#jobs = 0;
    } catch (cause) {
      if (cause instanceof TimeUpError && left < remaining) {
        starting.waitedMs += left;
        throw new EngineStarting('No engine was ready in time', { cause });
      }
      this.#options.log.warn('An engine did not start', { cause });
      await this.#dropStarting();
      if (!isEndOfEngine(cause)) throw cause;
    }
  }

  async #dropStarting(): Promise<void> {
    const starting = this.#starting;
    this.#starting = undefined;
    if (starting) await this.#end(starting.engine);
  }

  #isWornOut(): boolean {
    const { maxJobs, maxMemoryBytes, memoryBytes = process.memoryUsage.rss } = this.#options;
    return this.#jobs >= maxJobs || memoryBytes() > maxMemoryBytes;
  }

  async #drop(cause?: unknown): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    if (!engine) return;
    if (cause !== undefined) this.#options.log.warn('An engine is replaced', { cause });
    await this.#end(engine);
  }

  async #end(engine: StartedEngine<Job>): Promise<void> {
    try {
      await limited(this.#options.stopMs ?? STOP_MS, () => engine.stop());
    } catch (cause) {
      this.#options.log.warn('An engine does not end', { cause });
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(work);
    this.#queue = mine.catch(() => undefined);
    return mine;
  }
}

const isEndOfEngine = (cause: unknown): boolean =>
  cause instanceof EngineBroken || cause instanceof TimeUpError;

async function limited<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const limit = timeLimit(ms);
  try {
    return await within(limit.signal, work);
  } finally {
    limit.end();
  }
}
