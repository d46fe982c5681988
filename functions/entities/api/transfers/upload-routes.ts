import * as z from 'zod';
import { fileProblems } from '../../../../shared/files/errors.ts';
import type { Route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import { problems } from '../../errors.ts';
import type { UploadService, UploadStatus } from '../../transfers/upload-service.ts';
import { entityRoutesAt, type RecordRoutePlace } from '../entity-route.ts';
import { acceptedJob, startedJob } from '../job-reply.ts';
import { importQuery } from '../record-queries.ts';
import { instant } from '../record-schemas.ts';
import {
  announcementRoutes,
  exampleTarget,
  sha256,
  uploadParams,
  uploadTarget,
} from './announcement-routes.ts';

const sizeBytes = lazy(() =>
  z.int().min(1).max(268_435_456).describe('Size of the file in bytes.'),
);
const format = lazy(() => z.enum(['csv', 'json', 'ndjson']));

const announcement = lazy(() =>
  z
    .strictObject({ format: format(), sizeBytes: sizeBytes(), sha256: sha256() })
    .meta({ id: 'ImportAnnouncement' }),
);
/** The announcement names the format. */
const uploadImportQuery = lazy(() => importQuery().omit({ format: true }));

const announced = lazy(() =>
  z
    .object({
      id: z.string(),
      state: z.enum(['WAITING', 'UPLOADED', 'IMPORTED']),
      format: format(),
      sizeBytes: z.int(),
      sha256: z.string(),
      createdAt: instant(),
      expiresAt: instant().describe('When the file and its announcement vanish.'),
      jobId: z.string().optional().describe('The job that imports the file.'),
      upload: uploadTarget(),
    })
    .meta({ id: 'ImportUpload' }),
);

const announcementExample = {
  format: 'ndjson',
  sizeBytes: 73_400_320,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const uploadExample = {
  id: '0197b4c0-0000-7000-8000-000000000001',
  state: 'WAITING',
  ...announcementExample,
  createdAt: '2026-03-01T09:30:00.000Z',
  expiresAt: '2026-03-08T09:30:00.000Z',
  upload: exampleTarget('imports/0197b4c0', 'application/octet-stream'),
};

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
    ...announcementRoutes(entityRoute, place, {
      operations: { announce: 'announceImport', status: 'getImportUpload' },
      path: '/import/uploads',
      summary: 'Announces a file for an import and gives a link to upload it',
      description:
        'For files above 4.5 MB, up to 256 MB of CSV or NDJSON. Upload the file with the method, address and headers of `upload`; the link takes the announced size and SHA-256 only. Then call `:import`.',
      body: announcement,
      bodyExample: announcementExample,
      announced,
      example: uploadExample,
      announce: async (...call) => toUpload(await uploadService.announce(...call)),
      status: async (...call) => toUpload(await uploadService.status(...call)),
    }),
    entityRoute({
      operationId: 'importUpload',
      method: 'POST',
      path: '/import/uploads/{uploadId}:import',
      summary: 'Imports an uploaded file by a job',
      description: 'Size and SHA-256 are checked first. A repetition gives the same job.',
      params: uploadParams,
      query: uploadImportQuery,
      responses: {
        202: startedJob('The job that reads the file', { kind: 'IMPORT' }),
      },
      problems: [problems.uploadNotFound, problems.uploadIncomplete, fileProblems.uploadMismatch],
      handle: async (model, { params, query, principal }) => {
        const { mode, key = 'id', dryRun = false } = query;
        const request = { mode, key, dryRun };
        const job = await uploadService.import(model, params.uploadId, request, principal);
        return acceptedJob(place, params.entityCode, job);
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
