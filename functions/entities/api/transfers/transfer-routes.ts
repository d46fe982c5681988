import { accepted, ok, type Reply } from '../../../../shared/http/reply.ts';
import { capability, type Route, type RouteInput, route } from '../../../../shared/http/route.ts';
import { pageHeaders } from '../../../../shared/pages/page-shell.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { EntityAccess } from '../../access/entity-access.ts';
import type { RecordAction } from '../../access/record-grant.ts';
import { isGrantedStill, viewedNow } from '../../access/view-grants.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import type { EntityModel } from '../../domain/definitions/model.ts';
import { problems } from '../../errors.ts';
import { grantsOf } from '../../jobs/export-grants.ts';
import type { JobLinks } from '../../jobs/job-links.ts';
import type { EntityJob, JobService } from '../../jobs/job-service.ts';
import type { ListCall } from '../../queries/list-call.ts';
import type { BulkResult } from '../../transfers/bulk-creation.ts';
import type { BulkService } from '../../transfers/bulk-service.ts';
import type { TransferFormat } from '../../transfers/exports/export-file.ts';
import type { ExportService } from '../../transfers/exports/export-service.ts';
import type { SentFile } from '../../transfers/import-rows.ts';
import type { ImportService } from '../../transfers/import-service.ts';
import { entityRoutesAt, pathBelow, type RecordRoutePlace } from '../entity-route.ts';
import * as examples from '../examples.ts';
import * as queries from '../record-queries.ts';
import { WRITE_PROBLEMS } from '../record-routes.ts';
import * as schemas from '../record-schemas.ts';
import { job as jobSchema } from '../schemas.ts';
import { toJob } from '../views.ts';
import { jobPage, PAGE_SUFFIX } from './job-page.ts';
import type { ImportForm } from './transfer-schemas.ts';
import * as transfers from './transfer-schemas.ts';

export interface TransferRouteServices {
  readonly catalog: EntityCatalog;
  readonly access: EntityAccess;
  readonly bulkService: Pick<BulkService, 'run' | 'createMany'>;
  readonly exportService: Pick<ExportService, 'export'>;
  readonly importService: Pick<ImportService, 'import'>;
  readonly jobService: JobService;
  readonly jobLinks: JobLinks;
}

const FILE_TYPES = [
  'application/json',
  'text/csv',
  'application/x-ndjson',
  'application/octet-stream',
];
/** Names the encrypted fields that a file leaves out; not sent when there are none. */
const LEFT_OUT = 'x-left-out-fields';
/** Bytes of all violations in the answer of a bulk call. */
const MAX_VIOLATION_BYTES = 2_500_000;
const LEFT_OUT_RULES = ' The list of violations is left out; send fewer operations to get it.';
type Headers = Readonly<Record<string, string>>;
/** What who follows a job may do. */
const FOLLOWED_BY: Partial<Record<EntityJob['kind'], RecordAction>> = {
  IMPORT: 'add',
  BULK_UPDATE: 'edit',
  BULK_DELETE: 'delete',
  DELETE: 'delete',
};
const FORMATS = ['csv', 'json', 'ndjson'] as const;

/** Routes of bulk operations, import and export, the same for every entity. */
export function transferRoutes(
  { catalog, access, jobService, jobLinks, ...services }: TransferRouteServices,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  const acceptedJob = (entityName: string, job: EntityJob, more: Headers = {}): Reply =>
    accepted(toJob(job), { location: pathBelow(place, entityName, `/jobs/${job.id}`), ...more });
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
      operationId: 'exportRecords',
      method: 'GET',
      path: '/export',
      summary: 'Exports records to a file',
      description:
        'Up to 4 MiB the response is the file; a job writes larger ones. Encrypted fields are left out; the header x-left-out-fields names them. In CSV, texts that a spreadsheet would run as formulas are prefixed with an apostrophe, which an import removes.',
      params: schemas.entityParams,
      query: queries.exportQuery,
      responses: {
        200: {
          description: 'The file',
          contentType: 'text/csv',
          example: examples.exportedFile,
          otherContent: {
            'application/json': { schema: transfers.exported, example: [examples.exported] },
            'application/x-ndjson': { schema: transfers.lines, example: '{}' },
          },
        },
        202: {
          description: 'The job that writes the file',
          schema: jobSchema,
          headers: { location: 'The job.' },
          example: { ...examples.job, kind: 'EXPORT' },
        },
      },
      handle: async (model, { params, query, principal }): Promise<Reply> => {
        const parameters = query as ListCall['parameters'];
        const outcome = await services.exportService.export(
          model,
          query.format,
          parameters,
          principal,
        );
        const { leftOut } = outcome;
        const more: Headers = leftOut.length > 0 ? { [LEFT_OUT]: leftOut.join(',') } : {};
        if (outcome.kind === 'job') return acceptedJob(params.entityCode, outcome.job, more);
        return ok(outcome.text, { 'content-type': outcome.contentType, ...more });
      },
    }),
    entityRoute({
      operationId: 'importRecords',
      method: 'POST',
      path: '/import',
      summary: 'Imports records from a file',
      description:
        'Rejected rows do not prevent the others from being stored. A job reads long files. For one JSON record per line send application/x-ndjson.',
      params: schemas.entityParams,
      query: queries.importQuery,
      body: transfers.importBody,
      bodyExample: [examples.recordBody],
      bodyExamples: examples.files,
      consumes: FILE_TYPES,
      form: transfers.importForm,
      formExample: { file: 'name\r\nAn\r\n' },
      maxBodyBytes: transfers.MAX_IMPORT_BYTES,
      // A row that is nested too deeply is refused alone.
      anyDepth: true,
      responses: {
        200: {
          description: 'The outcome of the rows',
          schema: transfers.importResult,
          example: examples.importResult,
        },
        202: {
          description: 'The job that reads the file',
          schema: jobSchema,
          headers: { location: 'The job.' },
          example: { ...examples.job, kind: 'IMPORT' },
        },
      },
      problems: [problems.importInvalid],
      handle: async (model, { params, query, principal, ...sent }): Promise<Reply> => {
        const { mode, key = 'id', dryRun = false } = query;
        const file = fileOf(sent, query.format);
        const how = { mode, key, dryRun };
        const outcome = await services.importService.import(model, file, how, principal);
        return 'job' in outcome ? acceptedJob(params.entityCode, outcome.job) : ok(outcome);
      },
    }),
    entityRoute({
      operationId: 'bulkRecords',
      method: 'POST',
      path: '/bulk',
      summary: 'Creates, changes, deletes and restores up to 500 records',
      params: schemas.entityParams,
      body: transfers.bulkBody,
      bodyExample: examples.bulkBody,
      idempotent: true,
      responses: {
        200: {
          description: 'The outcome of each operation',
          schema: transfers.bulkResult,
          example: examples.bulkResult,
        },
      },
      problems: [
        ...WRITE_PROBLEMS,
        problems.recordNotFound,
        problems.recordExists,
        problems.referenced,
        problems.hasChildren,
      ],
      handle: async (model, { body: { operations, atomic }, headers, principal }) => {
        if (headers['idempotency-key'] !== undefined && !atomic) throw needsAtomic();
        const results = await services.bulkService.run(model, operations, atomic, principal);
        return ok({ results: toBulkResults(results) });
      },
    }),
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
        const link = await jobLinks.linkOf(job);
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
      handle: async () => jobPage(),
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

function needsAtomic(): Error {
  const detail =
    'must be true with an Idempotency-Key: only a single transaction can be applied exactly once';
  return httpProblems.validationFailed([{ pointer: '/atomic', code: 'REQUIRED', detail }]);
}

/** The file of a request: a form part, raw bytes, or JSON parsed by the pipeline. */
function fileOf(
  {
    form,
    body,
    headers,
  }: Pick<RouteInput<unknown, unknown, unknown, unknown, ImportForm>, 'form' | 'body' | 'headers'>,
  wanted: TransferFormat | undefined,
): SentFile {
  if (form) {
    const { bytes, contentType, fileName } = form.file;
    return { bytes, format: wanted ?? formatOfName(fileName) ?? formatOf(contentType) };
  }
  if (Buffer.isBuffer(body)) {
    return { bytes: body, format: wanted ?? formatOf(headers['content-type']) };
  }
  return { parsed: body };
}

/** Prefer the file name: clients rarely send specific content types. */
function formatOfName(fileName: string): TransferFormat | undefined {
  const extension = /\.(csv|json|ndjson)$/i.exec(fileName)?.[1]?.toLowerCase();
  return FORMATS.find((format) => format === extension);
}

function formatOf(contentType = ''): TransferFormat {
  if (contentType.startsWith('application/x-ndjson')) return 'ndjson';
  return contentType.startsWith('application/json') ? 'json' : 'csv';
}

/** Violations of the last operations are left out where the answer would become too large: they have been carried out. */
function toBulkResults(results: readonly BulkResult[]) {
  let room = MAX_VIOLATION_BYTES;
  return results.map(({ error, ...result }) => {
    if (!error) return result;
    const { code, detail, extensions, errors } = error;
    room -= errors.length > 0 ? Buffer.byteLength(JSON.stringify(errors)) : 0;
    const more =
      errors.length === 0 ? {} : room >= 0 ? { errors } : { detail: detail + LEFT_OUT_RULES };
    return { ...result, error: { ...extensions, code, detail, ...more } };
  });
}
