import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { toInstant } from '../../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { workingTenant } from '../../definitions/tenancy.ts';
import { problems } from '../../errors.ts';
import { CMMN_PATH } from '../../paths.ts';
import type { StoredTimer } from '../../store/timers/timer-items.ts';
import type { TimerCalls } from '../../timers/services.ts';
import { timerIdOf } from '../../timers/timer-service.ts';
import { CASES_TAG } from '../cases/paths.ts';
import * as schemas from './timer-schemas.ts';

/** Routes of timers; that of the clock is there only where tests may advance it. */
export function timerRoutes(
  { service }: TimerCalls,
  config: Pick<PlatformConfig, 'web' | 'security'>,
): Route[] {
  return [
    ...waitingTimerRoutes(service, config),
    ...(config.security.testClock ? [clockRoute(service)] : []),
  ];
}

function waitingTimerRoutes(
  service: TimerCalls['service'],
  config: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      operationId: 'listTimers',
      method: 'GET',
      path: `${CMMN_PATH}/timers`,
      summary: 'Lists timers that wait, by due time',
      description:
        'A timer fires within about a minute of its due time. A failed firing is retried up to eight times, after one minute at first and an hour at last; then the timer is FAILED. Without caseInstanceId the newest timers may be missing for a moment.',
      tag: CASES_TAG,
      access: permission('workflow:case'),
      query: () => schemas.timersQuery(config),
      responses: {
        200: {
          description: 'A page of timers',
          schema: schemas.timerPage,
          example: schemas.timerPageExample,
        },
      },
      problems: [problems.caseNotFound, httpProblems.forbidden, httpProblems.concurrentUpdate],
      handle: async ({ query, principal }) => {
        const { caseInstanceId, state, tenantCode, ...request } = query;
        const tenant = workingTenant(principal, tenantCode);
        const found =
          caseInstanceId === undefined
            ? await service.page(tenant, state, request)
            : await service.ofCase(caseInstanceId, state, request, principal);
        return ok(toPage({ ...found, content: found.content.map(toView) }));
      },
    }),
    route({
      operationId: 'retryTimer',
      method: 'POST',
      path: `${CMMN_PATH}/timers/{timerId}:retry`,
      summary: 'Fires a timer that could not be fired, at once',
      tag: CASES_TAG,
      access: permission('workflow:case', 'edit'),
      params: schemas.timerParams,
      responses: {
        200: {
          description: 'Whether it has fired; else why not',
          schema: schemas.retriedTimer,
          example: schemas.retriedTimerExample,
        },
      },
      problems: [problems.timerNotFound, problems.timerNotDue, httpProblems.concurrentUpdate],
      handle: async ({ params, principal }) => {
        const { timer, outcome } = await service.retry(params.timerId, principal);
        return ok({ ...toView(timer), state: outcome });
      },
    }),
  ];
}

const clockRoute = (service: TimerCalls['service']): Route =>
  route({
    operationId: 'advanceWorkflowClock',
    method: 'POST',
    path: `${CMMN_PATH}/clock:advance`,
    summary: "Advances the time of the caller's tenant and fires what is due by then, for tests",
    description:
      'Timers fire in order of due time. Other tenants keep their time. A test that compares due times to the second stops the time of its tenant.',
    tag: 'Clock of cases',
    access: permission('clock', 'edit'),
    body: schemas.clockAdvance,
    bodyExample: { duration: 'PT48H' },
    responses: {
      200: {
        description: "The tenant's time, and how many timers have fired",
        schema: schemas.advancedClock,
        example: schemas.advancedClockExample,
      },
    },
    concerns: ({ body }) => body,
    handle: async ({ body, principal: { tenant } }) => {
      const { now, fired, failed, isTruncated } = await service.advance(
        tenant,
        body.duration,
        body.stop,
      );
      return ok({
        ...{ tenant: tenant ?? null, now: toInstant(now), fired, failed },
        truncated: isTruncated,
      });
    },
  });

const toView = (timer: StoredTimer) => ({
  id: timerIdOf(timer),
  caseInstanceId: timer.caseInstanceId,
  planItemInstanceId: timer.planItemInstanceId,
  planItemDefinitionKey: timer.definitionKey,
  name: timer.name,
  tenantCode: timer.tenantCode,
  dueAt: timer.dueAt,
  state: timer.state,
  attempts: timer.attempts,
  nextTryAt: timer.nextTryAt,
  lastError: timer.lastError,
});
