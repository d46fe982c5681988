import { toPage } from '../../../../shared/http/paging.ts';
import { created, etag, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { BuiltinField, BuiltinService } from '../../builtins/builtin-service.ts';
import type { TemplatesConfig } from '../../configuration.ts';
import { problems } from '../../errors.ts';
import { BUILTINS_PATH } from '../../paths.ts';
import type { ReaderTokens } from '../../readers/reader-tokens.ts';
import { pageOf } from '../templates/template-examples.ts';
import * as examples from './builtin-examples.ts';
import * as schemas from './builtin-schemas.ts';

export interface BuiltinRouteServices {
  readonly builtinService: OnDemand<BuiltinService>;
  readonly readerTokens: OnDemand<ReaderTokens>;
}

const tag = 'Builtin merge fields';
const access = permission('builtin-merge-field');
const CODE_PATH = `${BUILTINS_PATH}/{code}`;
const version = { etag: 'The version, quoted; send it back in If-Match.' };
const field = {
  description: 'The merge field',
  schema: schemas.builtin,
  headers: version,
  example: examples.constant,
};

/** Routes of values that every template can show. */
export function builtinRoutes(
  { builtinService, readerTokens }: BuiltinRouteServices,
  { web, template }: Pick<TemplatesConfig, 'web' | 'template'>,
): Route[] {
  return [
    route({
      operationId: 'listBuiltinMergeFields',
      method: 'GET',
      path: BUILTINS_PATH,
      summary: 'Lists values that every template can show',
      tag,
      access: permission('builtin-merge-field', 'view', ({ headers }) =>
        readerTokens.readerOf(headers),
      ),
      query: () => schemas.listQuery(web),
      responses: {
        200: {
          description: 'A page of merge fields: those of the platform, then constants',
          schema: schemas.builtinPage,
          example: pageOf(examples.builtin),
        },
      },
      handle: async ({ query, principal }) => {
        const { content, number, size, total } = await builtinService.list(query, principal);
        const page = toPage({
          content: content.map(toBuiltin),
          ...{ number, size, total: { value: total, relation: 'eq' } },
        });
        return ok({ ...page, last: (number + 1) * size >= total });
      },
    }),
    route({
      operationId: 'getBuiltinMergeField',
      method: 'GET',
      path: CODE_PATH,
      summary: 'Reads a value that every template can show',
      ...{ tag, access },
      params: schemas.codeParams,
      responses: { 200: { ...field, example: examples.builtin } },
      problems: [problems.builtinNotFound],
      handle: async ({ params: { code }, principal }) =>
        reply(await builtinService.get(code, principal)),
    }),
    route({
      operationId: 'resolveBuiltinMergeFields',
      method: 'POST',
      path: `${BUILTINS_PATH}/resolve`,
      summary: 'Shows the texts of builtin merge fields as a document of now has them',
      tag,
      access: permission('builtin-merge-field', 'view'),
      body: schemas.resolveBody,
      bodyExample: { codes: ['today', 'companyName'] },
      responses: {
        200: { description: 'Texts by code', schema: schemas.resolved, example: examples.resolved },
      },
      problems: [problems.builtinNotFound],
      handle: async ({ body: { codes, locale, zoneId }, principal }) => {
        const settings = {
          locale: locale ?? template.mergeFieldLocale,
          zone: zoneId ?? template.mergeFieldZoneId,
        };
        return ok(await builtinService.resolve(codes, settings, principal));
      },
    }),
    route({
      operationId: 'createBuiltinMergeField',
      method: 'POST',
      path: BUILTINS_PATH,
      summary: 'Adds a constant of the tenant',
      ...{ tag, access },
      body: schemas.createBody,
      bodyExample: examples.newConstant,
      idempotent: true,
      responses: { 201: { ...field, headers: { ...version, location: 'The new constant.' } } },
      problems: [problems.builtinExists, problems.builtinIsSystem, problems.tooManyConstants],
      handle: async ({ body, principal }) => {
        const made = await builtinService.create(body, principal);
        return created(`${BUILTINS_PATH}/${made.code}`, toBuiltin(made), tagOf(made));
      },
    }),
    route({
      operationId: 'updateBuiltinMergeField',
      method: 'PUT',
      path: CODE_PATH,
      summary: 'Replaces a constant of the tenant',
      ...{ tag, access },
      params: schemas.codeParams,
      body: schemas.updateBody,
      bodyExample: { label: 'Hotline', value: '1900 1234', dataType: 'STRING' },
      conditional: true,
      responses: { 200: field },
      problems: [problems.builtinNotFound, problems.builtinIsSystem],
      handle: async ({ params: { code }, body, ifMatch, principal }) => {
        const { label, value, dataType } = body;
        const seen = { ifMatch, version: body.version };
        return reply(
          await builtinService.update(code, { label, value, dataType }, principal, seen),
        );
      },
    }),
    route({
      operationId: 'deleteBuiltinMergeField',
      method: 'DELETE',
      path: CODE_PATH,
      summary: 'Deletes a constant of the tenant',
      ...{ tag, access },
      params: schemas.codeParams,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: [problems.builtinNotFound, problems.builtinIsSystem],
      handle: async ({ params: { code }, ifMatch, principal }) => {
        await builtinService.delete(code, principal, { ifMatch });
        return noContent();
      },
    }),
  ];
}

const reply = (found: BuiltinField) => ok(toBuiltin(found), tagOf(found));

/** Those of the platform never change. */
const tagOf = ({ constant }: BuiltinField) => etag(constant?.version ?? 1);

/** Maps a merge field to its answer. */
const toBuiltin = ({ constant, ...field }: BuiltinField) => ({
  ...field,
  ...(constant && {
    ...{ value: constant.value, version: constant.version },
    ...{ updatedAt: constant.updatedAt, updatedBy: constant.updatedBy },
  }),
});
