import { createHash } from 'node:crypto';
import { once } from '../../primitives/once.ts';
import type { AnsweringTime } from './answering-time.ts';
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

/** A refusal that says nothing of the body: of the time, the load, or the rights that the function has for a while. */
const PASSING =
  /^(?:RequestTime\w*|Throttl\w*|SlowDown|TooManyRequests\w*|OperationAborted|ExpiredToken\w*|InvalidToken|TokenRefreshRequired|InvalidAccessKeyId|SignatureDoesNotMatch)$/;
const PASSING_STATUS: ReadonlySet<unknown> = new Set([408, 409, 429]);

interface ServiceFault {
  readonly $fault?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/**
 * Whether the bucket does not give a body out, however often it is asked: it is not there, which without the right to list
 * is an `AccessDenied`, or bucket and key are refused in any other way.
 */
export function isBodyMissing(cause: unknown): boolean {
  if (!(cause instanceof Error) || PASSING.test(cause.name)) return false;
  const { $fault, $metadata } = cause as ServiceFault;
  if (PASSING_STATUS.has($metadata?.httpStatusCode)) return false;
  return $fault === 'client' || /^(NoSuchKey|NotFound|AccessDenied)$/.test(cause.name);
}

/** Prefix of all bodies; no lifecycle rule applies below `outbox/dead/`. */
const DEAD_PREFIX = 'outbox/dead/';

const openBuckets = async (): Promise<StoredObjects> =>
  new (await import('./bucket-objects.ts')).BucketObjects();

export interface PayloadStoreOptions {
  /** Opens the bucket; called with the first large body. */
  readonly open?: () => Promise<StoredObjects>;
  /** Limits the calls; default: they take what they take. */
  readonly time?: Pick<AnsweringTime, 'call'>;
}

/** Bodies in a bucket; a call that has no answer in time throws `TimeUpError`. */
export function createPayloadStore(
  bucket: string,
  { open = openBuckets, time = { call: (work) => work() } }: PayloadStoreOptions = {},
): PayloadStore {
  const opened = once(open);
  const ask = <T>(work: (objects: StoredObjects) => Promise<T>): Promise<T> =>
    time.call(async () => work(await opened()));

  const copy = async (ref: PayloadRef, key: string): Promise<PayloadRef> => {
    if (ref.key === key) return ref;
    await ask((objects) => objects.copy(ref, bucket, key));
    return { ...ref, bucket, key };
  };

  const refOf = (key: string, bytes: Buffer): PayloadRef => ({
    ...{ bucket, key },
    ...{ size: bytes.length, sha256: sha256(bytes) },
  });

  const put = async (key: string, body: string): Promise<PayloadRef> => {
    const bytes = Buffer.from(body);
    await ask((objects) => objects.put(bucket, key, bytes));
    return refOf(key, bytes);
  };

  return {
    store: (id, createdAtMs, body) => put(expiringKey(id, createdAtMs), body),

    async load(ref) {
      const bytes = await ask((objects) => objects.get(ref.bucket, ref.key));
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
      if (isCopy) await ask((objects) => objects.delete(ref.bucket, ref.key));
    },
  };
}

/** @see Amazon S3 User Guide, "General purpose bucket naming rules" and "Naming Amazon S3 objects" */
const BUCKET = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const MAX_KEY_BYTES = 1_024;

/** Reads the reference in an envelope: `s3://bucket/key`; `undefined` for what can be in no bucket. */
export function parseDataRef(
  dataref: string,
  sha256 = '',
): Pick<PayloadRef, 'bucket' | 'key' | 'sha256'> | undefined {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(dataref) ?? [];
  const isKey = key.isWellFormed() && Buffer.byteLength(key) <= MAX_KEY_BYTES;
  return BUCKET.test(bucket) && key !== '' && isKey ? { bucket, key, sha256 } : undefined;
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
