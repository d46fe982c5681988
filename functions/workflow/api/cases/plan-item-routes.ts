import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { PlanItemAction } from '../../cases/plan-item-commands.ts';
import type { CaseCalls } from '../../cases/services.ts';
import { problems } from '../../errors.ts';
import * as answers from './case-answers.ts';
import { CASE_ANSWER, COMMAND_PROBLEMS } from './case-command-routes.ts';
import * as examples from './case-examples.ts';
import * as schemas from './case-schemas.ts';
import { type CaseRouteServices, caseViewer } from './case-viewer.ts';
import { toEndedPlanItem, toPlanItem } from './case-views.ts';
import { CASES_PATH, CASES_TAG } from './paths.ts';

const SUMMARIES: Readonly<Record<PlanItemAction, string>> = {
  trigger:
    'Triggers a plan item: a listener occurs, an enabled item starts, an active one completes',
  start: 'Starts an enabled plan item',
  enable: 'Enables a plan item',
  disable: 'Disables an enabled plan item',
  complete: 'Completes an active stage or task; human tasks are completed as tasks',
  terminate: 'Terminates a plan item',
  suspend: 'Suspends a plan item and what is in it',
  resume: 'Resumes a suspended plan item',
};

/** Routes of plan items. */
export function planItemRoutes(
  services: CaseRouteServices,
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  const { planItems } = services.cases;
  const viewer = caseViewer(services);
  const actions = Object.entries(SUMMARIES).map(([verb, summary]): Route => {
    const action = verb as PlanItemAction;
    return route({
      operationId: `${action}PlanItem`,
      method: 'POST',
      path: `${CASES_PATH}/{caseInstanceId}/plan-items/{planItemDefinitionKey}:${action}`,
      summary,
      description:
        'Of several instances the oldest is used; if they would accept the command in different ways, name one by planItemInstanceId.',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      params: schemas.planItemParams,
      body: schemas.planItemAction,
      bodyExample: {},
      idempotent: true,
      responses: CASE_ANSWER,
      problems: [
        ...COMMAND_PROBLEMS,
        problems.planItemNotTriggerable,
        problems.ambiguousPlanItem,
        problems.useTaskApi,
      ],
      handle: async ({ params, body, principal }) => {
        const { caseInstanceId, planItemDefinitionKey: key } = params;
        const done = await planItems.give({ ...body, caseInstanceId, key, action }, principal);
        return ok(await viewer.after(done, principal));
      },
    });
  });
  return [listRoute(services.cases, config), ...actions];
}

const listRoute = ({ reader }: CaseCalls, config: Pick<PlatformConfig, 'web'>): Route =>
  route({
    operationId: 'listPlanItems',
    method: 'GET',
    path: `${CASES_PATH}/{caseInstanceId}/plan-items`,
    summary: 'Lists the plan items of a case that are open, or those that have ended',
    tag: CASES_TAG,
    access: permission('workflow:case'),
    params: schemas.caseParams,
    query: () => schemas.planItemsQuery(config),
    responses: {
      200: {
        description: 'A page of plan items, in the order in which they were created',
        schema: answers.planItemPage,
        example: examples.planItemPage,
      },
    },
    problems: COMMAND_PROBLEMS,
    handle: async ({ params: { caseInstanceId }, query, principal }) => {
      const { ended = false, ...page } = query;
      const found = ended
        ? await reader.endedPlanItems(caseInstanceId, principal, page)
        : await reader.openPlanItems(caseInstanceId, principal, page);
      const content = found.content.map((item) =>
        'instance' in item ? toPlanItem(item) : toEndedPlanItem(item),
      );
      return ok(toPage({ ...found, content }));
    },
  });
