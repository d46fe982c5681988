import type { Writable } from 'node:stream';
import type * as z from 'zod';
import type { ResolveName } from './dispatcher.ts';
import type { Sending } from './send.ts';
import type { TargetPolicy } from './target.ts';

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
