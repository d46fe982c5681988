import type { Files } from '../../../shared/files/files.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { timeLimit, within } from '../../../shared/primitives/time-limit.ts';
import { reportNotReady } from '../../../shared/store/health-items.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { problems } from '../errors.ts';

export interface ReadinessDependencies {
  readonly table: Table;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  /** Of the machine. */
  readonly clock: Clock;
  readonly log: Log;
  /** How long table and bucket have for their answers (ms). */
  readonly limitMs?: number;
}

/** The forms of items and files that this code reads and writes. A later one, which it does not know, is noted in the table. */
export const LAYOUT = 1;
/** Which layout the table has; absent: the first. */
export const layoutKey: Key = { pk: 'WF#@layout', sk: 'LAYOUT' };
/** No file: asking for it shows that the bucket answers. */
const PROBE = 'workflow/definitions/@ready';
const LIMIT_MS = 5_000;
/** A report outlives the minute until the next sweep. */
const REPORT_MS = 150_000;

/** Whether the runtime can work: table and bucket answer, and what is stored has a layout that this code reads. */
export class Readiness {
  readonly #deps: ReadinessDependencies;
  #checked: Promise<void> | undefined;

  constructor(dependencies: ReadinessDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Passes once the check has passed in this environment; until then each call checks again.
   * @throws Problem `CMMN_RUNTIME_NOT_READY` (503)
   */
  async require(): Promise<void> {
    this.#checked ??= apart(() => this.#check());
    const checked = this.#checked;
    try {
      await checked;
    } catch (cause) {
      if (this.#checked === checked) this.#checked = undefined;
      throw cause;
    }
  }

  /** Checks once more, although the check may have passed before. @throws as `require` */
  renew(): Promise<void> {
    this.#checked = undefined;
    return this.require();
  }

  async #check(): Promise<void> {
    const { table, files, limitMs = LIMIT_MS } = this.#deps;
    const limit = timeLimit(limitMs);
    try {
      await within(limit.signal, async () => {
        const [layout] = await Promise.all([
          table.get<Item & { readonly layout: number }>(layoutKey),
          files.read(PROBE, 1),
        ]);
        if (layout && layout.layout > LAYOUT) throw new UnknownLayoutError(layout.layout);
      });
    } catch (cause) {
      this.#deps.log.error('The CMMN runtime is not ready', { cause });
      await this.#report(cause);
      throw problems.runtimeNotReady({ cause });
    } finally {
      limit.end();
    }
  }

  /** For `/health`; a table that does not answer is shown there without a report. */
  async #report(cause: unknown): Promise<void> {
    const { unitOfWork, clock, log } = this.#deps;
    const reason = cause instanceof Error ? cause.name : 'unknown';
    const report = { module: 'workflow', reason, now: clock.now(), forMs: REPORT_MS };
    try {
      await unitOfWork(async (unit) => reportNotReady(unit, report));
    } catch (failure) {
      log.warn('It could not be reported that the runtime is not ready', { cause: failure });
    }
  }
}

/** A later version of this code has changed what is stored. */
class UnknownLayoutError extends Error {
  override readonly name = 'UnknownLayoutError';

  constructor(layout: number) {
    super(`The table has layout ${layout}, and this code reads ${LAYOUT}`);
  }
}
