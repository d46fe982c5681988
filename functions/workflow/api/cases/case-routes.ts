import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { created, noContent, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { recordsPort } from '../../../entities/port.ts';
import { ENGINE_PROBLEMS } from '../../cases/engine-problems.ts';
import { tenantOf } from '../../definitions/tenancy.ts';
import { problems } from '../../errors.ts';
import { isCounted } from '../schema-parts.ts';
import * as answers from './case-answers.ts';
import { caseCommandRoutes } from './case-command-routes.ts';
import * as examples from './case-examples.ts';
import { casePartRoutes } from './case-part-routes.ts';
import * as schemas from './case-schemas.ts';
import { type CaseRouteServices, caseViewer } from './case-viewer.ts';
import { toCaseHead } from './case-views.ts';
import { externalWorkRoutes } from './external-work-routes.ts';
import { CASES_PATH, CASES_TAG } from './paths.ts';
import { planItemRoutes } from './plan-item-routes.ts';
import { variableRoutes } from './variable-routes.ts';

/** Routes of cases and of what is in them. */
export function caseRoutes(
  services: CaseRouteServices,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  const { cases } = services;
  return [
    ...wholeCaseRoutes(services, config),
    ...caseCommandRoutes(services),
    ...casePartRoutes(services, config),
    ...planItemRoutes(services, config),
    ...variableRoutes(cases),
    ...externalWorkRoutes(cases),
  ];
}

function wholeCaseRoutes(
  services: CaseRouteServices,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  const { starter, startRights, list, deletion } = services.cases;
  const viewer = caseViewer(services);
  return [
    route({
      operationId: 'startCase',
      method: 'POST',
      path: CASES_PATH,
      summary: 'Starts a case',
      description:
        'By the code of a published workflow, by the key of a case definition or by the id of one version. The answer is the case after all steps that need no input; it may be completed already.',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      body: schemas.newCase,
      bodyExample: examples.newCase,
      idempotent: true,
      responses: {
        201: {
          description: 'The case',
          schema: answers.caseView,
          headers: { location: 'The new case.' },
          example: examples.caseView,
          links: { getCase: { caseInstanceId: '$response.body#/caseInstanceId' } },
        },
      },
      problems: [
        ...ENGINE_PROBLEMS,
        problems.workflowNotFound,
        problems.notPublished,
        problems.caseExists,
        httpProblems.concurrentUpdate,
        httpProblems.forbidden,
        ...recordsPort.problems,
      ],
      handle: async ({ body, principal }) => {
        await startRights.require(body, principal);
        const done = await starter.start(body, principal);
        const view = await viewer.after(done, principal);
        return created(`${CASES_PATH}/${encodeURIComponent(done.caseInstanceId)}`, view);
      },
    }),
    route({
      operationId: 'listCases',
      method: 'GET',
      path: CASES_PATH,
      summary: 'Lists cases, newest first',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      query: () => schemas.casesQuery(config),
      responses: {
        200: {
          description: 'A page of cases',
          schema: answers.casePage,
          example: examples.casePage,
        },
      },
      handle: async ({ query, principal }) => {
        const { page, size, cursor, count, state, tenantCode, ...given } = query;
        const own = tenantOf(principal);
        const tenant = own === '' ? (tenantCode ?? '') : own;
        const filter = { ...given, states: state, tenantCode: tenant };
        const found = await list.page(filter, { page, size, cursor });
        const total = isCounted(query) ? await list.count(filter) : undefined;
        return ok(toPage({ ...found, total, content: found.content.map(toCaseHead) }));
      },
    }),
    route({
      operationId: 'getCase',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}`,
      summary: 'Reads a case with what is open in it',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      params: schemas.caseParams,
      responses: {
        200: { description: 'The case', schema: answers.caseView, example: examples.caseView },
      },
      problems: [problems.caseNotFound, httpProblems.concurrentUpdate],
      handle: async ({ params, principal }) =>
        ok(await viewer.get(params.caseInstanceId, principal)),
    }),
    route({
      operationId: 'deleteCase',
      method: 'DELETE',
      path: `${CASES_PATH}/{caseInstanceId}`,
      summary: 'Deletes a case that has ended, with its history and tasks',
      description:
        'Cases that its case tasks waited for are deleted too. Afterwards none of them keeps the content of its workflow version in use.',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      params: schemas.caseParams,
      responses: { 204: { description: 'Deleted' } },
      problems: [problems.caseNotFound, problems.caseNotEnded, httpProblems.concurrentUpdate],
      handle: async ({ params, principal }) => {
        await deletion.delete(params.caseInstanceId, principal);
        return noContent();
      },
    }),
  ];
}
