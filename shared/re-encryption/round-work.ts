import type { Job } from '../jobs/job.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { ReEncryption, ReEncryptionRound } from '../ports/re-encryption.ts';
import { systemPrincipal } from '../security/principal.ts';
import type { RunUnitOfWork } from '../store/unit-of-work.ts';
import { NO_TEXTS, type TextCounts } from './renewed-texts.ts';

export interface RoundWorkDependencies<Kind extends string> {
  /** Module that takes part. */
  readonly module: string;
  /** Kind and subject of the job that walks over its texts. */
  readonly kind: Kind;
  readonly subject: string;
  readonly jobs: Pick<JobRunner<Kind>, 'start'>;
  readonly unitOfWork: RunUnitOfWork;
  /** The re-encryption of the settings module. */
  readonly reEncryption: () => ReEncryption;
}

/** The part of one module in re-encryptions: each round is a job of its own. */
export class RoundWork<Kind extends string> {
  readonly #deps: RoundWorkDependencies<Kind>;

  constructor(dependencies: RoundWorkDependencies<Kind>) {
    this.#deps = dependencies;
  }

  /** Starts the job of an open round, once. @returns whether there was one */
  async take(): Promise<boolean> {
    const { unitOfWork, module, kind, subject, jobs, reEncryption } = this.#deps;
    return unitOfWork(async () => {
      const round = await reEncryption().take(module);
      if (round) await jobs.start(kind, subject, { ...round }, systemPrincipal);
      return round !== undefined;
    });
  }

  done(job: Job, counts: TextCounts): Promise<void> {
    return this.#report(job, 'DONE', counts);
  }

  /** A walk that failed: no key is removed. */
  failed(job: Job): Promise<void> {
    return this.#report(job, 'FAILED', NO_TEXTS);
  }

  async #report({ input }: Job, state: 'DONE' | 'FAILED', counts: TextCounts): Promise<void> {
    const { jobId, round } = input as unknown as ReEncryptionRound;
    const { module, reEncryption } = this.#deps;
    await reEncryption().report(module, { jobId, round }, { state, ...counts });
  }
}
