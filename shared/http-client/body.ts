import { type Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { HttpClientError } from './http-client-error.ts';

/** The body of an answer, as it comes from the connection. */
export interface IncomingBody {
  readonly stream: Readable;
  readonly headers: Readonly<Record<string, string>>;
  readonly origin: string;
  /** Whether headers describe bytes that are not sent: the answer to HEAD, 204 and 304. */
  readonly isBodiless: boolean;
  /** Ends reading too, when the writer does not take what has arrived. */
  readonly signal: AbortSignal;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The content encodings that a request accepts unless it says otherwise. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

/** The local writer failed, not the remote system. */
export class WriterFailure extends Error {}

/** Reads the whole decoded body. @throws HttpClientError `TOO_LARGE`, `BROKEN_ANSWER` */
export async function readWhole(body: IncomingBody, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collector = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  await decodeInto(body, collector, maxBytes);
  return Buffer.concat(chunks);
}

/**
 * Pipes the decoded body to a writer and ends it; on failure the writer is destroyed.
 * @returns how many bytes were written.
 * @throws HttpClientError `TOO_LARGE`, `BROKEN_ANSWER`; WriterFailure with the writer's own error as its cause
 */
export async function writeTo(
  body: IncomingBody,
  writer: Writable,
  maxBytes: number,
): Promise<number> {
  writer.on('error', () => undefined);
  const failure = (cause: unknown) =>
    cause ? new WriterFailure('The writer failed', { cause }) : undefined;
  let sizeBytes = 0;
  const forward = new Writable({
    write: (chunk: Buffer, encoding, done) => {
      sizeBytes += chunk.length;
      writer.write(chunk, encoding, (error) => done(failure(error)));
    },
    final: (done) => writer.end((error?: unknown) => done(failure(error))),
  });
  try {
    await decodeInto(body, forward, maxBytes);
  } catch (error) {
    writer.destroy();
    throw error;
  }
  return sizeBytes;
}

async function decodeInto(
  { stream, headers, origin, isBodiless, signal }: IncomingBody,
  writer: Writable,
  maxBytes: number,
): Promise<void> {
  const tooLarge = () =>
    new HttpClientError('TOO_LARGE', `the answer is larger than ${maxBytes} bytes`, { origin });
  const capped = (chunks: AsyncIterable<Buffer>) => cap(chunks, maxBytes, tooLarge);
  const announced = isBodiless ? 0 : Number(headers['content-length'] ?? Number.NaN);
  try {
    if (announced > maxBytes) throw tooLarge();
    // Decoders refuse an empty text.
    const decoder = announced === 0 ? undefined : decoderOf(headers['content-encoding'], origin);
    await (decoder
      ? pipeline(stream, capped, decoder, capped, writer, { signal })
      : pipeline(stream, capped, writer, { signal }));
  } catch (error) {
    stream.on('error', () => undefined).destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

function decoderOf(header: string | undefined, origin: string): Transform | undefined {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (create) return create();
  throw new HttpClientError('BROKEN_ANSWER', 'the content encoding is not known', { origin });
}

async function* cap(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    yield chunk;
  }
}
