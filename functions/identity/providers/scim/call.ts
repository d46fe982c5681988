import type { HttpAnswer, HttpRequest } from '../../../../shared/http-client/contract.ts';
import { HttpClientError } from '../../../../shared/http-client/http-client-error.ts';
import { isPassing, SourceError } from '../source-error.ts';
import type { ScimDependencies } from './connection.ts';
import type { Pacer } from './pacer.ts';

const ATTEMPTS = 4;
const MAX_WAIT_S = 60;
const BASE_PAUSE_MS = 250;
const LIMITS = { totalTimeoutMs: 30_000, headersTimeoutMs: 30_000, maxBytes: 10 * 1_048_576 };

/** Calls a source: at its pace, and again after what passes. */
export async function callSource(
  url: URL,
  request: HttpRequest,
  dependencies: ScimDependencies & { readonly pacer: Pacer },
): Promise<HttpAnswer> {
  const { http, pacer, pause, random = Math.random } = dependencies;
  for (let attempt = 1; ; attempt += 1) {
    await pacer.next();
    try {
      const answer = await http.request(url, { ...LIMITS, ...request });
      const failure = failureOf(answer);
      if (!failure) return answer;
      throw failure;
    } catch (cause) {
      const failure = toSourceError(cause);
      if (attempt === ATTEMPTS || !mayRepeat(failure, request)) throw failure;
      const wait = failure.retryAfterSeconds;
      await pause(wait === undefined ? random() * BASE_PAUSE_MS * 2 ** attempt : wait * 1_000);
    }
  }
}

/** What was refused was not worked on; of anything else that may be so only what changes nothing is sent again. */
function mayRepeat(failure: SourceError, { method = 'GET' }: HttpRequest): boolean {
  const isHarmless = method === 'GET' || failure.code === 'THROTTLED';
  return isPassing(failure) && isHarmless && (failure.retryAfterSeconds ?? 0) <= MAX_WAIT_S;
}

function failureOf({ status, headers }: HttpAnswer): SourceError | undefined {
  if (status === 429 || status === 503) {
    const retryAfterSeconds = secondsOf(headers['retry-after'], headers.date);
    return new SourceError('THROTTLED', `The source answers ${status}`, {
      status,
      retryAfterSeconds,
    });
  }
  // Not implemented is an answer that another attempt does not change.
  return status >= 500 && status !== 501
    ? new SourceError('SOURCE_FAILED', `The source answers ${status}`, { status })
    : undefined;
}

/** Seconds, or a date, which is compared with the clock of whoever has written it. */
function secondsOf(text: string | undefined, date: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text);
  const [until, now] = [Date.parse(text), Date.parse(date ?? '')];
  return Number.isNaN(until - now) ? undefined : Math.max(0, Math.ceil((until - now) / 1_000));
}

/** The failure in the form of the module; names of hosts may be secret and are left out. */
function toSourceError(cause: unknown): SourceError {
  if (cause instanceof SourceError) return cause;
  if (!(cause instanceof HttpClientError)) throw cause;
  const [code, message] = MEANINGS[cause.code] ?? [
    'BAD_ANSWER',
    'The answer of the source is broken',
  ];
  return new SourceError(code, message, { status: cause.status, cause });
}

const MEANINGS: Partial<Record<HttpClientError['code'], readonly [SourceError['code'], string]>> = {
  INVALID_URL: ['ADDRESS_REFUSED', 'The address is not an absolute http(s) address'],
  INVALID_REQUEST: ['ADDRESS_REFUSED', 'The request cannot be sent'],
  TARGET_REFUSED: ['ADDRESS_REFUSED', 'The address is not permitted'],
  REDIRECT_REFUSED: ['ADDRESS_REFUSED', 'The source answers with a redirect'],
  NAME_NOT_FOUND: ['UNREACHABLE', 'The name of the source cannot be resolved'],
  CONNECTION_FAILED: ['UNREACHABLE', 'There is no connection to the source'],
  TLS_FAILED: ['UNREACHABLE', 'The TLS handshake with the source failed'],
  BROKEN_ANSWER: ['UNREACHABLE', 'The answer of the source broke off'],
  ABORTED: ['UNREACHABLE', 'The call was ended'],
  TIMEOUT: ['TIMEOUT', 'The source took too long'],
  TOO_LARGE: ['TOO_LARGE', 'An answer of the source exceeds 10 MB'],
};
