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
  /** Copies a body to a prefix without expiry. */
  keepForDead(ref: PayloadRef, owner: DeathOf): Promise<PayloadRef>;
  /** Stores a body without expiry. */
  storeForDead(owner: DeathOf, body: string): Promise<PayloadRef>;
  /** Where `storeForDead` would have stored a body: a dead letter that points there lacks its body. */
  placeForDead(owner: DeathOf, body: string): PayloadRef;
  /** Copies the body of a dead letter back to the prefix with expiry. */
  release(ref: PayloadRef, id: string, nowMs: number): Promise<PayloadRef>;
  /** Deletes the copy of a dead letter. A body that its message was published with stays: other groups may need it. */
  drop(ref: PayloadRef): Promise<void>;
}

/** One death of a message: after a requeue it may die again while the copy of its former death is being deleted. */
export interface DeathOf {
  /** Distinguishes dead letters of one message. */
  readonly id: string;
  readonly requeueCount?: number | undefined;
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

  const refOf = (key: string, bytes: Buffer): PayloadRef => ({
    ...{ bucket, key },
    ...{ size: bytes.length, sha256: sha256(bytes) },
  });

  const put = async (key: string, body: string): Promise<PayloadRef> => {
    const bytes = Buffer.from(body);
    await (await objects()).put(bucket, key, bytes);
    return refOf(key, bytes);
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

    keepForDead: (ref, owner) => copy(ref, deadKey(owner)),

    storeForDead: (owner, body) => put(deadKey(owner), body),

    placeForDead: (owner, body) => refOf(deadKey(owner), Buffer.from(body)),

    release: (ref, id, nowMs) => copy(ref, expiringKey(id, nowMs)),

    async drop(ref) {
      const isCopy = ref.bucket === bucket && ref.key.startsWith(DEAD_PREFIX);
      if (isCopy) await (await objects()).delete(ref.bucket, ref.key);
    },
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

/** How an envelope names a body. */
export const dataRefOf = ({ bucket, key, sha256, size }: PayloadRef) => ({
  dataref: `s3://${bucket}/${key}`,
  datasha256: sha256,
  datasize: size,
});

const deadKey = ({ id, requeueCount = 0 }: DeathOf): string =>
  `${DEAD_PREFIX}${encodeURIComponent(id)}${requeueCount > 0 ? `.${requeueCount}` : ''}`;

/** Begins with the year, so that the lifecycle rule on `outbox/2` applies. */
function expiringKey(id: string, ms: number): string {
  const [year, month] = new Date(ms).toISOString().split('-');
  return `outbox/${year}/${month}/${encodeURIComponent(id)}`;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
