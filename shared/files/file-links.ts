import * as z from 'zod';
import type { DownloadRequest, UploadLink, UploadRequest } from '../ports/documents.ts';
import { toInstant } from '../primitives/clock.ts';
import { lazy } from '../primitives/lazy.ts';
import { CapabilityStore, type CapabilityStoreDependencies } from '../store/capabilities.ts';
import { linkSeconds } from './link-seconds.ts';

/** Route settings of file links for a storage that cannot issue links itself. */
export interface FileLinkPlace {
  /** Path of the file routes of the module. */
  readonly path: string;
  /** Prefix of the link items; the module must be granted to write it. */
  readonly keyPrefix: string;
  /** Base URL of the links, without a trailing slash. */
  readonly baseUrl: () => string;
}

const linkFacts = lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('download'),
      path: z.string(),
      fileName: z.string(),
      contentType: z.string().optional(),
      isInline: z.boolean().optional(),
    }),
    z.strictObject({
      kind: z.literal('upload'),
      path: z.string(),
      contentType: z.string(),
      sizeBytes: z.number(),
      sha256: z.string(),
    }),
  ]),
);

/** The operation that a link permits. */
export type FileLinkFacts = z.output<ReturnType<typeof linkFacts>>;

/** File links that point to a route of the platform; each contains its own token. */
export class FileLinks {
  readonly #place: FileLinkPlace;
  readonly #capabilities: CapabilityStore;

  constructor(place: FileLinkPlace, dependencies: CapabilityStoreDependencies) {
    this.#place = place;
    this.#capabilities = new CapabilityStore(place.keyPrefix, dependencies);
  }

  async download(path: string, { expiresInSeconds, ...request }: DownloadRequest): Promise<string> {
    return (await this.#issue({ kind: 'download', path, ...request }, expiresInSeconds)).url;
  }

  async upload(path: string, request: UploadRequest): Promise<UploadLink> {
    const { expiresInSeconds, contentType, sizeBytes, sha256 } = request;
    const facts = { kind: 'upload', path, contentType, sizeBytes, sha256 } as const;
    const { url, expiresAt } = await this.#issue(facts, expiresInSeconds);
    return {
      method: 'PUT',
      url,
      // The route accepts bytes only; the file is stored with the content type of the request.
      headers: { 'content-type': 'application/octet-stream' },
      expiresAt: toInstant(expiresAt),
    };
  }

  /** The operation that a token permits; `undefined` when it is unknown or has expired. */
  async find(token: string): Promise<FileLinkFacts | undefined> {
    const facts = await this.#capabilities.find(token);
    return facts && linkFacts().parse(facts);
  }

  async #issue(facts: FileLinkFacts, seconds: number | undefined) {
    const { token, expiresAt } = await this.#capabilities.issue(facts, linkSeconds(seconds));
    const { baseUrl, path } = this.#place;
    return { url: `${baseUrl()}${path}?token=${token}`, expiresAt };
  }
}
