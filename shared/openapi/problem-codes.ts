import type { Route } from '../http/route.ts';
import { httpProblems } from '../problems/http-problems.ts';
import { catalogueOf, type ProblemType } from '../problems/problem.ts';

const pipelineProblems = new Map(
  (catalogueOf.get(httpProblems) ?? []).map((type) => [type.code, type]),
);

/** Every problem that a route may answer: those of the pipeline follow from what the route declares. */
export function problemsOf(route: Route): ProblemType[] {
  const codes = [...inputCodes(route), ...accessCodes(route), ...outcomeCodes(route)];
  const pipeline = codes
    .map((code) => pipelineProblems.get(code))
    .filter((type) => type !== undefined);
  const all = new Map([...pipeline, ...(route.problems ?? [])].map((type) => [type.code, type]));
  return [...all.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}

function inputCodes({ params, query, body, lenient, idempotent }: Route): string[] {
  const readsParameters = params || query || idempotent || !lenient;
  return [
    ...(readsParameters ? ['INVALID_PARAMETER'] : []),
    ...(params ? ['ROUTE_NOT_FOUND'] : []),
    ...(body
      ? ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAILED']
      : []),
    ...(body && !lenient ? ['UNKNOWN_FIELD'] : []),
  ];
}

/** A token that is sent to a public route must still be valid; only `capability` never looks at it. */
function accessCodes({ access: { kind } }: Route): string[] {
  return [
    ...(kind === 'capability' ? [] : ['UNAUTHENTICATED', 'AUTH_KEYS_UNAVAILABLE']),
    ...(kind === 'permission' || kind === 'data' ? ['FORBIDDEN'] : []),
  ];
}

function outcomeCodes({ method, idempotent, conditional }: Route): string[] {
  return [
    ...(method === 'GET' ? [] : ['CONCURRENT_UPDATE']),
    ...(idempotent ? ['IDEMPOTENCY_KEY_REUSED'] : []),
    ...(conditional ? ['VERSION_CONFLICT'] : []),
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
}
