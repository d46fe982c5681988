/**
 * Why a call to another system returned no usable response.
 * - `INVALID_URL`: not an absolute http(s) address, or one with a user name or password in it.
 * - `INVALID_REQUEST`: a header or another part of the request cannot be sent.
 * - `TARGET_REFUSED`: scheme, port or network address is not permitted; nothing was sent.
 * - `NAME_NOT_FOUND`, `CONNECTION_FAILED`, `TLS_FAILED`: no connection.
 * - `TIMEOUT`: connection, headers, body or the whole call took too long.
 * - `BROKEN_ANSWER`: the connection ended early, or the response is not valid HTTP or not validly encoded.
 * - `TOO_LARGE`: the answer exceeds the limit, as sent or decompressed.
 * - `REDIRECT_REFUSED`: an unrequested redirect, or one to a target that is not permitted.
 * - `UNEXPECTED_STATUS`: not 2xx, where 2xx was asked for.
 * - `UNEXPECTED_CONTENT`: not JSON, or JSON of another form.
 * - `ABORTED`: the caller's signal ended the call.
 */
export type HttpClientErrorCode =
  | 'INVALID_URL'
  | 'INVALID_REQUEST'
  | 'TARGET_REFUSED'
  | 'NAME_NOT_FOUND'
  | 'CONNECTION_FAILED'
  | 'TLS_FAILED'
  | 'TIMEOUT'
  | 'BROKEN_ANSWER'
  | 'TOO_LARGE'
  | 'REDIRECT_REFUSED'
  | 'UNEXPECTED_STATUS'
  | 'UNEXPECTED_CONTENT'
  | 'ABORTED';

/** Details of an error besides its code. */
export interface HttpClientErrorFacts {
  /** Scheme, host and port of the target: path and query are left out because they may contain tokens. */
  readonly origin?: string | undefined;
  /** Status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** Seconds of `Retry-After`, when present. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A failed call to another system. Neither message nor fields contain headers, paths or bodies. */
export class HttpClientError extends Error {
  override readonly name = 'HttpClientError';
  readonly code: HttpClientErrorCode;
  readonly origin: string | undefined;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: HttpClientErrorCode,
    message: string,
    { origin, status, retryAfterSeconds, cause }: HttpClientErrorFacts = {},
  ) {
    super(
      origin === undefined ? message : `${origin}: ${message}`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.origin = origin;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * The status under which a module reports that a system it depends on failed: 504 when it took too long, else 502.
 * @see RFC 9110, sections 15.6.3 and 15.6.5
 */
export const gatewayStatusOf = ({ code }: HttpClientError): 502 | 504 =>
  code === 'TIMEOUT' ? 504 : 502;

const CODES: Readonly<Record<string, readonly [HttpClientErrorCode, string]>> = {
  TimeoutError: ['TIMEOUT', 'the call took too long'],
  UND_ERR_CONNECT_TIMEOUT: ['TIMEOUT', 'connecting took too long'],
  ETIMEDOUT: ['TIMEOUT', 'connecting took too long'],
  UND_ERR_HEADERS_TIMEOUT: ['TIMEOUT', 'the headers took too long'],
  UND_ERR_BODY_TIMEOUT: ['TIMEOUT', 'the body stopped arriving'],
  ENOTFOUND: ['NAME_NOT_FOUND', 'the name cannot be resolved'],
  ECONNREFUSED: ['CONNECTION_FAILED', 'no connection'],
  EHOSTUNREACH: ['CONNECTION_FAILED', 'no connection'],
  ENETUNREACH: ['CONNECTION_FAILED', 'no connection'],
  EADDRNOTAVAIL: ['CONNECTION_FAILED', 'no connection'],
  UND_ERR_INVALID_ARG: ['INVALID_REQUEST', 'a part of the request cannot be sent'],
  UND_ERR_NOT_SUPPORTED: ['INVALID_REQUEST', 'a part of the request cannot be sent'],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: ['INVALID_REQUEST', 'the length is not that of the body'],
  EPROTO: ['TLS_FAILED', 'the TLS handshake failed'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['TLS_FAILED', 'the certificate is not trusted'],
  SELF_SIGNED_CERT_IN_CHAIN: ['TLS_FAILED', 'the certificate is not trusted'],
};

/**
 * Converts any error of a call to an `HttpClientError`.
 * @param signal the caller's signal; aborting it fails the call with `ABORTED`.
 */
export function toHttpClientError(
  error: unknown,
  origin: string,
  signal?: AbortSignal,
): HttpClientError {
  if (error instanceof HttpClientError) return error;
  if (signal?.aborted) return new HttpClientError('ABORTED', 'the call was ended', { origin });
  const { name = '', code = '' } = error as { name?: string; code?: unknown };
  const known = CODES[String(code)] ?? CODES[name] ?? byPrefix(String(code));
  const [kind, message] = known ?? ['BROKEN_ANSWER', 'the answer broke off or is not HTTP'];
  return new HttpClientError(kind, message, { origin, cause: error });
}

function byPrefix(code: string): readonly [HttpClientErrorCode, string] | undefined {
  if (/^(?:CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/.test(code)) {
    return ['TLS_FAILED', 'the TLS handshake failed'];
  }
  // Of getaddrinfo: EAI_AGAIN, EAI_FAIL, EAI_NODATA and others.
  if (code.startsWith('EAI_')) return ['NAME_NOT_FOUND', 'the name cannot be resolved'];
  return code.startsWith('Z_')
    ? ['BROKEN_ANSWER', 'the body is not in its content encoding']
    : undefined;
}
