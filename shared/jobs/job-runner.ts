import type { EventPublisher } from '../messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../primitives/clock.ts';
import { faultPoint } from '../primitives/fault-point.ts';
import type { IdGenerator } from '../primitives/ids.ts';
import type { Log } from '../primitives/log.ts';
import { httpProblems } from '../problems/http-problems.ts';
import { ownerOf, type Principal } from '../security/principal.ts';
import type { RunUnitOfWork } from '../store/unit-of-work.ts';
import {
  failureOf,
  isOpen,
  isStorable,
  type Job,
  type JobNotice,
  type JobWork,
  MAX_JOB_BYTES,
} from './job.ts';
import type { JobRepository } from './job-repository.ts';
import { JobTakeover, LEASE_MS } from './job-takeover.ts';

export interface JobRunnerDependencies {
  /** Module that owns the jobs; part of the fault point's name. */
  readonly module: string;
  /** Topic of the message that continues a job. */
  readonly topic: string;
  readonly repository: JobRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: Pick<EventPublisher, 'publish'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** Result of cancelling a job; `refused`: jobs of this kind cannot be cancelled. */
export type CancelAnswer =
  | { readonly kind: 'cancelling'; readonly job: Job }
  | { readonly kind: 'ended'; readonly job: Job }
  | { readonly kind: 'refused'; readonly job: Job };

/** How long one invocation keeps running steps. */
const RUN_MS = 60_000;
/** Most unfinished jobs that one sweep reads. */
const MAX_SWEPT = 1_000;

/**
 * Runs work that is too long for one request. A job sends itself a message for each run; an interrupted job
 * continues when its message is redelivered, when the sweep finds it or when a caller reads it.
 */
export class JobRunner<Kind extends string = string> {
  readonly #deps: JobRunnerDependencies;
  readonly #work = new Map<string, JobWork<Kind>>();
  readonly #takeover: JobTakeover<Kind>;

  constructor(dependencies: JobRunnerDependencies) {
    this.#deps = dependencies;
    this.#takeover = new JobTakeover({
      ...dependencies,
      work: this.#work,
      wake: (id) => this.#wake(id),
    });
  }

  /** Registers the work of a kind of job. */
  register(kind: Kind, work: JobWork<Kind>): void {
    this.#work.set(kind, work);
  }

  /**
   * Starts a job, on commit of the caller's unit of work if there is one.
   * @param id where the caller has named the job before
   * @throws Problem `PAYLOAD_TOO_LARGE` (413) when its input cannot be stored
   */
  async start(
    kind: Kind,
    subject: string,
    input: Readonly<Record<string, unknown>>,
    by: Pick<Principal, 'id' | 'issuer' | 'tenant'>,
    id = this.#deps.ids(),
  ): Promise<Job<Kind>> {
    const { repository, unitOfWork, clock } = this.#deps;
    const at = toInstant(clock.now());
    const job: Job<Kind> = {
      id,
      kind,
      subject,
      state: 'WAITING',
      processed: 0,
      total: null,
      input,
      progress: {},
      result: {},
      createdAt: at,
      ...ownerOf(by),
      updatedAt: at,
      leaseUntil: clock.now() + LEASE_MS,
      takeovers: 0,
      version: 1,
    };
    if (!isStorable(job)) throw httpProblems.payloadTooLarge({ maxBytes: MAX_JOB_BYTES });
    return unitOfWork(async (unit) => {
      repository.stageNew(unit, job);
      await this.#wake(job.id);
      return job;
    });
  }

  /** Runs a job again that waits for another one; on commit of the caller's unit of work if there is one. */
  async wake(jobId: string): Promise<void> {
    await this.#wake(jobId);
  }

  /** Reads a job and wakes it when it was interrupted. @returns `undefined` when the subject has no such job */
  async find(subject: string, id: string): Promise<Job<Kind> | undefined> {
    const job = await this.#load(id);
    if (job?.subject !== subject) return undefined;
    await this.#takeover.tryTakeOver(job);
    return job;
  }

  /**
   * Stops a job after its current step and cleans up. Data that it has written stays unless its
   * kind removes it.
   * @returns `undefined` when there is no such job
   */
  async cancel(subject: string, id: string): Promise<CancelAnswer | undefined> {
    const job = await this.#load(id);
    if (job?.subject !== subject) return undefined;
    if (!isOpen(job)) return { kind: 'ended', job };
    if (job.state === 'CANCELLING') return { kind: 'cancelling', job };
    if (!this.#work.get(job.kind)?.clear) return { kind: 'refused', job };
    const next = this.#advance(job, { state: 'CANCELLING' });
    const isMine = await this.#deps.repository.save(next, job.version, () => this.#wake(id));
    // A step ended in the meantime, and perhaps the job.
    return isMine ? { kind: 'cancelling', job: next } : this.cancel(subject, id);
  }

  /** Ends every other unfinished job of a subject that is gone. */
  async failAll(subject: string, except: string, detail: string): Promise<void> {
    for await (const job of this.#deps.repository.findOpen(Number.POSITIVE_INFINITY)) {
      if (job.subject !== subject || job.id === except) continue;
      const failed = { state: 'FAILED', result: { ...job.result, detail } } as const;
      const next = this.#advance(job as Job<Kind>, failed);
      if (await this.#deps.repository.save(next, job.version)) await this.#takeover.clear(job);
    }
  }

  /**
   * Changes what unfinished jobs keep from their calls. A step that is under way meanwhile is repeated.
   * @param renew the new input of a job; `undefined`: it stays as it is
   */
  async renewInputs(renew: (job: Job<Kind>) => Promise<Job['input'] | undefined>): Promise<void> {
    const { repository } = this.#deps;
    for await (const { id } of repository.findOpen(Number.POSITIVE_INFINITY)) {
      for (let isSaved = false; !isSaved; ) {
        const job = await this.#load(id);
        const input = job && isOpen(job) ? await renew(job) : undefined;
        if (!job || !input) break;
        const next = this.#advance(job, { input });
        isSaved = await repository.save(next, job.version, () => this.#wake(id));
      }
    }
  }

  /** Wakes interrupted jobs. @returns their number */
  async sweep(): Promise<number> {
    let count = 0;
    for await (const job of this.#deps.repository.findOpen(MAX_SWEPT)) {
      if (await this.#takeover.tryTakeOver(job)) count += 1;
    }
    return count;
  }

  /** Runs steps of a job until it is done or the time budget of the invocation is used. */
  async run({ jobId }: JobNotice): Promise<void> {
    const { repository, clock, log, module } = this.#deps;
    const endsAt = clock.now() + RUN_MS;
    let job = await this.#load(jobId);
    while (job && isOpen(job)) {
      const next = await this.#stepOrFail(job);
      faultPoint(`${module}.after-step`);
      if (!(await repository.save(next, job.version))) {
        job = await this.#load(jobId);
        if (job?.state === 'CANCELLING') continue;
        // Another run has cleaned up while this step was ending.
        if (job && isCleared(job)) await this.#work.get(job.kind)?.clear?.(job);
        return;
      }
      const { id, kind, state, processed } = next;
      log.info('job', { job: id, kind, state, processed });
      job = next;
      if (pauses(job, endsAt, clock.now())) return this.#wakeLater(job);
    }
  }

  /** A job that pauses is found by a sweep; one whose run has used its time goes on in the next run. */
  async #wakeLater({ id, isPaused }: Job): Promise<void> {
    if (!isPaused) await this.#wake(id);
  }

  async #load(id: string): Promise<Job<Kind> | undefined> {
    return (await this.#deps.repository.find(id)) as Job<Kind> | undefined;
  }

  #advance(job: Job<Kind>, change: Partial<Job>): Job<Kind> {
    const { clock } = this.#deps;
    const { isPaused: _paused, ...active } = job;
    return {
      ...active,
      leaseUntil: clock.now() + LEASE_MS,
      ...change,
      kind: job.kind,
      version: job.version + 1,
      updatedAt: toInstant(clock.now()),
      takeovers: 0,
    };
  }

  async #stepOrFail(job: Job<Kind>): Promise<Job<Kind>> {
    const next = this.#storable(await this.#next(job), job);
    if (next.state === 'FAILED') await this.#work.get(job.kind)?.clear?.(job);
    return next;
  }

  async #next(job: Job<Kind>): Promise<Job<Kind>> {
    const work = this.#work.get(job.kind);
    if (!work) {
      const detail = `No handler for this kind of job: ${job.kind}`;
      return this.#advance(job, { state: 'FAILED', result: { detail } });
    }
    if (job.state === 'CANCELLING') {
      await work.clear?.(job);
      return this.#advance(job, { state: 'CANCELLED' });
    }
    try {
      const { isDone, processed = 0, total, progress, result, pauseMs } = await work.step(job);
      const pause = pauseMs === undefined || isDone ? undefined : pauseMs;
      return this.#advance(job, {
        state: isDone ? 'DONE' : 'RUNNING',
        processed: job.processed + processed,
        total: total ?? job.total,
        progress: progress ?? job.progress,
        result: { ...job.result, ...result },
        ...(pause !== undefined && {
          isPaused: true,
          leaseUntil: this.#deps.clock.now() + pause,
        }),
      });
    } catch (cause) {
      const failure = failureOf(cause);
      if (!failure) throw cause;
      this.#deps.log.warn('A job failed', { job: job.id, kind: job.kind, cause });
      const result = { ...job.result, ...failure.result, detail: failure.message };
      return this.#advance(job, { state: 'FAILED', result });
    }
  }

  /** The outcome of a step must fit into the item of its job; otherwise the step would be repeated in vain. */
  #storable(next: Job<Kind>, job: Job<Kind>): Job<Kind> {
    if (isStorable(next)) return next;
    const detail = `What the job has to remember takes more than ${MAX_JOB_BYTES} bytes.`;
    return this.#advance(job, { state: 'FAILED', result: { ...job.result, detail } });
  }

  async #wake(jobId: string): Promise<void> {
    await this.#deps.events.publish(this.#deps.topic, jobId, { jobId } satisfies JobNotice);
  }
}

const pauses = ({ state, isPaused }: Job, endsAt: number, now: number): boolean =>
  state === 'RUNNING' && (isPaused === true || now >= endsAt);

const isCleared = ({ state }: Job): boolean => state === 'CANCELLED' || state === 'FAILED';
