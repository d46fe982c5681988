import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { httpProblems } from '../problems/http-problems.ts';
import { describeJsonError } from '../problems/json-error.ts';
import { isNestedDeeper, MAX_LEVELS } from '../problems/json-levels.ts';
import { Problem } from '../problems/problem.ts';

const JSON_TYPES = ['application/json'];

/** The body of a request as bytes; empty when there is none. */
export function bodyBytes({ body, isBase64Encoded }: APIGatewayProxyEventV2): Buffer {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
}

/** The address of the gateway, as it calls itself. */
export function gatewayUrl(
  { requestContext: { domainName, stage } }: APIGatewayProxyEventV2,
  isPlainHttp: boolean,
): string {
  const path = stage === '$default' ? '' : `/${stage}`;
  return `${isPlainHttp ? 'http' : 'https'}://${domainName}${path}`;
}

/**
 * The address of the caller; behind CloudFront the one that CloudFront has seen, which stands before its own.
 * @param hasEdge whether requests come through CloudFront only
 */
export function clientAddress(
  { headers, requestContext: { http } }: APIGatewayProxyEventV2,
  hasEdge: boolean,
): string {
  const passed = (headers['x-forwarded-for'] ?? '').split(',').map((part) => part.trim());
  return (hasEdge ? passed.at(-2) : undefined) ?? http.sourceIp;
}

/** Body formats that a route accepts. */
export interface BodyRules {
  /** Whether JSON is passed on as bytes too. */
  readonly rawBody?: boolean | undefined;
  /** Whether JSON may have any number of levels. */
  readonly anyDepth?: boolean | undefined;
  readonly maxBytes: number;
  /** Content types; default JSON. */
  readonly consumes?: readonly string[] | undefined;
}

/**
 * Reads the body of a request: parsed JSON, or the bytes of another content type that the route accepts.
 * @throws Problem `PAYLOAD_TOO_LARGE` (413), `UNSUPPORTED_MEDIA_TYPE` (415), `INVALID_JSON` (400)
 */
export function readBody(
  event: APIGatewayProxyEventV2,
  { maxBytes, consumes = JSON_TYPES, rawBody = false, anyDepth = false }: BodyRules,
): unknown {
  const bytes = bodyBytes(event);
  if (bytes.length > maxBytes) throw httpProblems.payloadTooLarge({ maxBytes });
  const type = mediaType(event.headers['content-type']) ?? consumes[0] ?? '';
  if (!consumes.some((accepted) => matches(type, accepted))) {
    throw httpProblems.unsupportedMediaType({ accepted: consumes });
  }
  if (rawBody || !isJson(type)) return bytes;
  return parseJson(bytes, anyDepth ? Number.POSITIVE_INFINITY : MAX_LEVELS);
}

/** Query parameters; a repeated parameter becomes a list. */
export function readQuery(rawQueryString: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const parameters = new URLSearchParams(rawQueryString);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return { ...query };
}

/** Whether `Accept` names a content type (a wildcard does not count). */
export function prefers(accept: string | undefined, contentType: string): boolean {
  return (accept ?? '').split(',').some((part) => mediaType(part) === contentType);
}

/**
 * The version in an `If-Match` header: `"3"`, `3` or `W/"3"`; `*` stays as it is.
 * @see RFC 9110, section 13.1.1
 */
export function readIfMatch(header: string | undefined): string | undefined {
  return header?.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
}

/** The content type in a header, without parameters, in lower case. */
export function mediaType(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type === '' ? undefined : type;
}

function matches(type: string, accepted: string): boolean {
  return type === accepted || (accepted === 'application/json' && isJson(type));
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Lone surrogates are refused: neither the table nor other programs accept them.
 * @see RFC 7493, section 2.1
 */
function checkTexts(text: string): void {
  JSON.parse(text, (name, value: unknown) => {
    const isWhole = name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed());
    if (isWhole) return value;
    throw httpProblems.invalidJson({ detail: 'A text contains half of a surrogate pair.' });
  });
}

const isJson = (type: string): boolean =>
  type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);

/**
 * Parses bytes as JSON; for a route that takes them raw, once their signature is checked.
 * @returns `undefined` when there are none.
 * @throws Problem `INVALID_JSON` (400)
 */
export function parseJson(bytes: Buffer, maxLevels = MAX_LEVELS): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  if (isNestedDeeper(text, maxLevels)) {
    throw httpProblems.invalidJson({ detail: `It has more than ${maxLevels} levels.` });
  }
  try {
    const value: unknown = JSON.parse(text);
    // Lone surrogates arrive only as escapes: as bytes they are not valid UTF-8.
    if (SURROGATE_ESCAPE.test(text)) checkTexts(text);
    return value;
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw httpProblems.invalidJson({ detail: describeJsonError(text), cause });
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw httpProblems.invalidJson({ detail: 'The body is not UTF-8.', cause });
  }
}

/**
 * Whether a caller prefers an answer before the work is done.
 * @see RFC 7240: names are equal in any case; parameters and other preferences, such as `wait=10`, do not count
 */
export const prefersAsync = (prefer: string | undefined): boolean =>
  (prefer ?? '').split(',').some((preference) => /^\s*respond-async\s*(?:;|$)/i.test(preference));
