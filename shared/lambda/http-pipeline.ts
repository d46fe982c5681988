import middy from '@middy/core';
import httpRouterHandler from '@middy/http-router';
import type {
  APIGatewayProxyEventV2,
  Context,
  APIGatewayProxyStructuredResultV2 as Response,
} from 'aws-lambda';
import { toFittingProblem, toFittingResponse } from '../http/answer-size.ts';
import { EDGE_HEADER, requireEdge } from '../http/edge.ts';
import { formReply } from '../http/error-form.ts';
import { problemReply, toResponse } from '../http/respond.ts';
import type { Route } from '../http/route.ts';
import { allowedMethods, methodsElsewhere, verbsFirst } from '../http/route-matching.ts';
import { lazy } from '../primitives/lazy.ts';
import { requestContext } from '../primitives/request-context.ts';
import { httpProblems } from '../problems/http-problems.ts';
import { toProblem } from '../problems/to-problem.ts';
import type { Authenticate } from '../security/authenticate.ts';
import type { Principal } from '../security/principal.ts';
import { sessionAuthentication } from '../sessions/session-authentication.ts';
import { type AuditedCall, auditedCall, writeAudit } from './audit.ts';
import { authorise } from './authorise.ts';
import { type Caller, callRoute } from './call-route.ts';
import { isPlainHttp } from './environment.ts';
import type { Module, ModuleContext } from './module-context.ts';
import { createRequestMetrics } from './request-metrics.ts';

type HttpHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Response>;

/** Facts of a call for its access-log line. */
interface Visit {
  route: string;
  matched?: Route;
  principal?: Principal;
  audited?: AuditedCall | undefined;
  code?: string;
}

const MIDDY_OPTIONS = { timeoutEarlyInMillis: 0 };

/** The default authentication, by tokens. */
const byTokens = (
  { config: { security }, environment, table, tenantClock }: ModuleContext,
  { sessionKeys }: Pick<Module, 'sessionKeys'>,
): Authenticate =>
  sessionAuthentication({
    ...{ security, table, clock: tenantClock.machine },
    ...{ keysAddress: environment.sessionKeys, readKeys: sessionKeys },
  });

/**
 * Runs a request: match the route, authenticate, authorise, parse, call, respond.
 * Any error becomes a problem document; every call writes one access-log line.
 */
export function createHttpPipeline(
  context: ModuleContext,
  { routes, ...module }: Pick<Module, 'routes' | 'sessionKeys'>,
): HttpHandler {
  const metrics = createRequestMetrics(context.environment.module);
  const authenticate = context.host.authenticate ?? byTokens(context, module);
  const visits = new WeakMap<APIGatewayProxyEventV2, Visit>();
  const responseFacts = () => ({
    traceId: requestContext().traceId,
    isPlainHttp: isPlainHttp(context),
  });

  const call = async (route: Route, event: APIGatewayProxyEventV2): Promise<Response> => {
    const allowed = methodsElsewhere(routes, route, event);
    if (allowed.length > 0) {
      throw httpProblems.methodNotAllowed({ method: route.method, path: event.rawPath, allowed });
    }
    const visit = visitOf(event, visits);
    visit.route = `${route.method} ${route.path}`;
    visit.matched = route;
    const request = { headers: event.headers, params: event.pathParameters ?? {} };
    const known = (caller: Principal): Principal => {
      visit.principal = caller;
      visit.audited = auditedCall(route, caller);
      return caller;
    };
    const guards = {
      authenticate: async (headers: typeof event.headers) => known(await authenticate(headers)),
      host: context.host,
    };
    const principal = known(await authorise(route, request, guards));
    route.guard?.(principal);
    const caller: Caller = {
      principal,
      onInput: (input) => {
        visit.audited = auditedCall(route, principal, input);
      },
    };
    const reply = await context.tenantClock.at(principal.tenant, () =>
      callRoute(route, event, caller, context),
    );
    return toFittingResponse(reply, responseFacts(), route);
  };
  const routerOf = createRouters(routes, call);

  const answer = middy<APIGatewayProxyEventV2, Response>(MIDDY_OPTIONS)
    .before(({ event }) => {
      normalise(event);
      requireEdge(context.environment.edgeSecret, event.headers[EDGE_HEADER]);
    })
    .onError((request) => {
      const problem = toProblem(request.error);
      const visit = visitOf(request.event, visits);
      visit.code = problem.code;
      if (problem.status >= 500) {
        context.log.error(problem.title, { code: problem.code, cause: problem.cause ?? problem });
      }
      const facts = responseFacts();
      const form = visit.matched?.errorForm;
      const place = { instance: request.event.rawPath, traceId: facts.traceId };
      request.response = toFittingProblem(problem, (shown) =>
        toResponse(form ? formReply(form, shown) : problemReply(shown, place), facts),
      );
    })
    .handler((event, ...more) =>
      routerOf(event.requestContext.http.method)(event, ...more),
    ) as HttpHandler;

  return async (event, lambdaContext) => {
    const startedAt = performance.now();
    const isHead = event.requestContext.http.method === 'HEAD';
    const response = await answer(event, lambdaContext);
    const { route, principal, audited, code } = visitOf(event, visits);
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const status = response.statusCode ?? 200;
    context.log.info('request', {
      route,
      status,
      ms,
      ...(principal && { principal: principal.id }),
      ...(principal?.issuer !== undefined && { issuer: principal.issuer }),
      ...(code ? { code } : {}),
    });
    if (audited) {
      const created = status === 201 ? response.headers?.location : undefined;
      const outcome = {
        status,
        ...(code !== undefined && { code }),
        ...(created && { created: String(created) }),
      };
      writeAudit(context.log, audited, outcome);
    }
    metrics.record({ route, status, ms });
    return isHead ? { ...response, body: '', isBase64Encoded: false } : response;
  };
}

type Router = ReturnType<typeof httpRouterHandler<APIGatewayProxyEventV2, Response>>;

/** Routers by method, each made with the first request of its method: a router makes a pattern of every path. */
function createRouters(
  routes: readonly Route[],
  call: (route: Route, event: APIGatewayProxyEventV2) => Promise<Response>,
): (method: string) => Router {
  const routerFor = (own: readonly Route[]): (() => Router) =>
    lazy(() =>
      httpRouterHandler<APIGatewayProxyEventV2, Response>({
        routes: verbsFirst(own).map((route) => ({
          method: route.method,
          path: route.path,
          handler: (event: APIGatewayProxyEventV2) => call(route, event),
        })),
        notFoundResponse: ({ method, path }) => {
          const allowed = allowedMethods(routes, path);
          throw allowed.length > 0
            ? httpProblems.methodNotAllowed({ method, path, allowed })
            : httpProblems.routeNotFound({ method, path });
        },
      }),
    );
  const byMethod = Map.groupBy(routes, ({ method }): string => method);
  const routers = new Map([...byMethod].map(([method, own]) => [method, routerFor(own)]));
  const withoutRoutes = routerFor([]);
  return (method) => (routers.get(method) ?? withoutRoutes)();
}

/**
 * Lower-cases header names; HEAD is handled as GET without the body. What the gateway takes for `{proxy+}` is more than a
 * route of that form does.
 */
function normalise(event: APIGatewayProxyEventV2): void {
  event.headers = Object.fromEntries(
    Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  event.pathParameters = {};
  if (event.requestContext.http.method === 'HEAD') event.requestContext.http.method = 'GET';
}

function visitOf(
  event: APIGatewayProxyEventV2,
  visits: WeakMap<APIGatewayProxyEventV2, Visit>,
): Visit {
  const visit = visits.get(event) ?? { route: 'none' };
  visits.set(event, visit);
  return visit;
}
