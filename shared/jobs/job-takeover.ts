import { type Clock, toInstant } from '../primitives/clock.ts';
import type { Log } from '../primitives/log.ts';
import { isOpen, type Job, type JobWork } from './job.ts';
import type { JobRepository } from './job-repository.ts';

/** How long a step may take before it counts as interrupted. */
export const LEASE_MS = 150_000;
/** A step that is interrupted repeatedly is taken over after growing delays; after the last one its job fails. */
const MAX_TAKEOVERS = 12;
const MAX_LEASE_MS = 3_600_000;

interface JobTakeoverDependencies<Kind extends string> {
  readonly repository: Pick<JobRepository, 'save'>;
  readonly work: ReadonlyMap<string, JobWork<Kind>>;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends the message that continues a job, on commit of the unit of work around it. */
  readonly wake: (jobId: string) => Promise<void>;
}

/** Continues jobs whose step was interrupted. */
export class JobTakeover<Kind extends string> {
  readonly #deps: JobTakeoverDependencies<Kind>;

  constructor(dependencies: JobTakeoverDependencies<Kind>) {
    this.#deps = dependencies;
  }

  /** Takes a job over if it was interrupted; one that cannot be woken now is woken by the next reader or sweep. */
  async tryTakeOver(job: Job): Promise<boolean> {
    try {
      return await this.#takeOver(job);
    } catch (cause) {
      this.#deps.log.warn('An interrupted job could not be woken', { job: job.id, cause });
      return false;
    }
  }

  /** Clears what a failed job has left; leftovers that cannot be cleared expire. */
  async clear(job: Job): Promise<void> {
    const work = this.#deps.work.get(job.kind);
    try {
      await work?.clear?.(job as Job<Kind>);
    } catch (cause) {
      this.#deps.log.error('A failed job was not cleared', { job: job.id, kind: job.kind, cause });
    }
  }

  /** Wakes a job whose step timed out, or fails it after too many time-outs. */
  async #takeOver(job: Job): Promise<boolean> {
    const { repository, clock, log, wake } = this.#deps;
    const now = clock.now();
    if (!isOpen(job) || now <= job.leaseUntil) return false;
    const { isPaused, ...active } = job;
    const takeovers = isPaused ? 0 : job.takeovers + 1;
    const hasFailed = takeovers > MAX_TAKEOVERS;
    const next: Job = {
      ...active,
      takeovers,
      version: job.version + 1,
      leaseUntil: now + Math.min(LEASE_MS * 2 ** takeovers, MAX_LEASE_MS),
      ...(hasFailed && {
        state: 'FAILED',
        updatedAt: toInstant(now),
        result: { ...job.result, detail: 'A step of the job was interrupted too often.' },
      }),
    };
    const isMine = await repository.save(next, job.version, async () => {
      if (!hasFailed) await wake(job.id);
    });
    if (isMine && !isPaused)
      log.warn('A job was interrupted', { job: job.id, kind: job.kind, takeovers });
    if (isMine && hasFailed) await this.clear(next);
    return isMine;
  }
}
