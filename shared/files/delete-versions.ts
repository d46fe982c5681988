import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { mapLimited } from '../primitives/map-limited.ts';

const DELETIONS_AT_ONCE = 8;

/**
 * Deletes every version and delete marker of an object: in a versioned bucket a plain delete would keep the content.
 */
export async function deleteAllVersions(
  client: S3Client,
  bucket: string,
  key: string,
): Promise<void> {
  for (;;) {
    const page = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: key, MaxKeys: 1_000 }),
    );
    const versions = versionsOf(page, key);
    if (versions.length === 0) return;
    await mapLimited(versions, DELETIONS_AT_ONCE, (VersionId) =>
      client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId })),
    );
    // Keys are listed in order: a later key means that all versions of this one were listed.
    if (!page.IsTruncated || hasOthers(page, key)) return;
  }
}

/** Versions of the key itself; the prefix also finds longer keys. */
function versionsOf(
  { Versions = [], DeleteMarkers = [] }: ListObjectVersionsCommandOutput,
  key: string,
): (string | undefined)[] {
  return [...Versions, ...DeleteMarkers]
    .filter(({ Key }) => Key === key)
    .map(({ VersionId }) => VersionId);
}

const hasOthers = (
  { Versions = [], DeleteMarkers = [] }: ListObjectVersionsCommandOutput,
  key: string,
): boolean => [...Versions, ...DeleteMarkers].some(({ Key }) => Key !== key);
