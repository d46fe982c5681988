import type { Route } from './route.ts';

/** The methods under which some route answers a path; none when the path is not known. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const methods = routes
    .filter((route) => pathPattern(route.path).test(path))
    .map(({ method }) => method);
  return [...new Set(methods)].sort();
}

/** Routes with a custom verb before the others: `{id}` alone would take `7:suspend` for an id. */
export function verbsFirst(routes: readonly Route[]): Route[] {
  const isVerb = ({ path }: Route): number => Number(path.includes('}:'));
  return [...routes].sort((a, b) => isVerb(b) - isVerb(a));
}

/** `/tasks/{id}:complete` as a pattern over paths. */
function pathPattern(path: string): RegExp {
  const pattern = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? parameterPattern(part) : RegExp.escape(part)))
    .join('');
  return new RegExp(`^${pattern}/?$`);
}

const parameterPattern = (part: string): string => (part.endsWith('+}') ? '.+' : '[^/]+');
