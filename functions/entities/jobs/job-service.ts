import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { problems } from '../errors.ts';
import { JOB_TOPIC, type JobNotice } from '../events.ts';
import { isOpen, type Job, type JobKind, type JobRepository } from '../store/job-repository.ts';

/** What a step did, and whether there is more. */
export interface StepOutcome {
  readonly isDone: boolean;
  readonly processed?: number;
  readonly total?: number;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Does the next part of a job; safe to repeat. A throw of `JobFailure` ends the job. */
export type JobStep = (job: Job) => Promise<StepOutcome>;

/** Ends a job as failed, with what its answer says. */
export class JobFailure extends Error {
  readonly result: Readonly<Record<string, unknown>>;

  constructor(message: string, result: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.result = result;
  }
}

/** What the service needs from outside. */
export interface JobServiceDependencies {
  readonly repository: JobRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly events: EventPublisher;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

/** How long a step may take before it counts as interrupted. */
const LEASE_MS = 150_000;
/** How long one invocation goes on with steps. */
const RUN_MS = 60_000;
/** A step that nobody ends is taken over later and later; then its job has failed. */
const MAX_TAKEOVERS = 12;
const MAX_LEASE_MS = 3_600_000;
/** Unfinished jobs that one sweep looks at. */
const MAX_SWEPT = 100;

/**
 * Runs work that is too long for one answer. A job wakes itself by a message for each run; one that was
 * interrupted goes on when its message comes again, when the sweep finds it or when somebody asks for its state.
 */
export class JobService {
  readonly #to: JobServiceDependencies;
  readonly #steps = new Map<JobKind, JobStep>();

  constructor(dependencies: JobServiceDependencies) {
    this.#to = dependencies;
  }

  /** Says what the steps of a kind of job do. */
  register(kind: JobKind, step: JobStep): void {
    this.#steps.set(kind, step);
  }

  /** Starts a job, with the commit of the unit of work around the caller if there is one. */
  async start(
    kind: JobKind,
    entity: string,
    input: Readonly<Record<string, unknown>>,
    by: string,
  ): Promise<Job> {
    const { repository, unitOfWork, clock, ids } = this.#to;
    const at = toInstant(clock.now());
    const job: Job = {
      id: ids(),
      kind,
      entity,
      state: 'WAITING',
      processed: 0,
      total: null,
      input,
      progress: {},
      result: {},
      createdAt: at,
      createdBy: by,
      updatedAt: at,
      leaseUntil: clock.now() + LEASE_MS,
      takeovers: 0,
      version: 1,
    };
    return unitOfWork(async (unit) => {
      repository.stageNew(unit, job);
      await this.#wake(job.id);
      return job;
    });
  }

  /**
   * The state of a job of an entity; wakes one that was interrupted.
   * @throws Problem `JOB_NOT_FOUND` (404)
   */
  async get(entity: string, id: string): Promise<Job> {
    const job = await this.#to.repository.find(id);
    if (job?.entity !== entity) throw problems.jobNotFound({ id });
    await this.#takeOver(job);
    return job;
  }

  /** Wakes the jobs whose runs were interrupted. @returns how many */
  async sweep(): Promise<number> {
    let count = 0;
    for (const job of await this.#to.repository.findOpen(MAX_SWEPT)) {
      if (await this.#takeOver(job)) count += 1;
    }
    return count;
  }

  /** The state of an import or export that the caller has started. @throws Problem `JOB_NOT_FOUND` (404) */
  async getOwn(entity: string, id: string, principal: Principal): Promise<Job> {
    const job = await this.get(entity, id);
    const isFile = job.kind === 'EXPORT' || job.kind === 'IMPORT';
    if (!isFile || job.createdBy !== principal.id) throw problems.jobNotFound({ id });
    return job;
  }

  /** Goes on with a job until it is done or the invocation has worked long enough. */
  async run({ jobId }: JobNotice): Promise<void> {
    const { repository, clock, log } = this.#to;
    const endsAt = clock.now() + RUN_MS;
    let job = await repository.find(jobId);
    while (job && isOpen(job)) {
      const next = await this.#step(job);
      faultPoint('entities.after-step');
      const isMine = await repository.save(next, job.version);
      if (!isMine) return;
      log.info('job', {
        job: job.id,
        kind: job.kind,
        state: next.state,
        processed: next.processed,
      });
      job = next;
      if (job.state === 'RUNNING' && clock.now() >= endsAt) return this.#wake(jobId);
    }
  }

  async #step(job: Job): Promise<Job> {
    const { clock, log } = this.#to;
    const step = this.#steps.get(job.kind);
    const advance = (change: Partial<Job>): Job => ({
      ...job,
      ...change,
      version: job.version + 1,
      updatedAt: toInstant(clock.now()),
      leaseUntil: clock.now() + LEASE_MS,
      takeovers: 0,
    });
    if (!step) return advance({ state: 'FAILED', result: { detail: 'nobody does such jobs' } });
    try {
      const { isDone, processed = 0, total, progress, result } = await step(job);
      return advance({
        state: isDone ? 'DONE' : 'RUNNING',
        processed: job.processed + processed,
        total: total ?? job.total,
        progress: progress ?? job.progress,
        result: { ...job.result, ...result },
      });
    } catch (cause) {
      if (!(cause instanceof JobFailure)) throw cause;
      log.warn('A job failed', { job: job.id, kind: job.kind, cause });
      return advance({
        state: 'FAILED',
        result: { ...job.result, ...cause.result, detail: cause.message },
      });
    }
  }

  /** Wakes a job whose step did not end in its time; one that never ends has failed. */
  async #takeOver(job: Job): Promise<boolean> {
    const { repository, clock, log } = this.#to;
    const now = clock.now();
    if (!isOpen(job) || now <= job.leaseUntil) return false;
    const takeovers = job.takeovers + 1;
    const hasFailed = takeovers > MAX_TAKEOVERS;
    const next: Job = {
      ...job,
      takeovers,
      version: job.version + 1,
      leaseUntil: now + Math.min(LEASE_MS * 2 ** takeovers, MAX_LEASE_MS),
      ...(hasFailed && {
        state: 'FAILED',
        updatedAt: toInstant(now),
        result: { ...job.result, detail: 'A step of the job was interrupted again and again.' },
      }),
    };
    const isMine = await repository.save(next, job.version, async () => {
      if (!hasFailed) await this.#wake(job.id);
    });
    if (isMine) log.warn('A job was interrupted', { job: job.id, kind: job.kind, takeovers });
    return isMine;
  }

  async #wake(jobId: string): Promise<void> {
    await this.#to.events.publish(JOB_TOPIC, jobId, { jobId } satisfies JobNotice);
  }
}
