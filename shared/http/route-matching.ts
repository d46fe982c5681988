import type { Route } from './route.ts';

/** The methods under which some route answers a path; none when the path is not known. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const methods = routes
    .filter((route) => pathPattern(route.path).test(path))
    .map(({ method }) => method);
  return [...new Set(methods)].sort();
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
