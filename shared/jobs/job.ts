import { Problem } from '../problems/problem.ts';
import type { Owner } from '../security/principal.ts';

/** Work that continues after the response, step by step. */
export interface Job<Kind extends string = string> extends Owner {
  readonly id: string;
  readonly kind: Kind;
  /** Subject of the job, such as the code of an entity. */
  readonly subject: string;
  readonly state: JobState;
  readonly processed: number;
  /** `null` while unknown. */
  readonly total: number | null;
  /** Parameters of the job. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Position of the next step. */
  readonly progress: Readonly<Record<string, unknown>>;
  /** Result of the job. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Deadline of the current step: one that has not ended by then was interrupted (epoch ms). */
  readonly leaseUntil: number;
  /** Its next step waits until `leaseUntil`: the first sweep or reader after that goes on. */
  readonly isPaused?: boolean;
  /** How often the next step was taken over from an interrupted run. */
  readonly takeovers: number;
  /** Incremented by each step. */
  readonly version: number;
}

/** `CANCELLING`: no further step starts; the clean-up is running. */
export type JobState = 'WAITING' | 'RUNNING' | 'CANCELLING' | 'DONE' | 'FAILED' | 'CANCELLED';

/** Every state of a job, in the order of its life. */
export const JOB_STATES = [
  'WAITING',
  'RUNNING',
  'CANCELLING',
  'DONE',
  'FAILED',
  'CANCELLED',
] as const satisfies readonly JobState[];

/** Whether a job is unfinished. */
export const isOpen = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'WAITING' || state === 'RUNNING' || state === 'CANCELLING';

/** Result of a step, and whether more steps follow. */
export interface StepOutcome {
  readonly isDone: boolean;
  /** Items processed by this step; added to the job's count. */
  readonly processed?: number;
  readonly total?: number;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  /** Pause before the next step, in ms: the first sweep or reader after it goes on. */
  readonly pauseMs?: number | undefined;
}

/**
 * Runs the next step of a job; must be idempotent. Throwing `JobFailure` ends the job, and so does a problem of the
 * request (4xx) that another attempt would meet again; any other error is repeated.
 */
export type JobStep<Kind extends string = string> = (job: Job<Kind>) => Promise<StepOutcome>;

/** Implementation of one kind of job. */
export interface JobWork<Kind extends string = string> {
  readonly step: JobStep<Kind>;
  /**
   * Cleans up after a cancelled or failed job; must be idempotent. It may run beside a step that is just ending, and
   * runs again after that.
   * Kinds without it cannot be cancelled.
   */
  readonly clear?: (job: Job<Kind>) => Promise<void>;
}

/**
 * Largest job that is stored, in bytes of its JSON: an item of the table holds 400 KB, and lists of numbers take more
 * room there.
 */
export const MAX_JOB_BYTES = 300_000;

/** Whether a job can be stored. */
export const isStorable = (job: Job): boolean =>
  Buffer.byteLength(JSON.stringify(job)) <= MAX_JOB_BYTES;

/** Fails a job, with the error that its resource shows. */
export class JobFailure extends Error {
  readonly result: Readonly<Record<string, unknown>>;

  constructor(message: string, result: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.result = result;
  }
}

/** Statuses of problems that another attempt may not meet. */
const REPEATABLE: ReadonlySet<number> = new Set([401, 408, 409, 412, 423, 425, 429]);

/** The failure of a job by an error of its step; `undefined`: the step is repeated. */
export function failureOf(error: unknown): JobFailure | undefined {
  if (error instanceof JobFailure) return error;
  const isFinal = error instanceof Problem && error.status < 500 && !REPEATABLE.has(error.status);
  return isFinal ? new JobFailure(error.detail, { code: error.code }) : undefined;
}

/** Payload of the message that continues a job; the key is the id of the job. */
export interface JobNotice {
  readonly jobId: string;
}
