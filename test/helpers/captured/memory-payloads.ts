import {
  createPayloadStore,
  type PayloadStore,
} from '../../../shared/messaging/wire/payload-store.ts';
import type { StoredObjects } from '../../../shared/messaging/wire/stored-objects.ts';

/** Bodies of large messages, kept in memory. */
export interface MemoryPayloads extends PayloadStore {
  /** What the bucket holds, by key. */
  readonly objects: Map<string, string>;
}

/** Makes an empty store: the real one over a bucket in memory. */
export function memoryPayloads(bucket = 'svc-cloud-bucket'): MemoryPayloads {
  const objects = new Map<string, string>();
  const find = (key: string): string => {
    const body = objects.get(key);
    if (body === undefined) throw Object.assign(new Error(key), { name: 'NoSuchKey' });
    return body;
  };
  const stored: StoredObjects = {
    async put(_bucket, key, body) {
      objects.set(key, body.toString());
    },
    get: async (_bucket, key) => Buffer.from(find(key)),
    async copy(from, _bucket, key) {
      objects.set(key, find(from.key));
    },
    async delete(_bucket, key) {
      objects.delete(key);
    },
  };
  return { objects, ...createPayloadStore(bucket, async () => stored) };
}
