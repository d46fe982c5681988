import {
  createPayloadStore,
  type PayloadStore,
  type PayloadStoreOptions,
} from '../../../shared/messaging/wire/payload-store.ts';
import type { StoredObjects } from '../../../shared/messaging/wire/stored-objects.ts';
import { bucketError } from '../service-faults/bucket-faults.ts';

/** Bodies of large messages, kept in memory. */
export interface MemoryPayloads extends PayloadStore {
  /** What the bucket holds, by key. */
  readonly objects: Map<string, string>;
  /** Forgets every body, as the end of its lifetime does. */
  lose(): void;
  /** Set: the bucket answers everything with it. */
  failure: Error | undefined;
  /** The bucket takes requests and never answers. */
  hangs: boolean;
}

/**
 * Makes an empty store: the real one over a bucket in memory.
 * @param time limits the calls, as it does in a function.
 */
export function memoryPayloads(
  time?: PayloadStoreOptions['time'],
  bucket = 'svc-cloud-bucket',
): MemoryPayloads {
  const objects = new Map<string, string>();
  const find = async (key: string): Promise<string> => {
    await check();
    const body = objects.get(key);
    if (body === undefined) throw bucketError('missing');
    return body;
  };
  const check = async () => {
    if (memory.failure) throw memory.failure;
    if (memory.hangs) await new Promise(() => undefined);
  };
  const stored: StoredObjects = {
    async put(_bucket, key, body) {
      await check();
      objects.set(key, body.toString());
    },
    get: async (_bucket, key) => Buffer.from(await find(key)),
    async copy(from, _bucket, key) {
      objects.set(key, await find(from.key));
    },
    async delete(_bucket, key) {
      await check();
      objects.delete(key);
    },
  };
  const memory: MemoryPayloads = {
    ...createPayloadStore(bucket, { open: async () => stored, ...(time ? { time } : {}) }),
    objects,
    lose: () => objects.clear(),
    failure: undefined,
    hangs: false,
  };
  return memory;
}
