/** Work that goes on after the answer, step by step. */
export interface Job<Kind extends string = string> {
  readonly id: string;
  readonly kind: Kind;
  /** What the job is about, such as the code of an entity. */
  readonly subject: string;
  readonly state: JobState;
  readonly processed: number;
  /** `null` while it is not known. */
  readonly total: number | null;
  /** What the job was asked for. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Where the next step goes on. */
  readonly progress: Readonly<Record<string, unknown>>;
  /** What came of it. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  /** A step that began before and has not ended by then was interrupted (milliseconds since 1970). */
  readonly leaseUntil: number;
  /** How often the next step was taken over from a run that did not end it. */
  readonly takeovers: number;
  /** Grows by one with each step. */
  readonly version: number;
}

/** `CANCELLING`: no step begins any more; what the steps have left is being cleared. */
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

/** Whether a job still has something to do. */
export const isOpen = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'WAITING' || state === 'RUNNING' || state === 'CANCELLING';

/** What a step did, and whether there is more. */
export interface StepOutcome {
  readonly isDone: boolean;
  /** What this step has processed; it is added to the job's count. */
  readonly processed?: number;
  readonly total?: number;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Does the next part of a job; safe to repeat. A throw of `JobFailure` ends the job. */
export type JobStep<Kind extends string = string> = (job: Job<Kind>) => Promise<StepOutcome>;

/** What is done for one kind of job. */
export interface JobWork<Kind extends string = string> {
  readonly step: JobStep<Kind>;
  /**
   * Clears what the steps of a cancelled job have left; safe to repeat, and beside a step that is just ending.
   * Without it the kind cannot be cancelled.
   */
  readonly clear?: (job: Job<Kind>) => Promise<void>;
}

/** Ends a job as failed, with what its answer says. */
export class JobFailure extends Error {
  readonly result: Readonly<Record<string, unknown>>;

  constructor(message: string, result: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.result = result;
  }
}

/** Payload of the message by which a job wakes itself; the key is the id of the job. */
export interface JobNotice {
  readonly jobId: string;
}
