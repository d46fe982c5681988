import type { Files } from '../../../../shared/files/files.ts';
import { accepted, ok } from '../../../../shared/http/reply.ts';
import { capability, type Route, route } from '../../../../shared/http/route.ts';
import { isOpen, JOB_STATES } from '../../../../shared/jobs/job.ts';
import { pageHeaders, pageReply } from '../../../../shared/pages/page-shell.ts';
import { type ProgressSettings, showProgress } from '../../../../shared/pages/show-progress.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityAccess } from '../../access/entity-access.ts';
import type { RecordAction } from '../../access/record-grant.ts';
import { isGrantedStill, viewedNow } from '../../access/view-grants.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import { problems } from '../../errors.ts';
import { grantsOf, linkOf } from '../../jobs/exported-file.ts';
import type { EntityJob, JobService } from '../../jobs/job-service.ts';
import { entityRoutesAt, type RecordRoutePlace } from '../entity-route.ts';
import * as examples from '../examples.ts';
import { job as jobSchema } from '../job-reply.ts';
import * as schemas from '../record-schemas.ts';
import { toJob } from '../views.ts';

export interface JobRouteServices {
  readonly catalog: EntityCatalog;
  readonly access: EntityAccess;
  readonly jobService: JobService;
  readonly files: Pick<Files, 'downloadLink'>;
}

/** The action that a caller must be allowed in order to follow a job; of other jobs: view. */
const FOLLOWED_BY: Partial<Record<EntityJob['kind'], RecordAction>> = {
  IMPORT: 'add',
  BULK_UPDATE: 'edit',
  BULK_DELETE: 'delete',
  DELETE: 'delete',
};

/** End of the path of a job's page, after that of the job. */
const PAGE_SUFFIX = '/progress';

const pageSettings: ProgressSettings = {
  suffix: PAGE_SUFFIX,
  state: 'state',
  endStates: JOB_STATES.filter((state) => !isOpen({ state })),
  done: 'processed',
  total: 'total',
  facts: [
    ['Job', 'id'],
    ['Kind', 'kind'],
    ['Processed', 'processed'],
    ['Total', 'total'],
    ['Started', 'createdAt'],
    ['Changed', 'updatedAt'],
  ],
  result: 'result',
  link: ['link', 'Download the file'],
  missing: 'There is no such import or export, or somebody else has started it.',
};

/** Routes that follow and cancel imports, exports and changes by filter, the same for every entity. */
export function jobRoutes(
  { catalog, access, jobService, files }: JobRouteServices,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  /** An import is followed by who may add, an export by who may view, a deletion by who may delete. */
  const ownJob = async (model: EntityModel, id: string, principal: Principal) => {
    const job = await jobService.getOwn(model.code, id, principal).catch(async (error: unknown) => {
      await access.check(model, principal, 'view');
      throw error;
    });
    await access.check(model, principal, FOLLOWED_BY[job.kind] ?? 'view');
    return job;
  };
  return [
    entityRoute({
      operationId: 'getRecordJob',
      method: 'GET',
      path: '/jobs/{jobId}',
      summary:
        'Returns the progress of an import, export, change by filter or deletion, with a link to its file',
      params: schemas.recordJobParams,
      responses: { 200: { description: 'The job', schema: jobSchema, example: examples.job } },
      problems: [problems.jobNotFound],
      handle: async (model, { params, principal }) => {
        const job = await ownJob(model, params.jobId, principal);
        // A file that was written under another grant may hold what the caller sees no longer.
        const link = await linkOf(files, job);
        if (link && !(await isGrantedStill({ access, catalog }, model, grantsOf(job), principal))) {
          return ok(toJob({ ...job, result: { ...job.result, code: 'GRANT_CHANGED' } }));
        }
        // Failures name records and fields that the caller may see no longer.
        const { failures, ...result } = job.result;
        const isShown =
          failures === undefined ||
          grantsOf(job).includes(await viewedNow(access, model, principal));
        return ok(
          toJob(isShown ? job : { ...job, result: { ...result, code: 'GRANT_CHANGED' } }, link),
        );
      },
    }),
    route({
      tag: 'Records',
      operationId: `showRecordJob${place.suffix}`,
      method: 'GET',
      path: `${place.base}/jobs/{jobId}${PAGE_SUFFIX}`,
      summary: 'Follows an import or export as a page',
      description:
        'The page holds no data. Link to it with the token of a person in the fragment, `#token=...`: browsers do not send the fragment, and the page reads the job with the token.',
      access: capability,
      lenient: true,
      params: schemas.recordJobParams,
      responses: {
        200: { description: 'The page', contentType: 'text/html', headers: pageHeaders },
      },
      handle: async () =>
        pageReply({ title: 'Import or export', show: showProgress, settings: pageSettings }),
    }),
    entityRoute({
      operationId: 'cancelRecordJob',
      method: 'POST',
      path: '/jobs/{jobId}:cancel',
      summary: 'Cancels an import, export or change by filter',
      description:
        'The step that is under way ends first. Records that were written stay; the file of an import is deleted.',
      params: schemas.recordJobParams,
      responses: {
        202: {
          description: 'The job is being cancelled',
          schema: jobSchema,
          example: { ...examples.job, kind: 'IMPORT', state: 'CANCELLING' },
        },
      },
      problems: [problems.jobNotFound, problems.jobEnded],
      handle: async (model, { params, principal }) => {
        await ownJob(model, params.jobId, principal);
        return accepted(toJob(await jobService.cancelOwn(model.code, params.jobId, principal)));
      },
    }),
  ];
}
