import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { DefinitionService } from '../../definitions/definition-service.ts';
import type { DeploymentService } from '../../definitions/deployment-service.ts';
import { problems } from '../../errors.ts';
import { pageOf } from '../page-example.ts';
import { CMMN_PATH } from '../paths.ts';
import * as examples from './definition-examples.ts';
import * as schemas from './definition-schemas.ts';
import { toVersion } from './definition-views.ts';
import { documentResponse, toDocument } from './document-answer.ts';

export interface DefinitionRouteServices {
  readonly definitionService: OnDemand<DefinitionService>;
  readonly deploymentService: OnDemand<DeploymentService>;
}

const access = permission('workflow:definition');
const tag = 'Workflow definitions';
const PATH = `${CMMN_PATH}/definitions`;
const CODE_PATH = `${PATH}/{workflowCode}`;
const version = {
  description: 'The version',
  schema: schemas.version,
  example: examples.version,
};
const page = {
  description: 'A page of versions',
  schema: schemas.versionPage,
  example: pageOf(examples.version),
};

/** Routes of workflows and their versions. */
export function definitionRoutes(
  { definitionService, deploymentService }: DefinitionRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  const change = (verb: 'publish' | 'unpublish', summary: string, description: string) =>
    route({
      operationId: `${verb}Workflow`,
      method: 'POST',
      path: `${CODE_PATH}:${verb}`,
      ...{ summary, description, tag, access },
      params: schemas.codeParams,
      body: schemas.publishBody,
      bodyExample: { version: 1 },
      responses: { 200: version },
      problems: [problems.workflowNotFound],
      handle: async ({ params, body = {}, principal }) =>
        ok(toVersion(await definitionService[verb]({ ...params, ...body }, principal))),
    });
  return [
    route({
      operationId: 'listWorkflows',
      method: 'GET',
      path: PATH,
      summary: 'Lists the newest version of each workflow, or every version',
      description:
        'Workflows without a tenant are listed beside those of the tenant, unless the tenant has one with the same code.',
      ...{ tag, access },
      query: () => schemas.definitionListQuery(web),
      responses: { 200: page },
      handle: async ({ query: { all, tenantCode, q, ...paging }, principal }) => {
        if (all) {
          const found = await deploymentService.list(tenantCode, paging, principal);
          const shown = await definitionService.withPublished(found.content);
          return ok(toPage({ ...found, content: shown.map(toVersion) }));
        }
        const found = await definitionService.list({ tenantCode, q }, paging, principal);
        return ok(toPage({ ...found, content: found.content.map(toVersion) }));
      },
    }),
    route({
      operationId: 'getWorkflow',
      method: 'GET',
      path: CODE_PATH,
      summary: 'Reads the newest version of a workflow',
      ...{ tag, access },
      params: schemas.codeParams,
      query: schemas.tenantQuery,
      responses: { 200: version },
      problems: [problems.workflowNotFound],
      handle: async ({ params, query, principal }) =>
        ok(toVersion(await definitionService.get({ ...params, ...query }, principal))),
    }),
    route({
      operationId: 'listWorkflowVersions',
      method: 'GET',
      path: `${CODE_PATH}/versions`,
      summary: 'Lists the versions of a workflow, newest first',
      ...{ tag, access },
      params: schemas.codeParams,
      query: () => schemas.tenantPageQuery(web),
      responses: { 200: page },
      problems: [problems.workflowNotFound],
      handle: async ({ params, query: { tenantCode, ...paging }, principal }) => {
        const request = { ...params, tenantCode };
        const found = await definitionService.versions(request, paging, principal);
        return ok(toPage({ ...found, content: found.content.map(toVersion) }));
      },
    }),
    route({
      operationId: 'getWorkflowVersion',
      method: 'GET',
      path: `${CODE_PATH}/versions/{version}`,
      summary: 'Reads a version of a workflow',
      ...{ tag, access },
      params: schemas.versionParams,
      query: schemas.tenantQuery,
      responses: { 200: version },
      problems: [problems.workflowNotFound],
      handle: async ({ params, query, principal }) =>
        ok(toVersion(await definitionService.get({ ...params, ...query }, principal))),
    }),
    route({
      operationId: 'getWorkflowXml',
      method: 'GET',
      path: `${CODE_PATH}/versions/{version}/xml`,
      summary: 'Downloads the model of a version, or a document that came along',
      ...{ tag, access },
      params: schemas.versionParams,
      query: schemas.xmlQuery,
      responses: { 200: documentResponse(examples.xml) },
      problems: [problems.workflowNotFound, problems.documentNotFound],
      handle: async ({ params, query: { tenantCode, resource }, principal }) => {
        const request = { ...params, tenantCode };
        const text = await definitionService.xml(request, resource, principal);
        const name = resource ?? `${params.workflowCode}-${params.version}.cmmn.xml`;
        return toDocument(text, name);
      },
    }),
    change(
      'publish',
      'Lets cases of a version be started',
      'Of the newest version, or of the one that is named.',
    ),
    change(
      'unpublish',
      'Lets no more cases of a version be started',
      'Of the version that is started, or of the one that is named. The newest published one of the others is started from then on; running cases go on.',
    ),
  ];
}
