import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Problem } from '../problems/problem.ts';
import { setCookieLine } from './cookies.ts';
import type { Reply } from './reply.ts';

/** Headers of every answer; a reply may set its own. */
const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Facts of the request that its response depends on. */
export interface ResponseFacts {
  readonly traceId: string;
  /** Whether browsers reach the platform without TLS, as on the stage local. */
  readonly isPlainHttp?: boolean;
}

/** Turns a reply into the response of the HTTP API. */
export function toResponse(
  { status, body, headers, cookies = [] }: Reply,
  { traceId, isPlainHttp = false }: ResponseFacts,
): APIGatewayProxyStructuredResultV2 {
  const common = { ...COMMON_HEADERS, 'x-trace-id': traceId };
  const content = contentOf(body, headers?.['content-type']);
  const lines = cookies.map((cookie) => setCookieLine(cookie, isPlainHttp));
  return {
    statusCode: status,
    headers: { ...common, ...content.headers, ...headers },
    ...content.payload,
    ...(lines.length > 0 ? { cookies: lines } : {}),
  };
}

function contentOf(body: unknown, contentType: string | undefined) {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) {
    return { payload: { body: Buffer.from(body).toString('base64'), isBase64Encoded: true } };
  }
  const isText = typeof body === 'string' && contentType !== undefined;
  return {
    headers: { 'content-type': 'application/json' },
    payload: { body: isText ? body : JSON.stringify(body) },
  };
}

/** The problem document of an error, as a reply. @see RFC 9457 */
export function problemReply(
  problem: Problem,
  { instance, traceId }: { instance: string; traceId: string },
): Reply {
  const { code, status, title, detail, errors, extensions, headers } = problem;
  return {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
    body: JSON.stringify({
      ...extensions,
      type: `urn:svc-cloud:problem:${code}`,
      title,
      status,
      detail,
      instance,
      code,
      traceId,
      ...(errors.length > 0 ? { errors } : {}),
    }),
  };
}
