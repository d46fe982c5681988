import { createHash } from 'node:crypto';
import { NonRetryableError } from '../../shared/messaging/messaging-error.ts';
import type { PayloadRef, PayloadStore } from '../../shared/messaging/payload-store.ts';

/** Bodies of large messages, kept in memory. */
export interface MemoryPayloads extends PayloadStore {
  readonly objects: Map<string, string>;
}

/** Makes an empty store. */
export function memoryPayloads(bucket = 'svc-cloud-bucket'): MemoryPayloads {
  const objects = new Map<string, string>();
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const copy = async (ref: PayloadRef, key: string): Promise<PayloadRef> => {
    objects.set(key, objects.get(ref.key) ?? '');
    return { ...ref, key };
  };
  return {
    objects,
    async store(id, _createdAtMs, body) {
      const key = `outbox/2026/03/${id}`;
      objects.set(key, body);
      return { bucket, key, size: Buffer.byteLength(body), sha256: hash(body) };
    },
    async load({ key, sha256 }) {
      const body = objects.get(key) ?? '';
      if (hash(body) === sha256) return body;
      throw new NonRetryableError('The body is another one', { code: 'MQ_PAYLOAD_CORRUPT' });
    },
    keepForDead: (ref, name) => copy(ref, `outbox/dead/${name}`),
    release: (ref, id) => copy(ref, `outbox/2026/04/${id}`),
    async drop({ key }) {
      objects.delete(key);
    },
  };
}
