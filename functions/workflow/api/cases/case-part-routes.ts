import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { taskPage } from '../tasks/task-answers.ts';
import * as taskExamples from '../tasks/task-examples.ts';
import { toTask } from '../tasks/task-views.ts';
import * as answers from './case-answers.ts';
import { COMMAND_PROBLEMS } from './case-command-routes.ts';
import * as examples from './case-examples.ts';
import * as schemas from './case-schemas.ts';
import type { CaseRouteServices } from './case-viewer.ts';
import { toHistory } from './case-views.ts';
import { CASES_PATH, CASES_TAG } from './paths.ts';

/** Routes that read parts of a case. */
export function casePartRoutes(
  services: CaseRouteServices,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  const access = permission('workflow:case');
  const { reader } = services.cases;
  return [
    tasksRoute(services, config),
    route({
      operationId: 'getCaseHistory',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}/history`,
      summary: 'Lists what commands have changed, newest first',
      tag: CASES_TAG,
      access,
      params: schemas.caseParams,
      query: () => schemas.pageOnly(config),
      responses: {
        200: {
          description: 'A page of commands with their changes',
          schema: answers.historyPage,
          example: examples.historyPage,
        },
      },
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, query, principal }) => {
        const found = await reader.history(params.caseInstanceId, principal, query);
        return ok(toPage({ ...found, content: found.content.map(toHistory) }));
      },
    }),
    route({
      operationId: 'getStageOverview',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}/stage-overview`,
      summary: 'Shows how far a case has come: its stages and milestones',
      tag: CASES_TAG,
      access,
      params: schemas.caseParams,
      responses: {
        200: { description: 'In display order', schema: answers.stages, example: examples.stages },
      },
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, principal }) =>
        ok({ stages: await reader.stageOverview(params.caseInstanceId, principal) }),
    }),
    route({
      operationId: 'explainCase',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}/explain`,
      summary: 'Says why a plan item waits, or why a stage or the case stays open',
      tag: CASES_TAG,
      access,
      params: schemas.caseParams,
      query: schemas.explainQuery,
      responses: {
        200: {
          description: 'The criteria and children that it waits for',
          schema: answers.explanation,
          example: examples.explanation,
        },
      },
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, query, principal }) =>
        ok(await reader.explain(params.caseInstanceId, query.planItemInstanceId, principal)),
    }),
  ];
}

const tasksRoute = (
  { cases: { reader }, tasks: { guard } }: CaseRouteServices,
  config: Pick<PlatformConfig, 'web'>,
): Route =>
  route({
    operationId: 'listCaseTasks',
    method: 'GET',
    path: `${CASES_PATH}/{caseInstanceId}/tasks`,
    summary: 'Lists the open tasks of a case, whoever has them',
    tag: CASES_TAG,
    access: permission('workflow:case'),
    params: schemas.caseParams,
    query: () => schemas.pageOnly(config),
    responses: {
      200: {
        description: 'A page of tasks, in the order in which they were created',
        schema: taskPage,
        example: taskExamples.taskPage,
      },
    },
    problems: COMMAND_PROBLEMS,
    handle: async ({ params, query, principal }) => {
      const { taskVariables: variables, ...found } = await reader.openTasks(
        params.caseInstanceId,
        principal,
        query,
      );
      const caller = await guard.callerFor(found.content, principal);
      return ok(
        toPage({
          ...found,
          content: found.content.map((task) => toTask(task, { caller, variables })),
        }),
      );
    },
  });
