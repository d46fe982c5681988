import { fileProblems } from '../../../shared/files/errors.ts';
import { accepted, created, ok } from '../../../shared/http/reply.ts';
import type { Route } from '../../../shared/http/route.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import { problems } from '../errors.ts';
import type { UploadService, UploadStatus } from '../transfers/upload-service.ts';
import { entityRoutesAt, pathBelow, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import { entityParams } from './record-schemas.ts';
import { job as jobSchema } from './schemas.ts';
import * as schemas from './upload-schemas.ts';
import { toJob } from './views.ts';

export interface UploadRouteServices {
  readonly catalog: EntityCatalog;
  readonly uploadService: Pick<UploadService, 'announce' | 'status' | 'import'>;
}

/** Routes of imports that are too large for a request, the same for every entity. */
export function uploadRoutes(
  { catalog, uploadService }: UploadRouteServices,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  return [
    entityRoute({
      operationId: 'announceImport',
      method: 'POST',
      path: '/import/uploads',
      summary: 'Announces a file for an import and gives a link to upload it',
      description:
        'For files above 4.5 MB, up to 256 MB of CSV or NDJSON. Upload the file with the method, address and headers of `upload`; the link takes the announced size and SHA-256 only. Then call `:import`.',
      params: entityParams,
      body: schemas.announcement,
      bodyExample: schemas.announcementExample,
      responses: {
        201: {
          description: 'The announcement with its link',
          schema: schemas.upload,
          headers: { location: 'The announcement.' },
          example: schemas.uploadExample,
        },
      },
      handle: async (model, { params, body, principal }) => {
        const status = await uploadService.announce(model, body, principal);
        const path = `/import/uploads/${status.upload.id}`;
        return created(pathBelow(place, params.entityCode, path), toUpload(status));
      },
    }),
    entityRoute({
      operationId: 'getImportUpload',
      method: 'GET',
      path: '/import/uploads/{uploadId}',
      summary: 'Says whether an announced file is there, and gives a new link while it is not',
      params: schemas.uploadParams,
      responses: {
        200: {
          description: 'The announcement',
          schema: schemas.upload,
          example: schemas.uploadExample,
        },
      },
      problems: [problems.uploadNotFound],
      handle: async (model, { params, principal }) =>
        ok(toUpload(await uploadService.status(model, params.uploadId, principal))),
    }),
    entityRoute({
      operationId: 'importUpload',
      method: 'POST',
      path: '/import/uploads/{uploadId}:import',
      summary: 'Imports an uploaded file by a job',
      description: 'Size and SHA-256 are checked first. A repetition gives the same job.',
      params: schemas.uploadParams,
      query: schemas.uploadImportQuery,
      responses: {
        202: {
          description: 'The job that reads the file',
          schema: jobSchema,
          headers: { location: 'The job.' },
          example: { ...examples.job, kind: 'IMPORT' },
        },
      },
      problems: [problems.uploadNotFound, problems.uploadIncomplete, fileProblems.uploadMismatch],
      handle: async (model, { params, query, principal }) => {
        const { mode, key = 'id', dryRun = false } = query;
        const request = { mode, key, dryRun };
        const job = await uploadService.import(model, params.uploadId, request, principal);
        return accepted(toJob(job), {
          location: pathBelow(place, params.entityCode, `/jobs/${job.id}`),
        });
      },
    }),
  ];
}

/** Maps an announced file to its response. */
function toUpload({ upload, state, link }: UploadStatus) {
  const { id, format, sizeBytes, sha256, createdAt, expiresAt, jobId } = upload;
  return {
    ...{ id, state, format, sizeBytes, sha256, createdAt, expiresAt },
    ...(jobId && { jobId }),
    ...(link && { upload: link }),
  };
}
