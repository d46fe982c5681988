import { JobRepository } from '../../../shared/jobs/job-repository.ts';
import { JobRunner } from '../../../shared/jobs/job-runner.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { JOB_TOPIC } from './topic.ts';

/** What a job of the module does. */
export type IdentityJobKind = 'RE_ENCRYPT' | 'REMOVE_ACCOUNTS';
export type IdentityJobs = JobRunner<IdentityJobKind>;

/** Ids of sources never begin with `@`. */
const STORAGE = { type: 'identity_source#@job', subjectName: 'of' } as const;

/** The jobs of the module. */
export const createJobs = (context: ServiceContext): IdentityJobs =>
  new JobRunner({
    ...context,
    clock: context.tenantClock.machine,
    module: 'identity',
    topic: JOB_TOPIC,
    repository: new JobRepository({ ...context, ...STORAGE }),
  });
