import { createHash } from 'node:crypto';
import { once } from '../../primitives/once.ts';
import { NonRetryableError } from './messaging-error.ts';
import type { StoredObjects } from './stored-objects.ts';

/** Reference to a body that is too large for its row, with its hash. */
export interface PayloadRef {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** Bodies of large messages (claim check). */
export interface PayloadStore {
  /** Stores a body for 30 days, longer than any queue or sent row keeps its message. */
  store(id: string, createdAtMs: number, body: string): Promise<PayloadRef>;
  /** @throws NonRetryableError `MQ_PAYLOAD_CORRUPT` when the hash of the body differs. */
  load(ref: Pick<PayloadRef, 'bucket' | 'key' | 'sha256'>): Promise<string>;
  /** Copies a body to a prefix without expiry. @param name distinguishes dead letters of one message. */
  keepForDead(ref: PayloadRef, name: string): Promise<PayloadRef>;
  /** Stores a body without expiry. @param name distinguishes dead letters of one message. */
  storeForDead(name: string, body: string): Promise<PayloadRef>;
  /** Copies the body of a dead letter back to the prefix with expiry. */
  release(ref: PayloadRef, id: string, nowMs: number): Promise<PayloadRef>;
  /** Deletes a copy that no row references. */
  drop(ref: PayloadRef): Promise<void>;
}

/** Whether a body is not there. Without the right to list, the bucket answers `AccessDenied` for what it does not hold. */
export const isBodyMissing = (cause: unknown): boolean =>
  cause instanceof Error && /^(NoSuchKey|NotFound|AccessDenied)$/.test(cause.name);

/** Prefix of all bodies; no lifecycle rule applies below `outbox/dead/`. */
const DEAD_PREFIX = 'outbox/dead/';

const openBuckets = async (): Promise<StoredObjects> =>
  new (await import('./bucket-objects.ts')).BucketObjects();

/**
 * Bodies in a bucket.
 * @param open opens the bucket; called with the first large body.
 */
export function createPayloadStore(bucket: string, open = openBuckets): PayloadStore {
  const objects = once(open);

  const copy = async (ref: PayloadRef, key: string): Promise<PayloadRef> => {
    if (ref.key === key) return ref;
    await (await objects()).copy(ref, bucket, key);
    return { ...ref, bucket, key };
  };

  const put = async (key: string, body: string): Promise<PayloadRef> => {
    const bytes = Buffer.from(body);
    await (await objects()).put(bucket, key, bytes);
    return { bucket, key, size: bytes.length, sha256: sha256(bytes) };
  };

  return {
    store: (id, createdAtMs, body) => put(expiringKey(id, createdAtMs), body),

    async load(ref) {
      const bytes = await (await objects()).get(ref.bucket, ref.key);
      if (sha256(bytes) === ref.sha256) return bytes.toString();
      throw new NonRetryableError('The body in the bucket is not the one that was published', {
        code: 'MQ_PAYLOAD_CORRUPT',
      });
    },

    keepForDead: (ref, name) => copy(ref, deadKey(name)),

    storeForDead: (name, body) => put(deadKey(name), body),

    release: (ref, id, nowMs) => copy(ref, expiringKey(id, nowMs)),

    drop: async (ref) => (await objects()).delete(ref.bucket, ref.key),
  };
}

/** Reads the reference in an envelope: `s3://bucket/key`. */
export function parseDataRef(
  dataref: string,
  sha256 = '',
): Pick<PayloadRef, 'bucket' | 'key' | 'sha256'> | undefined {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(dataref) ?? [];
  return bucket && key ? { bucket, key, sha256 } : undefined;
}

const deadKey = (name: string): string => `${DEAD_PREFIX}${encodeURIComponent(name)}`;

/** Begins with the year, so that the lifecycle rule on `outbox/2` applies. */
function expiringKey(id: string, ms: number): string {
  const [year, month] = new Date(ms).toISOString().split('-');
  return `outbox/${year}/${month}/${encodeURIComponent(id)}`;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
