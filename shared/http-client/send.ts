import type { Dispatcher } from 'undici';
import type { IncomingBody } from './body.ts';
import { HttpClientError } from './http-client-error.ts';
import type { TargetGuard } from './target.ts';

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request with all limits resolved. */
export interface Sending {
  readonly method: Method;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
}

/** A response whose body has not been read yet. */
export interface Incoming extends IncomingBody {
  readonly status: number;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Their headers may be those of a body that is not sent. @see RFC 9110, section 8.6 */
const BODILESS = new Set([204, 304]);
const REPEATABLE = new Set<Method>(['GET', 'HEAD', 'PUT', 'DELETE']);
/** Headers that are sent along a redirect to another origin; any other may be a credential. */
const IMPERSONAL_HEADERS = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/** Sends a request and follows up to its number of redirects; the guard checks every hop. */
export async function send(
  url: URL,
  sending: Sending,
  { dispatcher, guard }: { readonly dispatcher: Dispatcher; readonly guard: TargetGuard },
): Promise<Incoming> {
  let current = url;
  let { headers } = sending;
  for (let hops = 0; ; hops += 1) {
    const incoming = await sendOnce(current, { ...sending, headers }, dispatcher);
    const { location } = incoming.headers;
    if (!REDIRECTS.has(incoming.status) || location === undefined) return incoming;
    incoming.stream.on('error', () => undefined).destroy();
    checkMayFollow(incoming, hops, sending);
    const next = nextHop(location, current, guard);
    if (next.origin !== current.origin) headers = impersonal(headers);
    current = next;
  }
}

function checkMayFollow(
  { status, origin }: Incoming,
  hops: number,
  { method, maxRedirects }: Sending,
): void {
  const isReading = method === 'GET' || method === 'HEAD';
  if (isReading && hops < maxRedirects) return;
  const reason =
    isReading && maxRedirects > 0 ? 'there are too many redirects' : 'the answer is a redirect';
  throw new HttpClientError('REDIRECT_REFUSED', reason, { origin, status });
}

function nextHop(location: string, current: URL, guard: TargetGuard): URL {
  const { origin } = current;
  if (!URL.canParse(location, current.href)) {
    throw new HttpClientError('REDIRECT_REFUSED', 'the redirect leads nowhere', { origin });
  }
  const next = guard.check(new URL(location, current.href));
  const isDowngrade = current.protocol === 'https:' && next.protocol === 'http:';
  if (isDowngrade && !guard.isNamed(next.origin)) {
    throw new HttpClientError('REDIRECT_REFUSED', 'the redirect is to plain http', { origin });
  }
  return next;
}

const impersonal = (headers: Sending['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => IMPERSONAL_HEADERS.has(name)));

/**
 * Sends once, and again when the connection was closed before any response byte, which happens to one kept
 * alive while the function was frozen.
 * @see RFC 9110, section 9.2.2
 */
async function sendOnce(url: URL, sending: Sending, dispatcher: Dispatcher): Promise<Incoming> {
  try {
    return await exchange(url, sending, dispatcher);
  } catch (error) {
    const { code } = error as { code?: unknown };
    const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
    if (!isClosed || !REPEATABLE.has(sending.method)) throw error;
    return exchange(url, sending, dispatcher);
  }
}

async function exchange(url: URL, sending: Sending, dispatcher: Dispatcher): Promise<Incoming> {
  const { method, headers, body, headersTimeoutMs, bodyTimeoutMs, signal } = sending;
  const answer = await dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { ...headers },
    body: body ?? null,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    signal,
  });
  return {
    origin: url.origin,
    status: answer.statusCode,
    headers: joinValues(answer.headers),
    stream: answer.body,
    isBodiless: method === 'HEAD' || BODILESS.has(answer.statusCode),
    signal,
  };
}

function joinValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  );
}
