import * as z from 'zod';
import { fileProblems } from '../../../../shared/files/errors.ts';
import { ok } from '../../../../shared/http/reply.ts';
import type { Route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { AnnouncedFile, AttachmentService } from '../../attachments/attachment-service.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import { problems } from '../../errors.ts';
import type { Attachment } from '../../store/jobs/attachment-repository.ts';
import { entityRoutesAt, type RecordRoutePlace } from '../entity-route.ts';
import { instant, recordParams } from '../record-schemas.ts';
import { announcementRoutes, exampleTarget, sha256, uploadTarget } from './announcement-routes.ts';

export interface AttachmentRouteServices {
  readonly catalog: EntityCatalog;
  readonly attachmentService: Pick<AttachmentService, 'announce' | 'status' | 'linked'>;
}

const members = lazy(() => ({
  field: z.string().min(1).max(64).describe('Field with x-file that will name the file.'),
  fileName: z
    .string()
    .min(1)
    .max(200)
    // Not as a pattern: some programs cannot make what it admits.
    .refine((name) => !/[\p{Cc}/\\]/u.test(name), 'must be a name without a path')
    .describe('Name under which the file is downloaded.'),
  contentType: z
    .string()
    .max(200)
    .regex(/^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,127}$/, 'must be a media type'),
  sizeBytes: z.int().min(1),
  sha256: sha256(),
}));
const announcement = lazy(() => z.strictObject(members()).meta({ id: 'FileAnnouncement' }));
const announced = lazy(() =>
  z
    .object({
      id: z.string().describe('What the field of the record is set to.'),
      state: z.enum(['WAITING', 'UPLOADED']),
      ...members(),
      createdAt: instant(),
      expiresAt: instant().describe('When the file vanishes unless a record names it.'),
      upload: uploadTarget(),
    })
    .meta({ id: 'AnnouncedFile' }),
);
const linked = lazy(() =>
  z
    .object({
      id: z.string(),
      ...members(),
      createdAt: instant(),
      url: z.string().describe('Downloads the file without a token, for some minutes.'),
    })
    .meta({ id: 'RecordFile' }),
);
const fileParams = lazy(() => recordParams().extend({ field: z.string().min(1).max(64) }));

const announcementExample = {
  field: 'contract',
  fileName: 'contract.pdf',
  contentType: 'application/pdf',
  sizeBytes: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const createdAt = '2026-03-01T09:30:00.000Z';
const id = '0197b4c0-0000-7000-8000-000000000001';
const announcedExample = {
  ...{ id, state: 'WAITING', ...announcementExample, createdAt },
  expiresAt: '2026-03-02T09:30:00.000Z',
  upload: exampleTarget('attachments/0197b4c0', 'application/pdf'),
};

/** Routes of the files of records, the same for every entity. */
export function attachmentRoutes(
  { catalog, attachmentService }: AttachmentRouteServices,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  return [
    ...announcementRoutes(entityRoute, place, {
      operations: { announce: 'announceFile', status: 'getAnnouncedFile' },
      path: '/files/uploads',
      summary: 'Announces a file of a record and gives a link to upload it',
      description:
        'For a field with `x-file`, whose types and size it keeps to. Upload the file with the method, address and headers of `upload`; the link takes the announced size and SHA-256 only. Then create or change a record whose field has the `id`.',
      body: announcement,
      bodyExample: announcementExample,
      announced,
      example: announcedExample,
      announce: async (...call) => toAnnounced(await attachmentService.announce(...call)),
      status: async (...call) => toAnnounced(await attachmentService.status(...call)),
    }),
    entityRoute({
      operationId: 'getRecordFile',
      method: 'GET',
      path: '/{id}/files/{field}',
      summary: 'Gives a link to the file of a record',
      params: fileParams,
      responses: {
        200: {
          description: 'The file with its link',
          schema: linked,
          example: { id, ...announcementExample, createdAt, url: announcedExample.upload.url },
        },
      },
      problems: [problems.recordNotFound, fileProblems.fileNotFound],
      handle: async (model, { params, principal }) => {
        const { file, url } = await attachmentService.linked(
          model,
          params.id,
          params.field,
          principal,
        );
        return ok({ ...factsOf(file), url });
      },
    }),
  ];
}

function toAnnounced({ file, state, link }: AnnouncedFile) {
  const { expiresAt } = file;
  return { ...factsOf(file), state, expiresAt, ...(link && { upload: link }) };
}

function factsOf({ id, field, fileName, contentType, sizeBytes, sha256, createdAt }: Attachment) {
  return { id, field, fileName, contentType, sizeBytes, sha256, createdAt };
}
