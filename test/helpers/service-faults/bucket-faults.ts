import { answered, type Send } from './send.ts';

/**
 * What can go wrong with a bucket.
 * - `throttled`: it is asked too much.
 * - `forbidden`: the caller may not, or what it asks for is not there and it may not list either.
 * - `missing`: what is asked for is not there.
 * - `broken`: the service fails.
 */
export type BucketFault = 'throttled' | 'forbidden' | 'missing' | 'broken';

export const BUCKET_FAULTS = ['throttled', 'forbidden', 'missing', 'broken'] as const;

const ERRORS: Readonly<Record<BucketFault, readonly [string, number]>> = {
  throttled: ['SlowDown', 503],
  forbidden: ['AccessDenied', 403],
  missing: ['NoSuchKey', 404],
  broken: ['InternalError', 500],
};

/** The error of a fault, as the AWS client tells it. */
export const bucketError = (fault: BucketFault): Error => answered(...ERRORS[fault]);

/** A bucket that fails a share of its calls, and is slow in as many others. */
export function unreliableBucket(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    if (random() < share) {
      const fault = BUCKET_FAULTS[Math.floor(random() * BUCKET_FAULTS.length)] ?? 'broken';
      throw bucketError(fault);
    }
    if (random() < share) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    return send(command, options);
  };
}

const SLOW_MS = 1_500;
