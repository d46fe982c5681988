import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Problem } from '../problems/problem.ts';
import type { Reply } from './reply.ts';

/** Headers of every answer; a reply may set its own. */
const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Turns a reply into the response of the HTTP API. */
export function toResponse(
  { status, body, headers }: Reply,
  traceId: string,
): APIGatewayProxyStructuredResultV2 {
  const common = { ...COMMON_HEADERS, 'x-trace-id': traceId };
  if (body === undefined) return { statusCode: status, headers: { ...common, ...headers } };
  if (Buffer.isBuffer(body)) {
    return {
      statusCode: status,
      headers: { ...common, ...headers },
      body: body.toString('base64'),
      isBase64Encoded: true,
    };
  }
  const isText = typeof body === 'string' && headers?.['content-type'] !== undefined;
  return {
    statusCode: status,
    headers: { ...common, 'content-type': 'application/json', ...headers },
    body: isText ? body : JSON.stringify(body),
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
