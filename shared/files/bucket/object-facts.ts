import { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { FileFacts, WrittenFile } from '../../ports/documents.ts';

type Described = Pick<
  GetObjectCommandOutput,
  | 'ContentType'
  | 'ContentLength'
  | 'ContentRange'
  | 'ETag'
  | 'ChecksumSHA256'
  | 'VersionId'
  | 'LastModified'
>;

/** Facts of an object in an answer of S3. */
export function factsOf({ ContentType = '', ...output }: Described): FileFacts {
  const whole = /\/(\d+)$/.exec(output.ContentRange ?? '')?.[1];
  const checksum = output.ChecksumSHA256;
  // The checksum of a file in parts (`…-2`) is one of its parts' checksums.
  const sha256 = checksum && !checksum.includes('-') ? toHex(checksum) : undefined;
  return {
    contentType: ContentType,
    sizeBytes: whole === undefined ? (output.ContentLength ?? 0) : Number(whole),
    ...writtenOf(output),
    ...(sha256 ? { sha256 } : {}),
    ...(output.LastModified && { modifiedAt: output.LastModified.toISOString() }),
  };
}

/** Facts of a written object in an answer of S3. */
export const writtenOf = ({
  ETag = '',
  VersionId,
}: Pick<Described, 'ETag' | 'VersionId'>): WrittenFile => ({
  etag: ETag,
  ...(VersionId !== undefined && { versionId: VersionId }),
});

export const bytesOf = ({ Body }: GetObjectCommandOutput): Readable =>
  Body instanceof Readable ? Body : Readable.from([]);

const toHex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');
