import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localAccount, localRegion } from '../local-cloud/aws-client.ts';

/** A CloudFormation template, as far as these commands look into it. */
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

/** What the synthesis made: one stack, its template and its assets. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  readonly templateBody: string;
  /** Where the template lies once the assets are published: a service takes no more than 51,200 bytes directly. */
  readonly templateLocation: { readonly bucket: string; readonly key: string };
  readonly assets: readonly FileAsset[];
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly properties?: {
          readonly templateFile?: string;
          readonly stackName?: string;
          readonly stackTemplateAssetObjectUrl?: string;
          file?: string;
        };
      }
    >
  >;
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path?: string; readonly packaging?: string };
        readonly destinations: Readonly<
          Record<string, { readonly bucketName: string; readonly objectKey: string }>
        >;
      }
    >
  >;
}

/** Reads a cloud assembly that holds one stack. */
export function readAssembly(folder: string): Assembly {
  const { artifacts } = readJson<Manifest>(join(folder, 'manifest.json'));
  const entries = Object.entries(artifacts);
  const stacks = entries.filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  if (!stack || stacks.length > 1) throw new Error(`Expected one stack, found ${stacks.length}.`);
  const [id, { properties }] = stack;
  const templateBody = readFileSync(join(folder, properties?.templateFile ?? ''), 'utf8');
  const assetFiles = entries
    .filter(([, artifact]) => artifact.type === 'cdk:asset-manifest')
    .map(([, artifact]) => join(folder, artifact.properties?.file ?? ''));
  return {
    stackName: properties?.stackName ?? id,
    template: JSON.parse(templateBody) as Template,
    templateBody,
    templateLocation: readLocation(properties?.stackTemplateAssetObjectUrl ?? ''),
    assets: assetFiles.flatMap((file) => readAssets(folder, file)),
  };
}

function readLocation(url: string): { bucket: string; key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(withAccount(url)) ?? [];
  if (!bucket || !key) throw new Error(`The assembly names no template in a bucket: "${url}".`);
  return { bucket, key };
}

function readAssets(folder: string, file: string): FileAsset[] {
  return Object.values(readJson<AssetManifest>(file).files ?? {}).flatMap((asset) =>
    Object.values(asset.destinations).map((destination) => ({
      path: join(folder, asset.source.path ?? ''),
      isFolder: asset.source.packaging === 'zip',
      bucket: withAccount(destination.bucketName),
      key: withAccount(destination.objectKey),
    })),
  );
}

const pseudoParameters: Readonly<Record<string, string>> = {
  AccountId: localAccount,
  Region: localRegion,
  Partition: 'aws',
};

function withAccount(name: string): string {
  return name.replaceAll(
    /\$\{AWS::(\w+)\}/g,
    (whole, key: string) => pseudoParameters[key] ?? whole,
  );
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
