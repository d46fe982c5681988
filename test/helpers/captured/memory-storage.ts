import { createHash } from 'node:crypto';
import type { FileFacts, Storage } from '../../../shared/ports/documents.ts';

/** A storage of a host, in memory, with the members that every storage has. */
export interface MemoryStorage extends Storage {
  /** What is stored, by path. */
  readonly files: Map<string, Uint8Array>;
}

/** Files in memory. @param contentType the type that every file is given back with */
export function memoryStorage(contentType = ''): MemoryStorage {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    get: async (path) => {
      const body = files.get(path);
      return body && { body, contentType, sizeBytes: body.length, etag: '' };
    },
    put: async (path, body) => {
      files.set(path, body);
      return { etag: '' };
    },
    delete: async (path) => void files.delete(path),
  };
}

/** The same with facts, streams and copies of its own; `get` is refused, as whoever streams need not call it. */
export function streamingStorage(chunkBytes: number): MemoryStorage & { readonly read: number[] } {
  const base = memoryStorage();
  const read: number[] = [];
  return {
    ...base,
    read,
    get: () => Promise.reject(new Error('The whole file was asked for')),
    head: async (path): Promise<FileFacts | undefined> => {
      const body = base.files.get(path);
      const sha256 = body && createHash('sha256').update(body).digest('hex');
      return body && { contentType: 'text/plain', sizeBytes: body.length, etag: '"1"', sha256 };
    },
    open: async (path, from) => {
      const body = base.files.get(path)?.subarray(from);
      return body && inChunks(body, chunkBytes, read);
    },
    copy: async (from, to) => {
      const body = base.files.get(from);
      if (body) base.files.set(to, body);
      return body !== undefined;
    },
  };
}

async function* inChunks(body: Uint8Array, size: number, read: number[]) {
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    read.push(chunk.length);
    yield chunk;
  }
}
