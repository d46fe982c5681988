import type { Route } from './route.ts';

/** The methods of all routes that match a path; empty when the path is unknown. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const methods = routes
    .filter((route) => pathPattern(route.path).test(path))
    .map(({ method }) => method);
  return [...new Set(methods)].sort();
}

/**
 * The methods of a custom verb that the path of an event ends in, when it matched a route without verbs: those under
 * which the caller may have meant it. None when the path is a good path of that route, whose ids may hold a colon.
 */
export function methodsOfVerb(
  routes: readonly Route[],
  { path, params }: Pick<Route, 'path' | 'params'>,
  event: { readonly rawPath: string; readonly pathParameters?: unknown },
): string[] {
  if (isVerb({ path }) || params?.safeParse(event.pathParameters).success !== false) return [];
  return allowedMethods(routes.filter(isVerb), event.rawPath);
}

/** Routes with a custom verb before the others: `{id}` alone would take `7:suspend` for an id. */
export function verbsFirst(routes: readonly Route[]): Route[] {
  return [...routes].sort((a, b) => Number(isVerb(b)) - Number(isVerb(a)));
}

const isVerb = ({ path }: Pick<Route, 'path'>): boolean => path.includes('}:');

/** `/tasks/{id}:complete` as a pattern over paths. */
function pathPattern(path: string): RegExp {
  const pattern = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? parameterPattern(part) : RegExp.escape(part)))
    .join('');
  return new RegExp(`^${pattern}/?$`);
}

const parameterPattern = (part: string): string => (part.endsWith('+}') ? '.+' : '[^/]+');
