import type { Job } from '../../../shared/jobs/job.ts';
import { JobRunner } from '../../../shared/jobs/job-runner.ts';
import { isOwnedBy, type Principal } from '../../../shared/security/principal.ts';
import { problems } from '../errors.ts';

/** What a job of an entity does. */
export const JOB_KINDS = [
  'INDEX',
  'EXPORT',
  'IMPORT',
  'BULK_UPDATE',
  'BULK_DELETE',
  'PURGE',
  'CASCADE',
  'DELETE',
  'RECOUNT',
  'RE_ENCRYPT',
] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** A job about an entity; its subject is the entity's code, or `*` for all. */
export type EntityJob = Job<JobKind>;

/** Storage of entity jobs: the subject is stored as `entity`; `data`, the values of a change by filter, is never shown and goes when the job ends. */
export const JOB_STORAGE = {
  ...{ type: 'DYN_JOB', subjectName: 'entity' },
  forgotten: ['data'],
} as const;

/** Jobs that callers of records follow. */
const OWN_KINDS: ReadonlySet<JobKind> = new Set([
  'EXPORT',
  'IMPORT',
  'BULK_UPDATE',
  'BULK_DELETE',
  'DELETE',
]);

/** Jobs of entities, as callers of the API see them. */
export class JobService extends JobRunner<JobKind> {
  /**
   * The state of a job of an entity; wakes one that was interrupted.
   * @throws Problem `JOB_NOT_FOUND` (404)
   */
  async get(entity: string, id: string): Promise<EntityJob> {
    const job = await this.find(entity, id);
    if (!job) throw problems.jobNotFound({ id });
    return job;
  }

  /** The state of an import, export, change by filter or deletion that the caller has started. @throws Problem `JOB_NOT_FOUND` (404) */
  async getOwn(entity: string, id: string, principal: Principal): Promise<EntityJob> {
    const job = await this.get(entity, id);
    if (!OWN_KINDS.has(job.kind) || !isOwnedBy(job, principal)) throw problems.jobNotFound({ id });
    return job;
  }

  /**
   * Stops an import, export or change by filter that the caller has started. What was written stays.
   * @throws Problem `JOB_NOT_FOUND` (404), `JOB_ENDED` (409)
   */
  async cancelOwn(entity: string, id: string, principal: Principal): Promise<EntityJob> {
    await this.getOwn(entity, id, principal);
    const answer = await this.cancel(entity, id);
    if (answer?.kind === 'refused') {
      throw problems.jobEnded({ id }, { detail: 'A deletion cannot be cancelled.' });
    }
    if (answer?.kind !== 'cancelling') throw problems.jobEnded({ id });
    return { ...answer.job, kind: answer.job.kind as JobKind };
  }
}
