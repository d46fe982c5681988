import { open, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type * as z from 'zod';
import { once } from '../primitives/once.ts';
import { ACCEPTED_ENCODINGS, readWhole, WriterFailure, writeTo } from './body.ts';
import type { ResolveName } from './dispatcher.ts';
import { toHttpClientError } from './http-client-error.ts';
import { demandSuccess, parseJson } from './json.ts';
import { type Incoming, type Sending, send } from './send.ts';
import { createTargetGuard, type TargetPolicy } from './target.ts';

/** Time and size limits of calls; a call may override all but the connect time-out. */
export interface HttpLimits {
  /** Longest time for name, connection and TLS handshake. */
  readonly connectTimeoutMs: number;
  /** Longest wait for the headers of an answer. */
  readonly headersTimeoutMs: number;
  /** Longest pause within a body. */
  readonly bodyTimeoutMs: number;
  /** Longest time from the call to the last byte, redirects included. */
  readonly totalTimeoutMs: number;
  /** Largest body of an answer in bytes, as sent and decompressed. */
  readonly maxBytes: number;
}

/** How a client is made. */
export interface HttpClientOptions extends TargetPolicy, Partial<HttpLimits> {
  /** Certificate authorities (PEM) to trust instead of the usual ones. */
  readonly certificateAuthorities?: string | readonly string[];
  /** DNS resolver; the system's resolver by default. */
  readonly resolveName?: ResolveName;
}

/** Request and limits of one call. */
export interface HttpRequest extends Partial<Omit<HttpLimits, 'connectTimeoutMs'>> {
  /** Default: GET. */
  readonly method?: Sending['method'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How many redirects a GET or HEAD follows; default 0. Across origins only non-credential headers are sent. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; values of a header that came several times are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded from its content encoding. */
  readonly body: Buffer;
}

/** Metadata of a body that was streamed to a writer. */
export interface HttpDownload extends Omit<HttpAnswer, 'body'> {
  readonly sizeBytes: number;
}

/**
 * Calls other systems. Private addresses are refused at connect time, responses are limited in
 * time and size, and redirects are refused unless requested. Every remote failure is an `HttpClientError`.
 */
export interface HttpClient {
  /** Returns the answer, whatever its status. */
  request(address: string | URL, request?: HttpRequest): Promise<HttpAnswer>;
  /**
   * Returns the JSON of a 2xx answer, parsed by a schema.
   * @throws HttpClientError also `UNEXPECTED_STATUS`, `UNEXPECTED_CONTENT`
   */
  json<S extends z.ZodType>(
    address: string | URL,
    schema: S,
    request?: HttpRequest,
  ): Promise<z.output<S>>;
  /**
   * Streams the body of a 2xx answer to a writer, which ends with it; on failure the writer is destroyed.
   * @throws HttpClientError also `UNEXPECTED_STATUS`; the writer's own error when it fails
   */
  download(address: string | URL, writer: Writable, request?: HttpRequest): Promise<HttpDownload>;
  /** Streams the body to a new file, deleted on failure. An existing file is not touched (`EEXIST`). */
  downloadToFile(address: string | URL, file: string, request?: HttpRequest): Promise<HttpDownload>;
  /** Closes the connections. */
  close(): Promise<void>;
}

const DEFAULT_LIMITS: HttpLimits = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
  maxBytes: 10 * 1_048_576,
};

/** Creates a client; nothing is loaded or connected before its first call. */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const limits = { ...DEFAULT_LIMITS, ...given(options) };
  const guard = createTargetGuard(options);
  const dispatcher = once(async () => {
    const { createDispatcher } = await import('./dispatcher.ts');
    return createDispatcher({ ...limits, guard });
  });
  let isUsed = false;

  /** Sends a request and reads its response; every failure becomes an `HttpClientError`. */
  async function call<T>(
    address: string | URL,
    request: HttpRequest,
    read: (incoming: Incoming, maxBytes: number) => Promise<T>,
  ): Promise<T> {
    const url = guard.check(address);
    isUsed = true;
    const bounded = { ...limits, ...given(request) };
    const signal = AbortSignal.any([
      AbortSignal.timeout(bounded.totalTimeoutMs),
      ...(request.signal ? [request.signal] : []),
    ]);
    try {
      const incoming = await send(url, toSending(bounded, signal), {
        dispatcher: await dispatcher(),
        guard,
      });
      return await read(incoming, bounded.maxBytes);
    } catch (error) {
      if (error instanceof WriterFailure) throw error.cause;
      throw toHttpClientError(error, url.origin, request.signal);
    }
  }

  const request: HttpClient['request'] = (address, more = {}) =>
    call(address, more, async (incoming, maxBytes) => ({
      status: incoming.status,
      headers: incoming.headers,
      body: await readWhole(incoming, maxBytes),
    }));

  const json: HttpClient['json'] = (address, schema, more = {}) => {
    const headers = { accept: 'application/json', ...more.headers };
    return call(address, { ...more, headers }, async (incoming, maxBytes) => {
      demandSuccess(incoming);
      return parseJson(await readWhole(incoming, maxBytes), schema, incoming);
    });
  };

  const download: HttpClient['download'] = async (address, writer, more = {}) => {
    try {
      return await call(address, more, async (incoming, maxBytes) => {
        demandSuccess(incoming);
        const sizeBytes = await writeTo(incoming, writer, maxBytes);
        return { status: incoming.status, headers: incoming.headers, sizeBytes };
      });
    } finally {
      if (!writer.writableFinished) writer.on('error', () => undefined).destroy();
    }
  };

  return {
    request,
    json,
    download,
    async downloadToFile(address, path, more) {
      const file = await open(path, 'wx');
      try {
        return await download(address, file.createWriteStream(), more);
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    close: async () => (isUsed ? (await dispatcher()).close() : undefined),
  };
}

/** The members that have a value: `undefined` must not take a limit away. */
const given = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

function toSending(
  { method = 'GET', headers = {}, body, maxRedirects = 0, ...limits }: HttpLimits & HttpRequest,
  signal: AbortSignal,
): Sending {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method,
    headers: { 'accept-encoding': ACCEPTED_ENCODINGS, ...Object.fromEntries(lowerCase) },
    body,
    maxRedirects,
    headersTimeoutMs: limits.headersTimeoutMs,
    bodyTimeoutMs: limits.bodyTimeoutMs,
    signal,
  };
}
