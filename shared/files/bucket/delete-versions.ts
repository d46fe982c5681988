import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion,
  type S3Client,
} from '@aws-sdk/client-s3';
import { mapLimited } from '../../primitives/map-limited.ts';

const DELETIONS_AT_ONCE = 8;

/**
 * Deletes every version and delete marker of an object: in a versioned bucket a plain delete would keep the content.
 * The newest goes last: an older one would be the file again when the deletion is interrupted.
 */
export async function deleteAllVersions(
  client: S3Client,
  bucket: string,
  key: string,
): Promise<void> {
  const remove = ({ VersionId }: Version) =>
    client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId }));
  for (;;) {
    const page = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: key, MaxKeys: 1_000 }),
    );
    const versions = versionsOf(page, key);
    const older = versions.filter(({ IsLatest }) => !IsLatest);
    await mapLimited(older, DELETIONS_AT_ONCE, remove);
    // Keys are listed in order: a later key means that all versions of this one were listed.
    const isLastPage = !page.IsTruncated || hasOthers(page, key);
    if (!isLastPage && older.length > 0) continue;
    for (const latest of versions.filter(({ IsLatest }) => IsLatest)) await remove(latest);
    if (isLastPage || versions.length === 0) return;
  }
}

type Version = Pick<ObjectVersion, 'VersionId' | 'IsLatest'>;

/** Versions of the key itself; the prefix also finds longer keys. */
function versionsOf(
  { Versions = [], DeleteMarkers = [] }: ListObjectVersionsCommandOutput,
  key: string,
): Version[] {
  return [...Versions, ...DeleteMarkers].filter(({ Key }) => Key === key);
}

const hasOthers = (
  { Versions = [], DeleteMarkers = [] }: ListObjectVersionsCommandOutput,
  key: string,
): boolean => [...Versions, ...DeleteMarkers].some(({ Key }) => Key !== key);
