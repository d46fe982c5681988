import type { Route } from '../../../shared/http/route.ts';
import { problemsOf } from '../../../shared/openapi/problem-codes.ts';
import type { CapturedLog } from '../captured/captured-log.ts';

/** Says which problems were answered since the last call by routes that do not declare them. */
export type FindUndeclared = () => string[];

/** Holds the answers in the access log of a module against the problems that its routes declare. */
export function undeclaredProblems(
  routes: () => readonly Route[],
  { lines }: CapturedLog,
): FindUndeclared {
  const declared = new Map<string, ReadonlySet<string>>();
  let seen = lines.length;
  return () => {
    const requests = lines.slice(seen).filter(({ message }) => message === 'request');
    seen = lines.length;
    return requests.flatMap(({ route: name, code }) => {
      if (typeof name !== 'string' || typeof code !== 'string' || name === 'none') return [];
      const codes = declared.get(name) ?? codesOf(routes(), name);
      declared.set(name, codes);
      return codes.has(code) ? [] : [`${name} answers ${code} and does not declare it`];
    });
  };
}

function codesOf(routes: readonly Route[], name: string): ReadonlySet<string> {
  const route = routes.find(({ method, path }) => `${method} ${path}` === name);
  return new Set(route && problemsOf(route).map(({ code }) => code));
}
