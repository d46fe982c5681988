import * as z from 'zod';
import { JOB_STATES } from '../../../shared/jobs/job.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));

export const reEncryptBody = lazy(() =>
  z.strictObject({
    keepKeys: z
      .boolean()
      .default(false)
      .describe('Whether former keys stay in the ring after all texts have been moved.'),
  }),
);

export const jobParams = lazy(() =>
  z.strictObject({
    jobId: z
      .string()
      .regex(/^[0-9a-zA-Z-]{1,64}$/, 'must contain only letters, digits and -')
      .describe('Id of the job.'),
  }),
);

export const reEncryptionJob = lazy(() =>
  z
    .object({
      id: z.string(),
      state: z.enum(JOB_STATES),
      phase: z
        .enum(['begin', 'settings', 'modules', 'settle', 'clean'])
        .describe(
          'settings and modules: texts are moved; settle: until nobody writes with a former key; clean: keys are removed.',
        ),
      round: z.int().min(0).describe('Walks over all texts that have begun.'),
      processed: z.int().min(0).describe('Cipher texts that were looked at.'),
      moved: z.int().min(0).describe('Texts that were given the newest key.'),
      unreadable: z.int().min(0).describe('Texts that no key decrypts, in the last walk.'),
      keysRemoved: z.int().min(0).nullable().describe('null until the job has ended.'),
      keysKept: z.int().min(0).nullable().describe('null until the job has ended.'),
      detail: z.string().nullable().describe('Why the job failed.'),
      createdAt: instant(),
      createdBy: z.string(),
      updatedAt: instant(),
    })
    .meta({ id: 'ReEncryptionJob' }),
);
