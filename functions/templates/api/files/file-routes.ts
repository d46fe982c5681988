import * as z from 'zod';
import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { pageQuery, toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { FieldService } from '../../catalog/field-service.ts';
import type { FileService } from '../../catalog/file-service.ts';
import { problems } from '../../errors.ts';
import { TEMPLATE_PATH } from '../../paths.ts';
import { pageOf } from '../templates/template-examples.ts';
import { templateParams } from '../templates/template-schemas.ts';
import * as examples from './file-examples.ts';
import * as schemas from './file-schemas.ts';
import { toFileVersion, toUploaded } from './file-views.ts';

export interface FileRouteServices {
  readonly fileService: OnDemand<FileService>;
  readonly fieldService: OnDemand<FieldService>;
}

const access = permission('template');
const FILE_PATH = `${TEMPLATE_PATH}/file`;
const VERSIONS_PATH = `${TEMPLATE_PATH}/file-versions`;

/** Why a file is not taken. */
const REFUSALS = [
  problems.unsupportedFileType,
  problems.invalidDocx,
  problems.encryptedDocx,
  problems.macrosNotAllowed,
  problems.docxTooComplex,
];

/** Routes of the files of templates. */
export function fileRoutes(
  { fileService, fieldService }: FileRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      operationId: 'uploadTemplateFile',
      method: 'PUT',
      path: FILE_PATH,
      summary: 'Stores the file of a template as its next version',
      description:
        'Merge fields of Word, {{field}}, [[field]] and «field» become content controls wherever Word puts text. What the file would load from elsewhere is removed, macros are refused.',
      access,
      params: templateParams,
      form: schemas.uploadForm,
      formExample: { file: 'UEsDBBQAAAAIAA' },
      maxBodyBytes: schemas.MAX_FORM_BYTES,
      conditional: true,
      responses: {
        200: {
          description: 'The stored file and its merge fields',
          schema: schemas.uploaded,
          example: examples.uploaded,
        },
      },
      problems: [problems.templateNotFound, problems.templateDeleted, ...REFUSALS],
      handle: async ({ params: { templateId }, form, ifMatch, principal }) => {
        const { file, version } = sent(form);
        const seen = { ifMatch, version };
        const stored = await fileService.upload(templateId, file, principal, seen);
        return ok(toUploaded(stored, await fieldService.list(templateId, principal)));
      },
    }),
    route({
      operationId: 'downloadTemplateFile',
      method: 'GET',
      path: FILE_PATH,
      summary: 'Redirects to a temporary link to the file of a template',
      access,
      params: templateParams,
      query: schemas.fileQuery,
      responses: {
        302: {
          description: 'A link to the file that needs no token',
          headers: { location: 'The link.' },
        },
      },
      problems: [problems.templateNotFound, problems.fileVersionNotFound],
      handle: async ({ params: { templateId }, query, principal }) => ({
        status: 302,
        headers: { location: await fileService.link(templateId, query.fileVersion, principal) },
      }),
    }),
    route({
      operationId: 'listTemplateFileVersions',
      method: 'GET',
      path: VERSIONS_PATH,
      summary: 'Lists the versions of the file of a template, newest first',
      access,
      params: templateParams,
      query: () => z.strictObject(pageQuery(web)),
      responses: {
        200: {
          description: 'A page of versions',
          schema: schemas.filePage,
          example: pageOf(examples.fileVersion),
        },
      },
      problems: [problems.templateNotFound],
      handle: async ({ params: { templateId }, query, principal }) => {
        const found = await fileService.list(templateId, query, principal);
        const content = found.content.map((file) => toFileVersion(templateId, file));
        return ok(toPage({ ...found, content }));
      },
    }),
    route({
      operationId: 'restoreTemplateFileVersion',
      method: 'POST',
      path: `${VERSIONS_PATH}/{fileVersion}:restore`,
      summary: 'Makes an earlier version of a file the newest',
      access,
      params: schemas.fileParams,
      responses: {
        200: {
          description: 'The new version',
          schema: schemas.fileVersion,
          example: { ...examples.fileVersion, origin: 'RESTORE', fileVersion: 2, restoredFrom: 1 },
        },
      },
      problems: [problems.templateNotFound, problems.fileVersionNotFound, problems.templateDeleted],
      handle: async ({ params: { templateId, fileVersion }, principal }) => {
        const file = await fileService.restore(templateId, fileVersion, principal);
        return ok(toFileVersion(templateId, file));
      },
    }),
  ];
}

type SentForm = z.output<ReturnType<typeof schemas.uploadForm>>;

/** A route that takes forms only has one. */
function sent(form: SentForm | undefined): SentForm {
  if (!form) throw new Error('The request has no form');
  return form;
}
