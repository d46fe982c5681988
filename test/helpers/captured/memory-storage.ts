import { createHash } from 'node:crypto';
import type { ExpectedFile, FileFacts, Storage } from '../../../shared/ports/documents.ts';

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

/** The same with old versions, and with writes that stream and have conditions. @param mostAtOnce bytes that it takes whole */
export function versionedStorage(mostAtOnce: number): MemoryStorage {
  const base = streamingStorage(4);
  const kept = new Map<string, Uint8Array>();
  const newest = new Map<string, string>();
  const factsOf = (body: Uint8Array, versionId: string): FileFacts => {
    return { contentType: '', sizeBytes: body.length, etag: `"${versionId}"`, versionId };
  };
  const etagOf = (path: string) => newest.has(path) && `"${newest.get(path)}"`;
  const isExpected = (path: string, expected: ExpectedFile | undefined): boolean =>
    expected === undefined || etagOf(path) === (expected === 'absent' ? false : expected.etag);
  const keep = (path: string, body: Uint8Array) => {
    const versionId = `v${kept.size + 1}`;
    kept.set(versionId, body);
    newest.set(path, versionId);
    base.files.set(path, body);
    return { etag: `"${versionId}"`, versionId };
  };
  const versions: Storage['versions'] = {
    head: async (_, id) => {
      const body = kept.get(id);
      return body && factsOf(body, id);
    },
    open: async (_, id, from) => {
      const body = kept.get(id)?.subarray(from);
      return body && inChunks(body, 4, []);
    },
    delete: async (_, id) => void kept.delete(id),
  };
  return {
    ...{ files: base.files, get: base.get, open: base.open, versions },
    head: async (path) => {
      const body = base.files.get(path);
      return body && factsOf(body, newest.get(path) ?? '');
    },
    put: async (path, body) => {
      if (body.length > mostAtOnce) throw new Error('The whole file was written');
      return keep(path, body);
    },
    putIf: async (path, body, _, expected) =>
      isExpected(path, expected) ? keep(path, body) : undefined,
    putStream: async (path, bytes, _, expected) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      return isExpected(path, expected) ? keep(path, Buffer.concat(chunks)) : undefined;
    },
    delete: async (path) => {
      base.files.delete(path);
      newest.delete(path);
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
