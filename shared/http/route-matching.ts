import type { Route } from './route.ts';

/** The methods that a path answers, HEAD with every GET; empty when the path is unknown. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const methods = routes
    .filter((route) => pathPattern(route.path).test(path))
    .flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method]));
  return [...new Set(methods)].sort();
}

/**
 * The methods under which a path belongs to other routes than the one that it matched: an alias gives way to every route
 * of its own, and `GET /jobs/{id}` to `POST /jobs/{id}:cancel` when `7:cancel` is not a valid id. None when the route is right.
 */
export function methodsElsewhere(
  routes: readonly Route[],
  route: Pick<Route, 'path' | 'params' | 'isAlias'>,
  event: { readonly rawPath: string; readonly pathParameters?: unknown },
): string[] {
  if (route.isAlias) {
    const own = allowedMethods(
      routes.filter(({ isAlias }) => !isAlias),
      event.rawPath,
    );
    if (own.length > 0) return own;
  }
  if (isVerb(route) || route.params?.safeParse(event.pathParameters).success !== false) return [];
  return allowedMethods(routes.filter(isVerb), event.rawPath);
}

/** Routes with a custom verb before the others: `{id}` alone would take `7:suspend` for an id. */
export function verbsFirst(routes: readonly Route[]): Route[] {
  return [...routes].sort((a, b) => Number(isVerb(b)) - Number(isVerb(a)));
}

const isVerb = ({ path }: Pick<Route, 'path'>): boolean => path.includes('}:');

const patterns = new Map<string, RegExp>();

/** `/tasks/{id}:complete` as a pattern over paths. */
function pathPattern(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const source = path
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? parameterPattern(part) : RegExp.escape(part)))
    .join('');
  const pattern = new RegExp(`^${source}/?$`);
  patterns.set(path, pattern);
  return pattern;
}

const parameterPattern = (part: string): string => (part.endsWith('+}') ? '.+' : '[^/]+');
