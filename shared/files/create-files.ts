import type { Storage } from '../ports/documents.ts';
import { once } from '../primitives/once.ts';
import type { CapabilityStoreDependencies } from '../store/capabilities.ts';
import { type FileLinkPlace, FileLinks } from './file-links.ts';
import { type Files, MAX_PUT_BYTES } from './files.ts';
import { HostFiles } from './host-files.ts';

export interface FilesContext extends CapabilityStoreDependencies {
  readonly host: { readonly storage?: Storage };
  readonly environment: { readonly bucketName: string };
}

/** The files of a module and the handler of links to them. */
export interface ModuleFiles {
  readonly files: Files;
  readonly links: FileLinks;
}

/**
 * Creates the files of a module: in the host's storage, else in the bucket of the stack.
 * @param linkEndpoint address of S3 in links, where those who follow them reach it by another one
 */
export function createFiles(
  context: FilesContext,
  place: FileLinkPlace,
  linkEndpoint?: string,
): ModuleFiles {
  const { host, environment } = context;
  const links = new FileLinks(place, context);
  if (host.storage) return { links, files: new HostFiles(host.storage, links) };
  return { links, files: bucketFiles(environment.bucketName, linkEndpoint) };
}

/** Files in a bucket. The client is loaded on first use: most calls need none. */
export function bucketFiles(bucket: string, linkEndpoint?: string): Files {
  const load = once(async (): Promise<Files> => {
    const [{ BucketFiles }, { createBucketClient }] = await Promise.all([
      import('./bucket-files.ts'),
      import('./bucket/bucket-client.ts'),
    ]);
    if (linkEndpoint === undefined) return new BucketFiles(bucket);
    return new BucketFiles(bucket, createBucketClient(), createBucketClient(linkEndpoint));
  });
  return {
    maxUploadBytes: MAX_PUT_BYTES,
    checksAtOnce: true,
    facts: async (path, versionId) => (await load()).facts(path, versionId),
    read: async (path, maxBytes) => (await load()).read(path, maxBytes),
    open: async (path, from, versionId) => (await load()).open(path, from, versionId),
    write: async (path, body, contentType, expected) =>
      (await load()).write(path, body, contentType, expected),
    copy: async (from, to) => (await load()).copy(from, to),
    delete: async (path) => (await load()).delete(path),
    deleteVersion: async (path, versionId) => (await load()).deleteVersion(path, versionId),
    beginParts: async (path, contentType) => (await load()).beginParts(path, contentType),
    writePart: async (file, body) => (await load()).writePart(file, body),
    finishParts: async (file, expected) => (await load()).finishParts(file, expected),
    dropParts: async (file) => (await load()).dropParts(file),
    downloadLink: async (path, request, versionId) =>
      (await load()).downloadLink(path, request, versionId),
    uploadLink: async (path, request) => (await load()).uploadLink(path, request),
  };
}
