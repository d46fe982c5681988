import type { ResponseSpec, Route } from '../http/route.ts';
import type { HeaderObject, MediaType, Reference, ResponseObject } from './document.ts';
import type { ProblemResponses } from './problem-responses.ts';
import type { SchemaRegistry } from './schemas.ts';

const TRACE_HEADER = { 'X-Trace-Id': { $ref: '#/components/headers/TraceId' } };

/** Names of headers as they are usually written. */
const HEADER_NAMES: Readonly<Record<string, string>> = { etag: 'ETag' };

/** The answers of an operation: its own, and a problem for every code it may answer. */
export function responsesOf(
  route: Route,
  schemas: SchemaRegistry,
  problems: ProblemResponses,
): Record<string, Reference | ResponseObject> {
  const own = Object.entries(route.responses).map(
    ([status, spec]) => [status, ownResponse(route, spec, schemas)] as const,
  );
  const responses: Record<string, Reference | ResponseObject> = Object.fromEntries([
    ...problems.gatewayReferences(),
    ...own,
  ]);
  for (const [status, codes] of problems.codesByStatus(route)) {
    const present = responses[status];
    responses[status] =
      present && !('$ref' in present)
        ? { ...present, content: { ...present.content, ...problems.content(codes) } }
        : problems.reference(status, codes);
  }
  return responses;
}

function ownResponse(route: Route, spec: ResponseSpec, schemas: SchemaRegistry): ResponseObject {
  const content = contentOf(spec, schemas);
  return {
    description: spec.description,
    headers: {
      ...TRACE_HEADER,
      ...ownHeaders(spec),
      ...(route.idempotent
        ? { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } }
        : {}),
    },
    ...(content ? { content } : {}),
    ...(spec.links ? { links: linksOf(spec.links) } : {}),
  };
}

function linksOf(links: NonNullable<ResponseSpec['links']>): ResponseObject['links'] {
  return Object.fromEntries(
    Object.entries(links).map(([operationId, parameters]) => [
      operationId,
      { operationId, parameters },
    ]),
  );
}

function contentOf(
  { schema, contentType, example, otherContent = {} }: ResponseSpec,
  schemas: SchemaRegistry,
): Record<string, MediaType> | undefined {
  if (!schema && !contentType) return undefined;
  const media = (part: Pick<ResponseSpec, 'schema' | 'example'>): MediaType => ({
    ...(part.schema ? { schema: schemas.add(part.schema, 'output') } : {}),
    ...(part.example === undefined ? {} : { example: part.example }),
  });
  return Object.fromEntries([
    [contentType ?? 'application/json', media({ schema, example })],
    ...Object.entries(otherContent).map(([type, part]) => [type, media(part)] as const),
  ]);
}

function ownHeaders({ headers = {} }: ResponseSpec): Record<string, HeaderObject> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      HEADER_NAMES[name] ?? name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
      { description, required: true, schema: { type: 'string' } },
    ]),
  );
}
