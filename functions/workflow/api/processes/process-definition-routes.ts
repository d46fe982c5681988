import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { workingTenant } from '../../definitions/tenancy.ts';
import { problems } from '../../errors.ts';
import { PROCESS_PATH } from '../../paths.ts';
import type { ProcessServiceCalls } from '../../processes/services.ts';
import { documentResponse, toDocument } from '../definitions/document-answer.ts';
import * as answers from './process-answers.ts';
import * as examples from './process-examples.ts';
import * as schemas from './process-schemas.ts';

const PATH = `${PROCESS_PATH}/definitions`;
const tag = 'Processes';
const access = permission('workflow:process');
const definition = {
  description: 'The version',
  schema: answers.definitionView,
  example: examples.definition,
};
const page = {
  description: 'A page of versions',
  schema: answers.definitionPage,
  example: examples.definitionPage,
};

/** Routes of process definitions. */
export function processDefinitionRoutes(
  { definitions }: ProcessServiceCalls,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      operationId: 'deployProcess',
      method: 'POST',
      path: PATH,
      summary: 'Deploys a process as the next version of its code',
      description: 'The same document again changes nothing and answers 200.',
      ...{ tag, access },
      body: schemas.newDefinition,
      bodyExample: examples.newDefinition,
      idempotent: true,
      maxBodyBytes: schemas.MAX_MODEL_BODY_BYTES,
      responses: {
        200: { ...definition, description: 'The newest version is the same' },
        201: {
          ...definition,
          headers: { location: 'The new version.' },
          links: {
            getProcessDefinition: { code: '$response.body#/workflowCode' },
            startProcess: {},
          },
        },
      },
      problems: [problems.modelInvalid, problems.processCodeTaken, httpProblems.forbidden],
      handle: async ({ body, principal }) => {
        const { definition: found, isNew } = await definitions.deploy(body, principal);
        const path = `${PATH}/${found.workflowCode}`;
        return isNew ? created(path, found) : ok(found);
      },
    }),
    route({
      operationId: 'listProcessDefinitions',
      method: 'GET',
      path: PATH,
      summary: 'Lists the newest version of each process of a tenant',
      ...{ tag, access },
      query: () => schemas.definitionsQuery(config),
      responses: { 200: page },
      problems: [httpProblems.forbidden],
      handle: async ({ query: { tenantCode, ...paging }, principal }) =>
        ok(toPage(await definitions.list(workingTenant(principal, tenantCode), paging))),
    }),
    route({
      operationId: 'getProcessDefinition',
      method: 'GET',
      path: `${PATH}/{code}`,
      summary: 'Reads the newest version of a process',
      ...{ tag, access },
      params: schemas.codeParams,
      query: schemas.tenantQuery,
      responses: { 200: definition },
      problems: [problems.processDefinitionNotFound],
      handle: async ({ params, query, principal }) =>
        ok(await definitions.get(params.code, query.tenantCode, undefined, principal)),
    }),
    route({
      operationId: 'listProcessVersions',
      method: 'GET',
      path: `${PATH}/{code}/versions`,
      summary: 'Lists the versions of a process, newest first',
      ...{ tag, access },
      params: schemas.codeParams,
      query: () => schemas.definitionsQuery(config),
      responses: { 200: page },
      problems: [problems.processDefinitionNotFound],
      handle: async ({ params, query: { tenantCode, ...paging }, principal }) =>
        ok(toPage(await definitions.versions(params.code, tenantCode, paging, principal))),
    }),
    route({
      operationId: 'getProcessXml',
      method: 'GET',
      path: `${PATH}/{code}/versions/{version}/xml`,
      summary: 'Reads the document of a version',
      ...{ tag, access },
      params: schemas.versionParams,
      query: schemas.tenantQuery,
      responses: { 200: documentResponse(examples.xml) },
      problems: [problems.processDefinitionNotFound],
      handle: async ({ params: { code, version }, query, principal }) => {
        const found = await definitions.get(code, query.tenantCode, version, principal);
        const { xml } = await definitions.content(found);
        return toDocument(xml, `${code}-${version}.bpmn.xml`);
      },
    }),
  ];
}
