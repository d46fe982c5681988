import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import { readCookies } from '../http/cookies.ts';
import { parseWith } from '../http/parse.ts';
import type { Reply } from '../http/reply.ts';
import { prefersAsync, readIfMatch, readQuery } from '../http/request.ts';
import type { Route, RouteInput } from '../http/route.ts';
import { lazy } from '../primitives/lazy.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { Principal } from '../security/principal.ts';
import { contentIdentity, parseContent, readContent } from './content.ts';
import { isPlainHttp } from './environment.ts';
import { keptCall, runIdempotent } from './idempotency.ts';
import type { ModuleContext } from './module-context.ts';

const noParameters = lazy(() => z.strictObject({}));
const idempotencyKey = lazy(() =>
  z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters'),
);

/** A caller, and who wants to know what it asks for. */
export interface Caller {
  readonly principal: Principal;
  onInput(input: RouteInput<unknown, unknown, unknown>): void;
}

/** Parses a request by the schemas of its route and calls the route; once only with an `Idempotency-Key`. */
export async function callRoute(
  route: Route,
  event: APIGatewayProxyEventV2,
  { principal, onInput }: Caller,
  context: ModuleContext,
): Promise<Reply> {
  const { headers } = event;
  const params = parseParams(route, event.pathParameters);
  const query = parseQuery(route, event.rawQueryString);
  const content = await readContent(route, event, context.config.web.maxBody);
  const input = {
    principal,
    headers,
    params,
    query,
    ...parseContent(route, content),
    cookies: parseCookies(route, event, isPlainHttp(context)),
    ifMatch: readIfMatch(headers['if-match']),
    ifNoneMatch: headers['if-none-match']?.trim() === '*',
    respondAsync: route.deferrable === true && prefersAsync(headers.prefer),
  };
  onInput(input);
  const work = () => route.handle(input);

  const key = headers['idempotency-key'];
  if (!route.idempotent || key === undefined) return work();
  const checked = idempotencyKey().safeParse(key);
  if (!checked.success) {
    const detail = checked.error.issues[0]?.message ?? 'is not valid';
    throw httpProblems.invalidParameter([
      { parameter: 'Idempotency-Key', code: 'INVALID_FORMAT', detail },
    ]);
  }
  const call = {
    module: context.environment.module,
    key,
    callerId: principal.id,
    issuer: principal.issuer,
    tenant: principal.tenant,
    operationId: `${route.operationId} ${event.rawPath}`,
    body: contentIdentity(content, event),
  };
  if (route.idempotent === 'own') return route.handle({ ...input, idempotency: keptCall(call) });
  const { replay } = route;
  return runIdempotent(call, work, context, replay && ((kept) => replay(kept, input)));
}

/** Keep only parameters of the route's path: the gateway adds one named `proxy`. */
function parseParams(
  { path, params }: Route,
  given: APIGatewayProxyEventV2['pathParameters'],
): unknown {
  if (!params) return {};
  const names = [...path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name = '']) => name);
  return parseWith(
    params,
    Object.fromEntries(names.map((name) => [name, given?.[name]])),
    'parameter',
  );
}

function parseQuery(
  { query = noParameters(), lenient = false }: Route,
  rawQueryString: string,
): unknown {
  const given = readQuery(rawQueryString);
  if (!lenient) return parseWith(query, given, 'parameter');
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  return parseWith(
    query,
    Object.fromEntries(Object.entries(given).filter(([name]) => known.includes(name))),
    'parameter',
  );
}

function parseCookies(
  { cookies }: Route,
  { cookies: lines, headers }: APIGatewayProxyEventV2,
  plainHttp: boolean,
): unknown {
  if (!cookies) return {};
  const given = readCookies(lines ?? [headers.cookie ?? ''], plainHttp);
  const known = cookies instanceof z.ZodObject ? Object.keys(cookies.shape) : [];
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => known.includes(name)));
  return parseWith(cookies, own, 'parameter');
}
