import { FileTooLargeError } from './files.ts';

/**
 * Reads a stream into memory, never more than `maxBytes`.
 * @param path names the file in the error.
 * @throws FileTooLargeError as soon as the limit is exceeded; the stream is closed.
 */
export async function readBounded(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw new FileTooLargeError(path, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Reads the first bytes of a stream and closes it. */
export async function readFirst(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks, size).subarray(0, maxBytes);
}
