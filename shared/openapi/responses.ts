import { describedCookieName } from '../http/cookies.ts';
import type { ResponseSpec, Route } from '../http/route.ts';
import { built } from '../primitives/lazy.ts';
import type { HeaderObject, MediaType, Reference, ResponseObject } from './document.ts';
import type { ProblemResponses } from './problem-responses.ts';
import type { SchemaRegistry } from './schemas.ts';

const TRACE_HEADER = { 'X-Trace-Id': { $ref: '#/components/headers/TraceId' } };

/** Names of headers as they are usually written. */
const HEADER_NAMES: Readonly<Record<string, string>> = { etag: 'ETag' };

/** The responses of an operation: its own, and a problem for each of its codes. */
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
  if (route.errorForm) {
    for (const [status, answer] of problems.formResponses(route, route.errorForm, schemas)) {
      responses[status] = besides(responses[status], answer);
    }
    return responses;
  }
  for (const [status, codes] of problems.codesByStatus(route)) {
    const present = responses[status];
    responses[status] =
      present && !('$ref' in present)
        ? { ...present, content: { ...present.content, ...problems.content(codes) } }
        : problems.reference(status, codes);
  }
  return responses;
}

/** Merges two responses of one status: the body matches either schema. */
function besides(
  own: Reference | ResponseObject | undefined,
  { description, headers, content = {} }: ResponseObject,
): ResponseObject {
  if (!own || '$ref' in own) return { description, ...(headers && { headers }), content };
  const merged = Object.entries(content).map(([type, media]): [string, MediaType] => {
    const present = own.content?.[type];
    if (!present?.schema || !media.schema) return [type, present ?? media];
    return [type, { ...present, schema: { anyOf: [present.schema, media.schema] } }];
  });
  return {
    ...own,
    description: `${own.description} ${description}`,
    content: { ...own.content, ...Object.fromEntries(merged) },
  };
}

function ownResponse(route: Route, spec: ResponseSpec, schemas: SchemaRegistry): ResponseObject {
  const content = contentOf(spec, schemas);
  return {
    description: spec.description,
    headers: {
      ...TRACE_HEADER,
      ...ownHeaders(spec),
      ...(spec.setsCookies ? { 'Set-Cookie': cookieHeader(spec.setsCookies) } : {}),
      ...(route.idempotent
        ? { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } }
        : {}),
    },
    ...(content ? { content } : {}),
    ...(spec.links ? { links: linksOf(spec.links) } : {}),
  };
}

/** The header may come several times; the pattern is that of each. */
function cookieHeader(cookies: NonNullable<ResponseSpec['setsCookies']>): HeaderObject {
  const lines = Object.entries(cookies).map(
    ([name, meaning]) => `\`${describedCookieName(name)}\`: ${meaning}`,
  );
  return { description: lines.join('\n'), schema: { type: 'string' } };
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
  { schema, contentType, isBinary, example, otherContent = {} }: ResponseSpec,
  schemas: SchemaRegistry,
): Record<string, MediaType> | undefined {
  if (!schema && !contentType) return undefined;
  const media = (part: Pick<ResponseSpec, 'schema' | 'example'>): MediaType => ({
    ...(part.schema ? { schema: schemas.add(built(part.schema), 'output') } : {}),
    ...(isBinary ? { schema: { type: 'string', format: 'binary' } } : {}),
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
