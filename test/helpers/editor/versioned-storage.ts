import { createHash } from 'node:crypto';
import type { FileFacts, StorageVersions } from '../../../shared/ports/documents.ts';
import { type DocumentStorage, documentStorage } from './document-storage.ts';

/** A storage of documents that keeps old versions. */
export interface VersionedStorage extends DocumentStorage {
  readonly versions: StorageVersions;
  /** What lies at a path, without waiting. */
  etagOf(path: string): string | undefined;
  /** What is kept of each path, oldest first. */
  readonly kept: Map<string, { readonly id: string; readonly body: Uint8Array }[]>;
}

const factsOf = (body: Uint8Array, versionId: string): FileFacts => {
  const sha256 = createHash('sha256').update(body).digest('hex');
  const etag = `"${sha256.slice(0, 32)}"`;
  return { contentType: '', sizeBytes: body.length, etag, sha256, versionId };
};

/** Makes an empty storage; what a test puts into `files` becomes a version when it is first seen. */
export function versionedStorage(): VersionedStorage {
  const storage = documentStorage();
  const { put, head } = storage;
  const kept: VersionedStorage['kept'] = new Map();
  let made = 0;
  const newestOf = (path: string): string | undefined => {
    const body = storage.files.get(path);
    if (!body) return undefined;
    const versions = kept.get(path) ?? [];
    kept.set(path, versions);
    if (versions.at(-1)?.body !== body) versions.push({ id: `v${++made}`, body });
    return versions.at(-1)?.id;
  };
  const find = (path: string, id: string) => kept.get(path)?.find((each) => each.id === id)?.body;
  const versions: StorageVersions = {
    head: async (path, id) => {
      const body = find(path, id);
      return body && factsOf(body, id);
    },
    open: async (path, id, from) => {
      const body = find(path, id)?.subarray(from);
      return body && oneChunk(body);
    },
    delete: async (path, id) => {
      const rest = (kept.get(path) ?? []).filter((each) => each.id !== id);
      kept.set(path, rest);
    },
  };
  return Object.assign(storage, {
    ...{ kept, versions },
    etagOf: (path: string) => {
      const body = storage.files.get(path);
      return body && factsOf(body, '').etag;
    },
    put: async (path: string, body: Uint8Array, type: string) => {
      newestOf(path);
      // Each write is a version of its own.
      const { etag } = await put(path, Buffer.from(body), type);
      return { etag, versionId: newestOf(path) };
    },
    head: async (path: string) => {
      const facts = await head(path);
      return facts && { ...facts, versionId: newestOf(path) };
    },
    delete: async (path: string) => {
      storage.files.delete(path);
      kept.delete(path);
    },
  });
}

async function* oneChunk(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
