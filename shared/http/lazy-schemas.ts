import type * as z from 'zod';
import { lazy } from '../primitives/lazy.ts';

/** A schema, or what makes it: a start does not build schemas that no request needs yet. */
export type Lazily<S extends object> = S | (() => S);

/** The schema itself. */
export function built<S extends object>(schema: Lazily<S>): S {
  return typeof schema === 'function' ? schema() : schema;
}

const PARTS = ['params', 'query', 'body', 'form', 'cookies'] as const;

/** The parts of a route that requests are parsed by. */
export type SchemaPart = (typeof PARTS)[number];

/** Turns the schemas of a route into properties that build them when they are first read. */
export function schemasOnDemand<T extends { readonly [part in SchemaPart]?: Lazily<z.ZodType> }>(
  route: T,
): T {
  const given = PARTS.flatMap((part) => {
    const schema = route[part];
    return schema ? [[part, { get: lazy(() => built(schema)), enumerable: true }] as const] : [];
  });
  return changeRoute(route, Object.defineProperties({}, Object.fromEntries(given)));
}

/** A copy of a route with other members. Spreading a route would build its schemas. */
export function changeRoute<T extends object>(route: T, changes: Partial<T>): T {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(route), ...Object.getOwnPropertyDescriptors(changes) },
  ) as T;
}
