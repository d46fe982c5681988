import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Storage, StoredFile } from '../../../shared/ports/documents.ts';

/** Files in a bucket. The client is loaded with the first file: most calls need none. */
export function createBucketStorage(bucket: string): Storage {
  let client: Promise<S3Client> | undefined;
  const connect = (): Promise<S3Client> => {
    client ??= import('@aws-sdk/client-s3').then(({ S3Client: Client }) => new Client({}));
    return client;
  };
  return {
    async get(path): Promise<StoredFile | undefined> {
      try {
        const command = new GetObjectCommand({ Bucket: bucket, Key: path });
        const { Body, ContentType = '', ETag = '' } = await (await connect()).send(command);
        const body = await Body?.transformToByteArray();
        if (!body) return undefined;
        return { body, contentType: ContentType, sizeBytes: body.length, etag: ETag };
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async put(path, body, contentType) {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: path,
        Body: body,
        ContentType: contentType,
      });
      const { ETag = '' } = await (await connect()).send(command);
      return { etag: ETag };
    },
    async delete(path) {
      await (await connect()).send(new DeleteObjectCommand({ Bucket: bucket, Key: path }));
    },
  };
}
