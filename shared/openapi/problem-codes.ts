import { mayBeTooLarge } from '../http/answer-size.ts';
import type { Route } from '../http/route.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { DeclaredProblem, ProblemType } from '../problems/problem.ts';

/** Every problem that a route may answer: those of the pipeline follow from what the route declares. */
export function problemsOf(route: Route): ProblemType[] {
  const declared = [
    ...inputProblems(route),
    ...accessProblems(route),
    ...outcomeProblems(route),
    ...(route.problems ?? []),
  ];
  const all = new Map(declared.map(({ type }) => [type.code, type]));
  return [...all.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}

function inputProblems({
  params,
  query,
  cookies,
  body,
  form,
  lenient,
  idempotent,
}: Route): DeclaredProblem[] {
  const readsParameters = params || query || cookies || idempotent || !lenient;
  return [
    ...(readsParameters ? [httpProblems.invalidParameter] : []),
    ...(params ? [httpProblems.routeNotFound] : []),
    ...(body ? [httpProblems.invalidJson] : []),
    ...(form ? [httpProblems.invalidMultipart] : []),
    ...(body || form
      ? [
          httpProblems.payloadTooLarge,
          httpProblems.unsupportedMediaType,
          httpProblems.validationFailed,
        ]
      : []),
    ...((body || form) && !lenient ? [httpProblems.unknownField] : []),
  ];
}

/** A token sent to a public route must still be valid; only `capability` routes ignore it. */
function accessProblems({ access: { kind } }: Route): DeclaredProblem[] {
  return [
    ...(kind === 'capability'
      ? []
      : [httpProblems.unauthenticated, httpProblems.authKeysUnavailable]),
    ...(kind === 'permission' || kind === 'data' ? [httpProblems.forbidden] : []),
  ];
}

function outcomeProblems(route: Route): DeclaredProblem[] {
  const { method, idempotent, conditional } = route;
  return [
    ...(mayBeTooLarge(route) ? [httpProblems.answerTooLarge] : []),
    ...(method === 'GET' ? [] : [httpProblems.concurrentUpdate]),
    ...(idempotent ? [httpProblems.idempotencyKeyReused] : []),
    ...(conditional ? [httpProblems.versionConflict] : []),
    httpProblems.internalError,
    httpProblems.serviceUnavailable,
  ];
}
