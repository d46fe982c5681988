import type * as z from 'zod';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { CaseAction, CaseActionFacts } from '../../cases/case-actions.ts';
import { ENGINE_PROBLEMS } from '../../cases/engine-problems.ts';
import type { CaseCalls } from '../../cases/services.ts';
import { CMMN_PATH } from '../../paths.ts';
import * as answers from './case-answers.ts';
import * as examples from './case-examples.ts';
import * as schemas from './case-schemas.ts';
import { type CaseRouteServices, caseViewer } from './case-viewer.ts';
import { CASES_PATH, CASES_TAG } from './paths.ts';

/** Answers of all commands: the case as it is then. */
export const CASE_ANSWER = {
  200: {
    description: 'The case after the change',
    schema: answers.caseView,
    example: examples.caseView,
  },
};
/** Problems of all commands. */
export const COMMAND_PROBLEMS = [...ENGINE_PROBLEMS, httpProblems.concurrentUpdate];

/** Routes that do something with whole cases. */
export function caseCommandRoutes(services: CaseRouteServices): Route[] {
  const { actions } = services.cases;
  const viewer = caseViewer(services);
  const action = <Body extends z.ZodType<CaseActionFacts>>(
    verb: CaseAction,
    summary: string,
    body: () => Body,
    description?: string,
  ): Route =>
    route({
      operationId: `${verb}Case`,
      method: 'POST',
      path: `${CASES_PATH}/{caseInstanceId}:${verb}`,
      summary,
      description,
      tag: CASES_TAG,
      access: permission('workflow:case'),
      params: schemas.caseParams,
      body,
      bodyExample: {},
      idempotent: true,
      responses: CASE_ANSWER,
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, body: facts, principal }) => {
        const done = await actions.act(params.caseInstanceId, verb, facts, principal);
        return ok(await viewer.after(done, principal));
      },
    });
  return [
    action(
      'suspend',
      'Suspends a case',
      schemas.caseAction,
      'It refuses everything but its resumption and termination; timers that become due fire when it resumes.',
    ),
    action('resume', 'Resumes a suspended case', schemas.caseAction),
    action('terminate', 'Terminates a case', schemas.caseAction),
    action('complete', 'Completes a case by hand', schemas.completion),
    action('reactivate', 'Brings back a case that has ended', schemas.reactivation),
    action('evaluate', 'Evaluates the conditions of a case once more', schemas.caseAction),
    ...planRoutes(services),
    signalRoute(services.cases),
  ];
}

function planRoutes(services: CaseRouteServices): Route[] {
  const { actions, reader } = services.cases;
  const viewer = caseViewer(services);
  return [
    route({
      operationId: 'listPlannableItems',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}/plannable-items`,
      summary: 'Lists what the caller could plan now',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      params: schemas.caseParams,
      responses: {
        200: {
          description: 'Items of the planning tables',
          schema: answers.plannable,
          example: examples.plannable,
        },
      },
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, principal }) =>
        ok({ items: await reader.plannable(params.caseInstanceId, principal) }),
    }),
    route({
      operationId: 'planItem',
      method: 'POST',
      path: `${CASES_PATH}/{caseInstanceId}:plan`,
      summary: 'Plans a discretionary item',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      params: schemas.caseParams,
      body: schemas.planBody,
      bodyExample: examples.plan,
      idempotent: true,
      responses: CASE_ANSWER,
      problems: COMMAND_PROBLEMS,
      handle: async ({ params, body, principal }) => {
        const done = await actions.plan(params.caseInstanceId, body, principal);
        return ok(await viewer.after(done, principal));
      },
    }),
  ];
}

const signalRoute = ({ signals, actions }: CaseCalls): Route =>
  route({
    operationId: 'sendSignal',
    method: 'POST',
    path: `${CMMN_PATH}/signals/{signalName}`,
    summary: 'Sends a signal to the cases that wait for it, or to one of them',
    tag: CASES_TAG,
    access: permission('workflow:case', 'edit'),
    params: schemas.signalParams,
    body: schemas.signalBody,
    bodyExample: {},
    responses: {
      200: {
        description: 'Who has heard it',
        schema: answers.heardSignal,
        example: examples.heardSignal,
      },
    },
    problems: [...COMMAND_PROBLEMS, httpProblems.forbidden],
    handle: async ({ params: { signalName: name }, body, principal }) => {
      const { caseInstanceId, variables, tenantCode } = body;
      if (caseInstanceId !== undefined) {
        await actions.signal(caseInstanceId, name, variables, principal);
        return ok({ caseInstanceIds: [caseInstanceId], refused: [], truncated: false });
      }
      const heard = await signals.broadcast({ name, variables, tenantCode }, principal);
      const { caseInstanceIds, refused, isTruncated } = heard;
      return ok({ caseInstanceIds, refused, truncated: isTruncated });
    },
  });
