import { isOpen, type Job } from '../../../shared/jobs/job.ts';
import { JobRunner } from '../../../shared/jobs/job-runner.ts';
import type { Generation } from '../domain/documents/generation.ts';

/** What a job of a template does: one document after its call has been answered, or one for each of many records. */
export type TemplateJobKind = 'DOCUMENT' | 'BATCH';

/** A job about a template; its subject is the id of the template. */
export type TemplateJob = Job<TemplateJobKind>;

/** Storage of the jobs; the subject is stored as `templateId`. */
export const JOB_STORAGE = { type: 'TPLJOB', subjectName: 'templateId' } as const;

/** Jobs of templates. */
export class TemplateJobs extends JobRunner<TemplateJobKind> {
  /** Whether a job renders a generation; wakes one that was interrupted. */
  async renders({ templateId, jobId }: Pick<Generation, 'templateId' | 'jobId'>): Promise<boolean> {
    if (jobId === undefined) return false;
    const job = await this.find(templateId, jobId);
    return job !== undefined && isOpen(job);
  }
}
