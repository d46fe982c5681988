import { accepted, type Reply } from '../../../shared/http/reply.ts';
import type { EntityJob } from '../jobs/job-service.ts';
import { pathBelow, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import { job } from './schemas.ts';
import { toJob } from './views.ts';

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
