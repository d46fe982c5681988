import * as z from 'zod';
import type { PlatformConfig } from '../../../shared/config/index.ts';
import { pageQuery, toPage } from '../../../shared/http/paging.ts';
import { created, etag, noContent, ok } from '../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../shared/http/route.ts';
import type { DefinitionService, NewEntity } from '../definitions/definition-service.ts';
import { problems } from '../errors.ts';
import * as answers from './definition-answers.ts';
import * as examples from './examples.ts';
import * as schemas from './schemas.ts';
import { toDefinition, toNewDefinition, toSummary } from './views.ts';

export interface DefinitionRouteServices {
  readonly definitionService: Pick<
    DefinitionService,
    'create' | 'get' | 'list' | 'update' | 'delete' | 'restore'
  >;
}

/** Path of the definitions, independent of the records' prefix. */
export const DEFINITIONS_PATH = '/api/v1/entity-definitions';
/** Path of one definition. */
export const DEFINITION_PATH = `${DEFINITIONS_PATH}/code/{code}`;
const access = permission('entity-definitions');
const version = { etag: 'The version, quoted; send it back in If-Match.' };
const definition = {
  description: 'The definition',
  schema: answers.definition,
  headers: version,
  example: examples.definition,
};

/** Routes of entity definitions; their paths do not depend on the records' prefix. */
export function definitionRoutes(
  { definitionService }: DefinitionRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  const change = (method: 'PUT' | 'PATCH') =>
    route({
      operationId: method === 'PUT' ? 'updateEntityDefinition' : 'patchEntityDefinition',
      method,
      path: DEFINITION_PATH,
      summary: 'Changes name, path, flags or options of an entity',
      description:
        'Members that are not sent keep their values. The code and the number of shards cannot change.',
      access,
      params: schemas.codeParams,
      body: schemas.updateBody,
      bodyExample: { name: 'Customers', requireAuth: true },
      conditional: true,
      responses: { 200: definition },
      problems: [problems.entityNotFound, problems.codeExists, problems.entityHasRecords],
      handle: async ({ params: { code }, body, principal, ifMatch }) => {
        const { name, apiPath, requireAuth, requirePermission, hierarchical, options } = body;
        const wanted = { name, apiPath, requireAuth, requirePermission, hierarchical, options };
        const found = await definitionService.update(code, wanted, principal, ifMatch);
        return ok(toDefinition(found), etag(found.version));
      },
    });
  return [
    route({
      operationId: 'listEntityDefinitions',
      method: 'GET',
      path: DEFINITIONS_PATH,
      summary: 'Lists entity definitions',
      access,
      query: () => z.strictObject({ ...pageQuery(web), ...schemas.definitionListFilter() }),
      responses: {
        200: {
          description: 'A page of definitions',
          schema: answers.definitionPage,
          example: examples.definitionPage,
        },
      },
      handle: async ({ query: { page = 0, size, q, sort } }) => {
        const all = await definitionService.list({ q, sort });
        const content = all.slice(page * size, (page + 1) * size).map(toSummary);
        return ok({
          ...toPage({ content, number: page, size, total: { value: all.length, relation: 'eq' } }),
          last: (page + 1) * size >= all.length,
        });
      },
    }),
    route({
      operationId: 'createEntityDefinition',
      method: 'POST',
      path: DEFINITIONS_PATH,
      summary: 'Declares an entity; its records can be stored at once',
      description: `Fields are derived from the form schema. ${schemas.FORM_KEYWORDS}`,
      access,
      body: schemas.createBody,
      bodyExample: examples.newDefinition,
      idempotent: true,
      responses: {
        201: { ...definition, headers: { ...version, location: 'The new definition.' } },
      },
      problems: [problems.codeExists, problems.invalidSchema],
      handle: async ({ body, principal }) => {
        const made = await definitionService.create(body as NewEntity, principal);
        const location = `${DEFINITIONS_PATH}/code/${made.code}`;
        return created(location, toNewDefinition(made), etag(made.version));
      },
    }),
    route({
      operationId: 'getEntityDefinition',
      method: 'GET',
      path: DEFINITION_PATH,
      summary: 'Reads an entity definition with its fields',
      access,
      params: schemas.codeParams,
      responses: { 200: definition },
      problems: [problems.entityNotFound],
      handle: async ({ params: { code } }) => {
        const found = await definitionService.get(code);
        return ok(toDefinition(found), etag(found.version));
      },
    }),
    change('PUT'),
    change('PATCH'),
    route({
      operationId: 'deleteEntityDefinition',
      method: 'DELETE',
      path: DEFINITION_PATH,
      summary: 'Deletes an entity; its code stays reserved and it can be restored',
      access,
      params: schemas.codeParams,
      query: schemas.deleteQuery,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: [problems.entityNotFound, problems.entityHasRecords],
      handle: async ({ params: { code }, query, principal, ifMatch }) => {
        await definitionService.delete(code, { ...query, ifMatch }, principal);
        return noContent();
      },
    }),
    route({
      operationId: 'restoreEntityDefinition',
      method: 'POST',
      path: `${DEFINITION_PATH}/restore`,
      summary: 'Restores a deleted entity with its records',
      access: permission('entity-definitions', 'edit'),
      params: schemas.codeParams,
      idempotent: true,
      responses: { 200: definition },
      problems: [problems.entityNotFound],
      handle: async ({ params: { code }, principal }) => {
        const found = await definitionService.restore(code, principal);
        return ok(toDefinition(found), etag(found.version));
      },
    }),
  ];
}
