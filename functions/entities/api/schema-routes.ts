import { accepted, etag, ok } from '../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../shared/http/route.ts';
import type { DefinitionService } from '../definitions/definition-service.ts';
import type { SchemaService } from '../definitions/schema-service.ts';
import { problems } from '../errors.ts';
import type { JobService } from '../jobs/job-service.ts';
import * as answers from './definition-answers.ts';
import { DEFINITION_PATH, DEFINITIONS_PATH } from './definition-routes.ts';
import * as examples from './examples.ts';
import { job as jobSchema } from './job-reply.ts';
import * as schemas from './schemas.ts';
import { toFields, toJob, toSchemaOutcome, toSchemaVersion } from './views.ts';

export interface SchemaRouteServices {
  readonly definitionService: Pick<DefinitionService, 'get'>;
  readonly schemaService: Pick<SchemaService, 'versions' | 'version' | 'update' | 'recount'>;
  readonly jobService: JobService;
}

const access = permission('entity-definitions');

/** Routes of form schemas, their derived fields and the jobs that they start. */
export function schemaRoutes({
  definitionService,
  schemaService,
  jobService,
}: SchemaRouteServices): Route[] {
  return [
    route({
      operationId: 'updateEntitySchema',
      method: 'PUT',
      path: `${DEFINITION_PATH}/schema`,
      summary: 'Replaces the form schema of an entity and derives its fields',
      description: `The change is applied as a whole. A job builds new indexes while records stay in use. ${schemas.FORM_KEYWORDS}`,
      access,
      params: schemas.codeParams,
      query: schemas.schemaQuery,
      body: schemas.schemaBody,
      bodyExample: examples.formSchema,
      conditional: true,
      responses: {
        200: {
          description: 'What changed',
          schema: answers.schemaOutcome,
          headers: { etag: 'The version of the definition, quoted; send it back in If-Match.' },
          example: examples.schemaOutcome,
        },
      },
      problems: [problems.entityNotFound, problems.invalidSchema, problems.schemaIncompatible],
      handle: async ({ params: { code }, query, body, principal, ifMatch }) => {
        const options = { ...query, ifMatch };
        const outcome = await schemaService.update(code, schemaIn(body), options, principal);
        return ok(toSchemaOutcome(outcome), etag(outcome.definition.version));
      },
    }),
    route({
      operationId: 'listEntityFields',
      method: 'GET',
      path: `${DEFINITION_PATH}/fields`,
      summary: 'Lists the fields of an entity in the order of its form',
      access,
      params: schemas.codeParams,
      responses: {
        200: { description: 'The fields', schema: answers.fieldList, example: [examples.field] },
      },
      problems: [problems.entityNotFound],
      handle: async ({ params: { code } }) => ok(toFields(await definitionService.get(code))),
    }),
    route({
      operationId: 'getEntityField',
      method: 'GET',
      path: `${DEFINITION_PATH}/fields/{field}`,
      summary: 'Reads one field of an entity',
      access,
      params: schemas.fieldParams,
      responses: {
        200: { description: 'The field', schema: answers.field, example: examples.field },
      },
      problems: [problems.entityNotFound, problems.fieldNotFound],
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
      path: `${DEFINITION_PATH}/versions`,
      summary: 'Lists the last 50 form schemas of an entity, newest first',
      access,
      params: schemas.codeParams,
      whenTooLarge: 'Read one schema after the other by /versions/{version}.',
      responses: {
        200: {
          description: 'The schemas',
          schema: answers.schemaVersionList,
          example: [examples.schemaVersion],
        },
      },
      problems: [problems.entityNotFound],
      handle: async ({ params: { code } }) =>
        ok((await schemaService.versions(code)).map(toSchemaVersion)),
    }),
    route({
      operationId: 'getEntitySchemaVersion',
      method: 'GET',
      path: `${DEFINITION_PATH}/versions/{version}`,
      summary: 'Reads an earlier form schema of an entity',
      access,
      params: schemas.versionParams,
      responses: {
        200: {
          description: 'The schema',
          schema: answers.schemaVersion,
          example: examples.schemaVersion,
        },
      },
      problems: [problems.entityNotFound, problems.versionNotFound],
      handle: async ({ params }) =>
        ok(toSchemaVersion(await schemaService.version(params.code, params.version))),
    }),
    route({
      operationId: 'getEntityDefinitionJob',
      method: 'GET',
      path: `${DEFINITION_PATH}/jobs/{jobId}`,
      summary: 'Returns the progress of a job of an entity',
      access,
      params: schemas.jobParams,
      responses: { 200: { description: 'The job', schema: jobSchema, example: examples.job } },
      problems: [problems.jobNotFound],
      handle: async ({ params }) => ok(toJob(await jobService.get(params.code, params.jobId))),
    }),
    route({
      operationId: 'recountEntity',
      method: 'POST',
      path: `${DEFINITION_PATH}/recount`,
      summary: 'Recounts all records of an entity',
      access: permission('entity-definitions', 'edit'),
      params: schemas.codeParams,
      idempotent: true,
      responses: {
        202: {
          description: 'The job that counts',
          schema: jobSchema,
          headers: { location: 'The job.' },
          example: examples.job,
        },
      },
      problems: [problems.entityNotFound],
      handle: async ({ params: { code }, principal }) => {
        const job = await schemaService.recount(code, principal);
        return accepted(toJob(job), {
          location: `${DEFINITIONS_PATH}/code/${code}/jobs/${job.id}`,
        });
      },
    }),
  ];
}

/** The body is the schema itself, or `{uiSchemaJson}`. */
function schemaIn(body: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(body);
  return names.length === 1 && names[0] === 'uiSchemaJson' ? body.uiSchemaJson : body;
}
