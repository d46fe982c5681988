import * as z from 'zod';
import { accepted, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { JOB_STATES, type Job } from '../../../../shared/jobs/job.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { SourceRemoval } from '../../sources/source-removal.ts';
import { sourceParams } from './source-schemas.ts';

export interface RemovalRouteServices {
  readonly removal: OnDemand<SourceRemoval>;
}

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const removalQuery = lazy(() =>
  z.strictObject({
    accounts: z
      .enum(['keep', 'disable', 'delete'])
      .default('keep')
      .describe(
        'What becomes of the accounts that the source has made; with delete, of its empty departments too. Accounts that others know too only lose their link.',
      ),
  }),
);
const jobParams = lazy(() => z.strictObject({ id: z.uuid(), jobId: z.uuid() }));
const job = lazy(() =>
  z
    .object({
      id: z.uuid(),
      state: z.enum(JOB_STATES),
      processed: z.int().describe('Accounts that were looked at.'),
      result: z.object({
        ...{ disabled: z.int().optional(), deleted: z.int().optional() },
        ...{ unlinked: z.int().optional(), failed: z.int().optional() },
        departments: z.int().optional().describe('Departments that are gone.'),
      }),
      ...{ createdAt: instant(), updatedAt: instant() },
    })
    .meta({ id: 'AccountRemovalJob' }),
);
const EXAMPLE = {
  ...{ id: '019f5a3d-0000-7000-8a33-0c5f9a1b2c3d', state: 'DONE', processed: 40 },
  result: { disabled: 0, deleted: 38, unlinked: 2, failed: 0, departments: 5 },
  ...{ createdAt: '2026-07-01T08:00:00.000Z', updatedAt: '2026-07-01T08:00:02.000Z' },
};
const tag = 'Identity sources';

/** Routes that delete sources. */
export const removalRoutes = ({ removal }: RemovalRouteServices): Route[] => [
  route({
    operationId: 'deleteIdentitySource',
    method: 'DELETE',
    path: `${SOURCES_PATH}/delete/{id}`,
    summary: 'Deletes a source that is disabled; its accounts stay unless accounts says otherwise',
    tag,
    access: permission('identity:source'),
    params: sourceParams,
    query: removalQuery,
    responses: {
      202: {
        description: 'The source is deleted; a job disables or deletes its accounts',
        schema: job,
        headers: { location: 'The job.' },
        example: EXAMPLE,
      },
      204: { description: 'The source is deleted' },
    },
    problems: [problems.sourceNotFound, problems.sourceEnabled, problems.syncInProgress],
    handle: async ({ params: { id }, query: { accounts }, principal }) => {
      const started = await removal.delete(id, accounts, principal);
      if (!started) return noContent();
      const location = `${SOURCES_PATH}/delete/${id}/jobs/${started.id}`;
      return accepted(toJob(started), { location });
    },
  }),
  route({
    operationId: 'getAccountRemoval',
    method: 'GET',
    path: `${SOURCES_PATH}/delete/{id}/jobs/{jobId}`,
    summary: 'Returns the progress of disabling or deleting the accounts of a deleted source',
    tag,
    access: permission('identity:source'),
    params: jobParams,
    responses: { 200: { description: 'The job', schema: job, example: EXAMPLE } },
    problems: [problems.jobNotFound],
    handle: async ({ params: { id, jobId }, principal }) =>
      ok(toJob(await removal.job(id, jobId, principal))),
  }),
];

const toJob = ({ id, state, processed, result, createdAt, updatedAt }: Job) => ({
  ...{ id, state, processed, result, createdAt, updatedAt },
});
