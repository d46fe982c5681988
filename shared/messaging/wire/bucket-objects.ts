import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { clientLimits } from '../../primitives/request-limits.ts';
import type { StoredObjects } from './stored-objects.ts';

/** Objects of buckets; a separate file, so that the client is loaded with the first large message. */
export class BucketObjects implements StoredObjects {
  readonly #client = new S3Client({
    ...clientLimits,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

  async put(bucket: string, key: string, body: Buffer): Promise<void> {
    await this.#client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: body,
        ContentType: 'application/json',
      }),
    );
  }

  async get(bucket: string, key: string): Promise<Buffer> {
    const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  async copy(from: { bucket: string; key: string }, bucket: string, key: string): Promise<void> {
    const source = from.key.split('/').map(encodeURIComponent).join('/');
    await this.#client.send(
      new CopyObjectCommand({ Bucket: bucket, Key: key, CopySource: `${from.bucket}/${source}` }),
    );
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  }
}
