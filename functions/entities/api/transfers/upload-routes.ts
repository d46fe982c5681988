import * as z from 'zod';
import { fileProblems } from '../../../../shared/files/errors.ts';
import { accepted, created, ok } from '../../../../shared/http/reply.ts';
import type { Route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import { problems } from '../../errors.ts';
import type { UploadService, UploadStatus } from '../../transfers/upload-service.ts';
import { entityRoutesAt, pathBelow, type RecordRoutePlace } from '../entity-route.ts';
import * as examples from '../examples.ts';
import { importQuery } from '../record-queries.ts';
import { entityParams } from '../record-schemas.ts';
import { job as jobSchema } from '../schemas.ts';
import { toJob } from '../views.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const sha256 = lazy(() =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .describe('SHA-256 of the file in hexadecimal.'),
);
const sizeBytes = lazy(() =>
  z.int().min(1).max(268_435_456).describe('Size of the file in bytes.'),
);
const format = lazy(() => z.enum(['csv', 'json', 'ndjson']));

const announcement = lazy(() =>
  z
    .strictObject({ format: format(), sizeBytes: sizeBytes(), sha256: sha256() })
    .meta({ id: 'ImportAnnouncement' }),
);
const uploadParams = lazy(() => entityParams().extend({ uploadId: z.uuid() }));
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
      upload: z
        .object({
          method: z.literal('PUT'),
          url: z.string(),
          headers: z.record(z.string(), z.string()).describe('To be sent as they are.'),
          expiresAt: instant(),
        })
        .optional()
        .describe('How to upload the file; only while it is waited for.'),
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
  upload: {
    method: 'PUT',
    url: 'https://bucket.s3.eu-central-1.amazonaws.com/entities/imports/0197b4c0?X-Amz-Signature=0',
    headers: { 'content-type': 'application/octet-stream', 'x-amz-checksum-sha256': 'n4bQgYhM' },
    expiresAt: '2026-03-01T09:45:00.000Z',
  },
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
    entityRoute({
      operationId: 'announceImport',
      method: 'POST',
      path: '/import/uploads',
      summary: 'Announces a file for an import and gives a link to upload it',
      description:
        'For files above 4.5 MB, up to 256 MB of CSV or NDJSON. Upload the file with the method, address and headers of `upload`; the link takes the announced size and SHA-256 only. Then call `:import`.',
      params: entityParams,
      body: announcement,
      bodyExample: announcementExample,
      responses: {
        201: {
          description: 'The announcement with its link',
          schema: announced,
          headers: { location: 'The announcement.' },
          example: uploadExample,
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
      params: uploadParams,
      responses: {
        200: {
          description: 'The announcement',
          schema: announced,
          example: uploadExample,
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
      params: uploadParams,
      query: uploadImportQuery,
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
