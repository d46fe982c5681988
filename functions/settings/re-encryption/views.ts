import type * as z from 'zod';
import type { Job } from '../../../shared/jobs/job.ts';
import type { reEncryptionJob } from './schemas.ts';

type JobView = z.output<ReturnType<typeof reEncryptionJob>>;

/** Maps a job to its response. */
export function toReEncryption(job: Job): JobView {
  const { id, state, processed, progress, result, createdAt, createdBy, updatedAt } = job;
  const { moved, unreadable, keysRemoved, keysKept, detail } = result as Partial<JobView>;
  const { phase = 'begin', round = 0, unreadable: inRound = 0 } = progress as Partial<JobView>;
  return {
    ...{ id, state, phase, round, processed },
    moved: moved ?? 0,
    unreadable: unreadable ?? inRound,
    keysRemoved: keysRemoved ?? null,
    keysKept: keysKept ?? null,
    detail: detail ?? null,
    ...{ createdAt, createdBy, updatedAt },
  };
}
