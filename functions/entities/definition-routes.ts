import * as z from 'zod';
import type { SvcConfig } from '../../shared/config/index.ts';
import { pageQuery, toPage } from '../../shared/http/paging.ts';
import { accepted, created, etag, noContent, ok } from '../../shared/http/reply.ts';
import { permission, type Route, route } from '../../shared/http/route.ts';
import type { DefinitionService, NewEntity } from './definition-service.ts';
import { problems } from './errors.ts';
import * as examples from './examples.ts';
import type { JobService } from './job-service.ts';
import { named } from './problem-types.ts';
import * as schemas from './schemas.ts';
import {
  toDefinition,
  toFields,
  toJob,
  toSchemaOutcome,
  toSchemaVersion,
  toSummary,
} from './views.ts';

/** What the definition routes call. */
export interface DefinitionRouteServices {
  readonly definitionService: DefinitionService;
  readonly jobService: JobService;
}

const ROOT = '/api/v1/entity-definitions';
const ONE = `${ROOT}/code/{code}`;
const access = permission('entity-definitions');
const version = { etag: 'The version, quoted; send it back in If-Match.' };

/** The HTTP table of entity definitions; its paths do not depend on the prefix of the records. */
export function definitionRoutes(
  { definitionService, jobService }: DefinitionRouteServices,
  { web }: Pick<SvcConfig, 'web'>,
): Route[] {
  const change = (method: 'PUT' | 'PATCH') =>
    route({
      operationId: method === 'PUT' ? 'updateEntityDefinition' : 'patchEntityDefinition',
      method,
      path: ONE,
      summary: 'Changes name, path, flags or options of an entity',
      description: 'What is not sent stays. The code and the number of shards cannot change.',
      access,
      params: schemas.codeParams,
      body: schemas.updateBody,
      bodyExample: { name: 'Customers', requireAuth: true },
      conditional: true,
      responses: {
        200: {
          description: 'The definition',
          schema: schemas.definition,
          headers: version,
          example: examples.definition,
        },
      },
      problems: named('ENTITY_NOT_FOUND', 'CODE_EXISTS'),
      handle: async ({ params: { code }, body, principal, ifMatch }) => {
        const { name, apiPath, requireAuth, requirePermission, hierarchical, options } = body;
        const wanted = { name, apiPath, requireAuth, requirePermission, hierarchical, options };
        const definition = await definitionService.update(code, wanted, principal, ifMatch);
        return ok(toDefinition(definition), etag(definition.version));
      },
    });
  return [
    route({
      operationId: 'listEntityDefinitions',
      method: 'GET',
      path: ROOT,
      summary: 'Lists entity definitions',
      access,
      query: z.strictObject({ ...pageQuery(web), ...schemas.definitionListFilter }),
      responses: {
        200: {
          description: 'A page of definitions',
          schema: schemas.definitionPage,
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
      path: ROOT,
      summary: 'Declares an entity; its records can be stored at once',
      description: 'Fields are derived from the form schema.',
      access,
      body: schemas.createBody,
      bodyExample: examples.newDefinition,
      idempotent: true,
      responses: {
        201: {
          description: 'The definition',
          schema: schemas.definition,
          headers: { ...version, location: 'The new definition.' },
          example: examples.definition,
        },
      },
      problems: named('CODE_EXISTS', 'INVALID_SCHEMA'),
      handle: async ({ body, principal }) => {
        const definition = await definitionService.create(body as NewEntity, principal);
        return created(
          `${ROOT}/code/${definition.code}`,
          toDefinition(definition),
          etag(definition.version),
        );
      },
    }),
    route({
      operationId: 'getEntityDefinition',
      method: 'GET',
      path: ONE,
      summary: 'Reads an entity definition with its fields',
      access,
      params: schemas.codeParams,
      responses: {
        200: {
          description: 'The definition',
          schema: schemas.definition,
          headers: version,
          example: examples.definition,
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: async ({ params: { code } }) => {
        const definition = await definitionService.get(code);
        return ok(toDefinition(definition), etag(definition.version));
      },
    }),
    change('PUT'),
    change('PATCH'),
    route({
      operationId: 'updateEntitySchema',
      method: 'PUT',
      path: `${ONE}/schema`,
      summary: 'Gives an entity a new form schema and derives its fields again',
      description:
        'All of it happens, or nothing. Indexes that are new are built by a job; records stay in use meanwhile.',
      access,
      params: schemas.codeParams,
      query: schemas.schemaQuery,
      body: schemas.schemaBody,
      bodyExample: examples.formSchema,
      conditional: true,
      responses: {
        200: {
          description: 'What changed',
          schema: schemas.schemaOutcome,
          headers: version,
          example: examples.schemaOutcome,
        },
      },
      problems: named('ENTITY_NOT_FOUND', 'INVALID_SCHEMA', 'SCHEMA_INCOMPATIBLE'),
      handle: async ({ params: { code }, query, body, principal, ifMatch }) => {
        const schema = schemaIn(body);
        const outcome = await definitionService.updateSchema(
          code,
          schema,
          { ...query, ifMatch },
          principal,
        );
        return ok(toSchemaOutcome(outcome), etag(outcome.definition.version));
      },
    }),
    route({
      operationId: 'listEntityFields',
      method: 'GET',
      path: `${ONE}/fields`,
      summary: 'Lists the fields of an entity in the order of its form',
      access,
      params: schemas.codeParams,
      responses: {
        200: { description: 'The fields', schema: schemas.fieldList, example: [examples.field] },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: async ({ params: { code } }) => ok(toFields(await definitionService.get(code))),
    }),
    route({
      operationId: 'getEntityField',
      method: 'GET',
      path: `${ONE}/fields/{field}`,
      summary: 'Reads one field of an entity',
      access,
      params: schemas.fieldParams,
      responses: {
        200: { description: 'The field', schema: schemas.field, example: examples.field },
      },
      problems: named('ENTITY_NOT_FOUND', 'FIELD_NOT_FOUND'),
      handle: async ({ params: { code, field } }) => {
        const found = toFields(await definitionService.get(code)).find(
          (each) => each.code === field,
        );
        if (!found) throw problems.fieldNotFound({ entity: code, field });
        return ok(found);
      },
    }),
    route({
      operationId: 'listEntitySchemaVersions',
      method: 'GET',
      path: `${ONE}/versions`,
      summary: 'Lists the last 50 form schemas of an entity, newest first',
      access,
      params: schemas.codeParams,
      responses: {
        200: {
          description: 'The schemas',
          schema: schemas.schemaVersionList,
          example: [examples.schemaVersion],
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: async ({ params: { code } }) =>
        ok((await definitionService.versions(code)).map(toSchemaVersion)),
    }),
    route({
      operationId: 'getEntitySchemaVersion',
      method: 'GET',
      path: `${ONE}/versions/{version}`,
      summary: 'Reads an earlier form schema of an entity',
      access,
      params: schemas.versionParams,
      responses: {
        200: {
          description: 'The schema',
          schema: schemas.schemaVersion,
          example: examples.schemaVersion,
        },
      },
      problems: named('ENTITY_NOT_FOUND', 'SCHEMA_VERSION_NOT_FOUND'),
      handle: async ({ params }) =>
        ok(toSchemaVersion(await definitionService.version(params.code, params.version))),
    }),
    route({
      operationId: 'getEntityDefinitionJob',
      method: 'GET',
      path: `${ONE}/jobs/{jobId}`,
      summary: 'Says how far a job of an entity is',
      access,
      params: schemas.jobParams,
      responses: { 200: { description: 'The job', schema: schemas.job, example: examples.job } },
      problems: named('JOB_NOT_FOUND'),
      handle: async ({ params }) => ok(toJob(await jobService.get(params.code, params.jobId))),
    }),
    route({
      operationId: 'recountEntity',
      method: 'POST',
      path: `${ONE}/recount`,
      summary: 'Counts all records of an entity anew',
      access: permission('entity-definitions', 'edit'),
      params: schemas.codeParams,
      idempotent: true,
      responses: {
        202: {
          description: 'The job that counts',
          schema: schemas.job,
          headers: { location: 'The job.' },
          example: examples.job,
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: async ({ params: { code }, principal }) => {
        await definitionService.get(code);
        const job = await jobService.start('RECOUNT', code, {}, principal.id);
        return accepted(toJob(job), { location: `${ROOT}/code/${code}/jobs/${job.id}` });
      },
    }),
    route({
      operationId: 'deleteEntityDefinition',
      method: 'DELETE',
      path: ONE,
      summary: 'Deletes an entity; its code stays reserved and it can be restored',
      access,
      params: schemas.codeParams,
      query: schemas.deleteQuery,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: named('ENTITY_NOT_FOUND', 'ENTITY_HAS_RECORDS'),
      handle: async ({ params: { code }, query, principal, ifMatch }) => {
        await definitionService.delete(code, { ...query, ifMatch }, principal);
        return noContent();
      },
    }),
    route({
      operationId: 'restoreEntityDefinition',
      method: 'POST',
      path: `${ONE}/restore`,
      summary: 'Brings a deleted entity back with its records',
      access: permission('entity-definitions', 'edit'),
      params: schemas.codeParams,
      idempotent: true,
      responses: {
        200: {
          description: 'The definition',
          schema: schemas.definition,
          headers: version,
          example: examples.definition,
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: async ({ params: { code }, principal }) => {
        const definition = await definitionService.restore(code, principal);
        return ok(toDefinition(definition), etag(definition.version));
      },
    }),
  ];
}

/** A schema comes as it is, or as `{uiSchemaJson}`. */
function schemaIn(body: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(body);
  return names.length === 1 && names[0] === 'uiSchemaJson' ? body.uiSchemaJson : body;
}
