import { FORM_TYPE, type FormSchema, filesOf } from '../http/form.ts';
import { acceptedTypes, actionOf, type Route } from '../http/route.ts';
import type { ApiModule } from './api-module.ts';
import type { MediaType, OperationObject } from './document.ts';
import { parametersOf } from './parameters.ts';
import type { ProblemResponses } from './problem-responses.ts';
import { responsesOf } from './responses.ts';
import type { SchemaRegistry } from './schemas.ts';

/** State shared by all operations while building a document. */
export interface Shared {
  readonly schemas: SchemaRegistry;
  readonly problems: ProblemResponses;
}

/** Describes a route as an operation of its module. @throws Error naming the route, when one of its schemas throws */
export function operationOf(
  route: Route,
  place: Pick<ApiModule, 'module' | 'tag' | 'when'>,
  shared: Shared,
): OperationObject {
  try {
    return describe(route, place, shared);
  } catch (cause) {
    const { operationId, method, path } = route;
    const where = `${operationId} (${method} ${path}) of the module ${place.module}`;
    throw new Error(`The route ${where} cannot be described: ${String(cause)}`, { cause });
  }
}

function describe(
  route: Route,
  { module, tag, when }: Pick<ApiModule, 'module' | 'tag' | 'when'>,
  { schemas, problems }: Shared,
): OperationObject {
  const description = [route.description, accessText(route)].filter(Boolean).join('\n\n');
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(description ? { description } : {}),
    tags: [tag],
    security: securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(route.body || route.form ? { requestBody: requestBodyOf(route, schemas) } : {}),
    responses: responsesOf(route, schemas, problems),
    ...(route.rawBody ? { 'x-signed-body': true } : {}),
    'x-module': module,
    ...(when ? { 'x-when': when } : {}),
  };
}

/** Public and capability routes need no bearer token; on `data` routes it depends on the stored data. */
function securityOf({ access: { kind } }: Route): OperationObject['security'] {
  if (kind === 'public' || kind === 'capability') return [];
  return kind === 'data' ? [{}, { bearerAuth: [] }] : [{ bearerAuth: [] }];
}

function accessText(route: Route): string | undefined {
  const { access } = route;
  if (access.kind === 'permission') {
    return `Needs the permission \`${access.target}:${actionOf(route)}\`.`;
  }
  return access.kind === 'data' ? 'What is stored decides who may call it.' : undefined;
}

/** A document, which the schema of the body reads as a text. */
const IS_XML = /[/+]xml$/;

function requestBodyOf(route: Route, schemas: SchemaRegistry) {
  const { body, bodyExample, bodyExamples = {}, form, formExample } = route;
  const schema = body ? { schema: schemas.add(body, 'input') } : {};
  const mediaOf = (type: string) => {
    const example = bodyExamples[type] ?? bodyExample;
    const described = IS_XML.test(type) ? { schema: { type: 'string' } } : schema;
    return { ...described, ...(example === undefined ? {} : { example }) };
  };
  const types = acceptedTypes(route);
  return {
    required: !body?.safeParse(undefined).success,
    content: Object.fromEntries(
      types.map((type) => [
        type,
        form && type === FORM_TYPE ? formMedia(form, formExample, schemas) : mediaOf(type),
      ]),
    ),
  };
}

/** A form; the accepted content types of its files stand in the encoding. @see OpenAPI 3.1.1, section 4.8.15 */
function formMedia(form: FormSchema, example: unknown, schemas: SchemaRegistry): MediaType {
  const encoding = [...filesOf(form)].flatMap(([name, { types }]) =>
    types ? [[name, { contentType: types.join(', ') }]] : [],
  );
  return {
    schema: schemas.add(form, 'input'),
    ...(encoding.length > 0 ? { encoding: Object.fromEntries(encoding) } : {}),
    ...(example === undefined ? {} : { example }),
  };
}
