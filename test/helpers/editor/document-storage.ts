import { createHash } from 'node:crypto';
import type { FileFacts, Storage } from '../../../shared/ports/documents.ts';

/** A storage of documents in memory, with entity tags, streams and links. */
export interface DocumentStorage
  extends Required<Pick<Storage, 'get' | 'put' | 'delete' | 'head' | 'open' | 'downloadLink'>> {
  readonly files: Map<string, Uint8Array>;
  /** How often each path was written. */
  readonly writes: Map<string, number>;
  /** Paths that were asked for in any way. */
  readonly asked: Set<string>;
  /** Called before each write; what it throws fails the write. */
  beforePut?: (path: string) => void;
}

/** Makes an empty storage. */
export function documentStorage(): DocumentStorage {
  const files = new Map<string, Uint8Array>();
  const writes = new Map<string, number>();
  const asked = new Set<string>();
  // A real storage hashes nothing when it is asked for facts.
  const known = new WeakMap<Uint8Array, FileFacts>();
  const factsOf = (body: Uint8Array): FileFacts => {
    const sha256 = known.get(body)?.sha256 ?? createHash('sha256').update(body).digest('hex');
    const etag = `"${sha256.slice(0, 32)}"`;
    const facts = { contentType: '', sizeBytes: body.length, etag, sha256 };
    known.set(body, facts);
    return facts;
  };
  const find = (path: string): Uint8Array | undefined => {
    asked.add(path);
    return files.get(path);
  };
  const storage: DocumentStorage = {
    ...{ files, writes, asked },
    get: async (path) => {
      const body = find(path);
      return body && { ...factsOf(body), body };
    },
    put: async (path, body) => {
      storage.beforePut?.(path);
      files.set(path, body);
      writes.set(path, (writes.get(path) ?? 0) + 1);
      return { etag: factsOf(body).etag };
    },
    delete: async (path) => void files.delete(path),
    head: async (path) => {
      const body = find(path);
      return body && factsOf(body);
    },
    open: async (path, from) => {
      const body = find(path)?.subarray(from);
      return body && oneChunk(body);
    },
    downloadLink: async (path) => `https://files.example.com/${encodeURIComponent(path)}?signed`,
  };
  return storage;
}

async function* oneChunk(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
