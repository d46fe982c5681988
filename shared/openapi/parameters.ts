import { describedCookieName } from '../http/cookies.ts';
import type { Route } from '../http/route.ts';
import { headerParameters } from './components.ts';
import type { JsonSchema, ParameterObject, Reference } from './document.ts';
import type { SchemaRegistry } from './schemas.ts';

/** The parameters of an operation: path and query by the route's schemas, headers by what it honours. */
export function parametersOf(
  route: Route,
  schemas: SchemaRegistry,
): (Reference | ParameterObject)[] {
  return [
    ...pathParameters(route, schemas),
    ...(route.query ? queryParameters(schemas.add(route.query, 'input')) : []),
    ...(route.cookies ? cookieParameters(schemas.add(route.cookies, 'input')) : []),
    ...headersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

/** `/files/{path+}` as OpenAPI writes it: `/files/{path}`. */
export const templateOf = (path: string): string => path.replaceAll('+}', '}');

function headersOf({ idempotent, conditional, deferrable }: Route): string[] {
  return [
    ...(idempotent ? ['IdempotencyKey'] : []),
    ...(conditional ? ['IfMatch', 'IfNoneMatch'] : []),
    ...(deferrable ? ['Prefer'] : []),
    'TraceId',
    'Traceparent',
  ].filter((name) => name in headerParameters);
}

function pathParameters({ params, path }: Route, schemas: SchemaRegistry): ParameterObject[] {
  const { properties = {} } = (params ? schemas.add(params, 'input') : {}) as ObjectSchema;
  const names = [...templateOf(path).matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  return names.map((name) => ({
    ...toParameter(name, properties[name] ?? { type: 'string' }),
    in: 'path',
    required: true,
  }));
}

function queryParameters({
  properties = {},
  required = [],
  additionalProperties,
}: ObjectSchema): ParameterObject[] {
  const named = Object.entries(properties).map(([name, schema]) => ({
    ...toParameter(name, schema),
    in: 'query' as const,
    required: required.includes(name),
  }));
  return isSchema(additionalProperties) ? [...named, otherParameters(additionalProperties)] : named;
}

function cookieParameters({ properties = {}, required = [] }: ObjectSchema): ParameterObject[] {
  return Object.entries(properties).map(([name, schema]) => ({
    ...toParameter(describedCookieName(name), schema),
    in: 'cookie',
    required: required.includes(name),
  }));
}

/** Parameters whose names depend on what is stored, as one object; its members are sent beside the others. */
function otherParameters({
  title = 'others',
  description,
  ...schema
}: JsonSchema): ParameterObject {
  return {
    ...toParameter(String(title), { type: 'object', additionalProperties: schema, description }),
    in: 'query',
    required: false,
    style: 'form',
    explode: true,
    // Otherwise a page that tries the operation sends invented names.
    example: {},
  };
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

interface ObjectSchema extends JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

function toParameter(name: string, { description, ...schema }: JsonSchema) {
  return { name, ...(typeof description === 'string' ? { description } : {}), schema };
}
