import * as z from 'zod';
import { accepted, type Reply } from '../../../shared/http/reply.ts';
import { JOB_STATES } from '../../../shared/jobs/job.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { type EntityJob, JOB_KINDS } from '../jobs/job-service.ts';
import { pathBelow, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import { instant } from './record-schemas.ts';
import { toJob } from './views.ts';

export const job = lazy(() =>
  z
    .object({
      id: z.string(),
      kind: z.enum(JOB_KINDS),
      state: z.enum(JOB_STATES),
      processed: z.int(),
      total: z.int().nullable(),
      result: z.looseObject({}),
      link: z
        .string()
        .optional()
        .describe('Where the file of a finished export is, for some minutes.'),
      createdAt: instant(),
      updatedAt: instant(),
    })
    .meta({ id: 'EntityJob' }),
);

/** Declares the answer 202 of a call that goes on as a job. @param example members that differ from the common example */
export const startedJob = (description: string, example: Partial<EntityJob>) => ({
  description,
  schema: job,
  headers: { location: 'The job.' },
  example: { ...examples.job, ...example },
});

/** The answer of a call that goes on as a job, with the path of its progress. */
export const acceptedJob = (
  place: RecordRoutePlace,
  entityName: string,
  started: EntityJob,
  more: Readonly<Record<string, string>> = {},
): Reply =>
  accepted(toJob(started), {
    location: pathBelow(place, entityName, `/jobs/${started.id}`),
    ...more,
  });
