import { etag, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { FieldService } from '../../catalog/field-service.ts';
import { problems } from '../../errors.ts';
import { TEMPLATE_PATH } from '../../paths.ts';
import type { ReaderTokens } from '../../readers/reader-tokens.ts';
import { MAX_FIELDS_BODY_BYTES } from '../templates/field-schemas.ts';
import { templateParams } from '../templates/template-schemas.ts';
import * as examples from './file-examples.ts';
import * as schemas from './file-schemas.ts';
import { toFieldList, toInspection } from './file-views.ts';

export interface FieldRouteServices {
  readonly fieldService: OnDemand<FieldService>;
  readonly readerTokens: OnDemand<ReaderTokens>;
}

const access = permission('template');
const FIELDS_PATH = `${TEMPLATE_PATH}/merge-fields`;
const fields = {
  description: 'Declared fields in their order, then those that only the file has',
  schema: schemas.fieldList,
  headers: { etag: 'The version of the template, quoted; send it back in If-Match.' },
  example: examples.fieldList,
};

/** Routes of the merge fields of templates. */
export const fieldRoutes = ({ fieldService, readerTokens }: FieldRouteServices): Route[] => [
  route({
    operationId: 'getMergeFields',
    method: 'GET',
    path: FIELDS_PATH,
    summary: 'Lists the merge fields of a template',
    access: permission('template', 'view', ({ headers, params: { templateId = '' } }) =>
      readerTokens.readerOf(headers, templateId),
    ),
    params: templateParams,
    responses: { 200: fields },
    problems: [problems.templateNotFound],
    handle: async ({ params: { templateId }, principal }) => {
      const found = await fieldService.list(templateId, principal);
      return ok(toFieldList(found), etag(found.version));
    },
  }),
  route({
    operationId: 'replaceMergeFields',
    method: 'PUT',
    path: FIELDS_PATH,
    summary: 'Declares the merge fields of a template',
    description:
      'Replaces the declarations. A field that the file has and nobody declares stays in the list.',
    access,
    params: templateParams,
    body: schemas.fieldsBody,
    bodyExample: { fields: [examples.declaration] },
    maxBodyBytes: MAX_FIELDS_BODY_BYTES,
    conditional: true,
    responses: { 200: fields },
    problems: [
      problems.templateNotFound,
      problems.templateDeleted,
      problems.apiSourceNotSupported,
      problems.mergeFieldsInvalid,
    ],
    handle: async ({ params: { templateId }, body, ifMatch, principal }) => {
      const seen = { ifMatch, version: body.version };
      const found = await fieldService.replace(templateId, body.fields, principal, seen);
      return ok(toFieldList(found), etag(found.version));
    },
  }),
  route({
    operationId: 'inspectMergeFields',
    method: 'GET',
    path: `${FIELDS_PATH}/inspect`,
    summary: 'Shows every marker of the newest file, as it was uploaded',
    access,
    params: templateParams,
    responses: {
      200: {
        description: 'What the file has',
        schema: schemas.inspection,
        example: examples.inspection,
      },
    },
    problems: [problems.templateNotFound, problems.templateFileMissing],
    whenTooLarge: 'Split the file into several templates.',
    handle: async ({ params: { templateId }, principal }) =>
      ok(toInspection(templateId, await fieldService.inspect(templateId, principal))),
  }),
];
