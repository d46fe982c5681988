import { readFileSync } from 'node:fs';
import {
  CreateBucketCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { bootstrapQualifier, localClientConfig } from '../local-cloud/aws-client.ts';
import type { FileAsset } from './assembly.ts';
import { zipFolder } from './zip.ts';

/** Bootstrap resources that a CDK template requires. */
const bootstrapParameter = `/cdk-bootstrap/${bootstrapQualifier}/version`;
const bootstrapVersion = '30';

/**
 * Prepares a local cloud for CDK stacks and uploads their assets: version parameter and asset
 * buckets are created on demand, existing assets are not sent again.
 * @returns the number of uploaded files.
 */
export async function publishAssets(
  endpoint: string,
  assets: readonly FileAsset[],
): Promise<number> {
  const s3 = new S3Client({ ...localClientConfig(endpoint), forcePathStyle: true });
  const ssm = new SSMClient(localClientConfig(endpoint));
  try {
    const buckets = [...new Set(assets.map((asset) => asset.bucket))];
    await Promise.all([
      putBootstrapVersion(ssm),
      ...buckets.map((bucket) => ensureBucket(s3, bucket)),
    ]);
    const sent = await Promise.all(assets.map((asset) => publish(s3, asset)));
    return sent.filter(Boolean).length;
  } finally {
    s3.destroy();
    ssm.destroy();
  }
}

async function putBootstrapVersion(ssm: SSMClient): Promise<void> {
  const parameter = { Name: bootstrapParameter, Value: bootstrapVersion, Type: 'String' } as const;
  await ssm.send(new PutParameterCommand({ ...parameter, Overwrite: true }));
}

async function ensureBucket(s3: S3Client, bucket: string): Promise<void> {
  try {
    await s3.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch {
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  }
}

async function publish(s3: S3Client, asset: FileAsset): Promise<boolean> {
  const target = { Bucket: asset.bucket, Key: asset.key };
  const exists = await s3.send(new HeadObjectCommand(target)).then(
    () => true,
    () => false,
  );
  if (exists) return false;
  const body = asset.isFolder ? zipFolder(asset.path) : readFileSync(asset.path);
  await s3.send(new PutObjectCommand({ ...target, Body: body }));
  return true;
}
