import { open, rm } from 'node:fs/promises';
import { lazy } from '../primitives/lazy.ts';
import { ACCEPTED_ENCODINGS, readWhole, WriterFailure, writeTo } from './body.ts';
import type { HttpClient, HttpClientOptions, HttpLimits, HttpRequest } from './contract.ts';
import { createDispatcher } from './dispatcher.ts';
import { toHttpClientError } from './http-client-error.ts';
import { demandSuccess, parseJson } from './json.ts';
import { type Incoming, type Sending, send } from './send.ts';
import type { TargetGuard } from './target.ts';

const DEFAULT_LIMITS: HttpLimits = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
  maxBytes: 10 * 1_048_576,
};

/** The calls of a client. */
export function createHttpCalls(options: HttpClientOptions, guard: TargetGuard): HttpClient {
  const limits = { ...DEFAULT_LIMITS, ...given(options) };
  const dispatcher = lazy(() => createDispatcher({ ...limits, guard }));
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
        dispatcher: dispatcher(),
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
    close: async () => (isUsed ? dispatcher().close() : undefined),
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
