import { createHash } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { FORM_TYPE, filesOf } from '../http/form.ts';
import type { FormParts } from '../http/multipart.ts';
import { parseWith } from '../http/parse.ts';
import { bodyBytes, mediaType, readBody } from '../http/request.ts';
import { acceptedTypes, type Route } from '../http/route.ts';
import { httpProblems } from '../problems/http-problems.ts';

/** Body of a request: the parts of a form, or another body. */
export type Content =
  | { readonly kind: 'form'; readonly parts: FormParts }
  | { readonly kind: 'body'; readonly body: unknown }
  | undefined;

/**
 * Reads the body of a request by the content types of its route.
 * @throws Problem `PAYLOAD_TOO_LARGE` (413), `UNSUPPORTED_MEDIA_TYPE` (415), `INVALID_JSON`, `INVALID_MULTIPART` (400)
 */
export async function readContent(
  route: Route,
  event: APIGatewayProxyEventV2,
  maxBody: number,
): Promise<Content> {
  const { body, form, rawBody, anyDepth, maxBodyBytes } = route;
  const maxBytes = maxBodyBytes ?? maxBody;
  const rules = { maxBytes, consumes: acceptedTypes(route), rawBody, anyDepth };
  const contentType = event.headers['content-type'] ?? '';
  if (form && mediaType(contentType) === FORM_TYPE) {
    const bytes = bodyBytes(event);
    if (bytes.length > rules.maxBytes) throw httpProblems.payloadTooLarge(rules);
    // Load the parser on first use.
    const { readMultipart } = await import('../http/multipart.ts');
    return { kind: 'form', parts: await readMultipart(bytes, contentType, filesOf(form)) };
  }
  if (form && !body) throw httpProblems.unsupportedMediaType({ accepted: rules.consumes });
  return body ? { kind: 'body', body: readBody(event, rules) } : undefined;
}

/** Validates the body of a request against the schemas of its route. */
export function parseContent({ body, form, rawBody }: Route, content: Content) {
  if (form && content?.kind === 'form') {
    return { body: undefined, form: parseWith(form, content.parts, 'body') };
  }
  const given = content?.kind === 'body' ? content.body : undefined;
  if (rawBody) return { body: given, form: undefined };
  return { body: body ? parseWith(body, given, 'body') : undefined, form: undefined };
}

/** Fingerprint by which two requests with one key are equal: what the query and the body say. */
export function contentIdentity(content: Content, event: APIGatewayProxyEventV2): string {
  const body = bodyIdentity(content, event);
  return event.rawQueryString ? JSON.stringify([event.rawQueryString, body]) : body;
}

/** Of a form its parts: the boundary differs each time. */
function bodyIdentity(content: Content, event: APIGatewayProxyEventV2): string {
  if (content?.kind !== 'form') return bodyBytes(event).toString('base64');
  return JSON.stringify(content.parts, (_, value: unknown) =>
    isBytes(value) ? createHash('sha256').update(Buffer.from(value.data)).digest('hex') : value,
  );
}

/** The JSON form of a buffer. */
const isBytes = (value: unknown): value is { type: 'Buffer'; data: number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
