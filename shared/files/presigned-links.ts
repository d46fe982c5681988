import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DownloadRequest, UploadLink, UploadRequest } from '../ports/documents.ts';
import { contentDisposition } from './content-disposition.ts';
import { linkSeconds } from './link-seconds.ts';

interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
}

/** Signs a link that downloads an object under a file name, with the rights of the function. */
export async function presignDownload(
  client: S3Client,
  place: ObjectPlace,
  { fileName, contentType, isInline, expiresInSeconds }: DownloadRequest,
): Promise<string> {
  const command = new GetObjectCommand({
    ...place,
    ResponseContentDisposition: contentDisposition(fileName, isInline),
    ...(contentType ? { ResponseContentType: contentType } : {}),
  });
  return getSignedUrl(client, command, { expiresIn: linkSeconds(expiresInSeconds) });
}

/**
 * Signs a link that takes one content: size, type and SHA-256 are part of the signature, and S3 compares the SHA-256
 * with what arrives.
 */
export async function presignUpload(
  client: S3Client,
  place: ObjectPlace,
  { contentType, sizeBytes, sha256, expiresInSeconds }: UploadRequest,
): Promise<UploadLink> {
  const expiresIn = linkSeconds(expiresInSeconds);
  const checksum = Buffer.from(sha256, 'hex').toString('base64');
  const signed = new Set(['content-length', 'content-type', 'x-amz-checksum-sha256']);
  const command = new PutObjectCommand({
    ...place,
    ContentType: contentType,
    ContentLength: sizeBytes,
    ChecksumSHA256: checksum,
  });
  const url = await getSignedUrl(client, command, {
    expiresIn,
    signableHeaders: signed,
    unhoistableHeaders: signed,
  });
  return {
    method: 'PUT',
    url,
    headers: { 'content-type': contentType, 'x-amz-checksum-sha256': checksum },
    expiresAt: expiryOf(url, expiresIn),
  };
}

/** The lifetime starts at the date of the signature, `20260301T093000Z`. */
function expiryOf(url: string, seconds: number): string {
  const signedAt = new URL(url).searchParams.get('X-Amz-Date') ?? '';
  const instant = signedAt.replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  );
  return new Date(Date.parse(instant) + seconds * 1_000).toISOString();
}
