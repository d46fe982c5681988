import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetManifestArtifact, CloudAssembly, EnvironmentPlaceholders } from 'aws-cdk-lib/cx-api';
import { localAccount, localRegion } from '../local-cloud/aws-client.ts';

/** The part of a CloudFormation template that these commands read. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
}

/** One resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** A file or folder that goes to the asset bucket before the stack. */
export interface FileAsset {
  readonly path: string;
  readonly isFolder: boolean;
  readonly bucket: string;
  readonly key: string;
}

/** Result of the synthesis: one stack, its template and its assets. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  readonly templateBody: string;
  /** Bucket location of the published template: CloudFormation accepts at most 51,200 bytes inline. */
  readonly templateLocation: { readonly bucket: string; readonly key: string };
  readonly assets: readonly FileAsset[];
}

/** Reads a cloud assembly that holds one stack. */
export function readAssembly(folder: string): Assembly {
  const { stacks, artifacts } = new CloudAssembly(folder);
  const [stack] = stacks;
  if (!stack || stacks.length > 1) throw new Error(`Expected one stack, found ${stacks.length}.`);
  return {
    stackName: stack.stackName,
    template: stack.template as Template,
    templateBody: readFileSync(stack.templateFullPath, 'utf8'),
    templateLocation: readLocation(stack.stackTemplateAssetObjectUrl ?? ''),
    assets: artifacts
      .filter(AssetManifestArtifact.isAssetManifestArtifact)
      .flatMap((manifest) => readAssets(folder, manifest)),
  };
}

function readLocation(url: string): { bucket: string; key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(withAccount(url)) ?? [];
  if (!bucket || !key) throw new Error(`The assembly names no template in a bucket: "${url}".`);
  return { bucket, key };
}

function readAssets(folder: string, { contents }: AssetManifestArtifact): FileAsset[] {
  return Object.values(contents.files ?? {}).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ bucketName, objectKey }) => ({
      path: join(folder, source.path ?? ''),
      isFolder: source.packaging === 'zip',
      bucket: withAccount(bucketName),
      key: withAccount(objectKey),
    })),
  );
}

const withAccount = (name: string): string =>
  EnvironmentPlaceholders.replace(name, {
    accountId: localAccount,
    region: localRegion,
    partition: 'aws',
  });
