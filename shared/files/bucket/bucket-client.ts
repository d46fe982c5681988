import { S3Client } from '@aws-sdk/client-s3';
import { clientLimits } from '../../primitives/request-limits.ts';

/**
 * An S3 client with the platform's limits. Checksums are computed only where a link requires them.
 * @param endpoint another address of S3, for links
 */
export function createBucketClient(endpoint?: string): S3Client {
  return new S3Client({
    ...clientLimits,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
