import type {
  DownloadRequest,
  FileFacts,
  Storage,
  StoredFile,
  UploadLink,
  UploadRequest,
} from '../ports/documents.ts';
import type { FileLinks } from './file-links.ts';
import {
  type ExpectedFile,
  FileChangedError,
  type FileStream,
  type Files,
  FileTooLargeError,
  MAX_PIECE_BYTES,
  MAX_PUT_BYTES,
  type PartedFile,
  PartReplacedError,
} from './files.ts';
import { readBounded } from './read-bounded.ts';

/** Largest file of a storage without links that others than browsers read whole, in bytes. */
const MAX_INLINE_BYTES = 4 * 1_024 * 1_024;

/** Largest file of a storage that reads and writes whole files only, in bytes. */
export const MAX_WHOLE_BYTES = 64 * 1_024 * 1_024;

/** Files in the host's storage; emulates optional operations that the storage lacks. */
export class HostFiles implements Files {
  readonly maxUploadBytes: number;
  readonly maxInlineBytes: number | undefined;
  readonly #storage: Storage;
  readonly #links: FileLinks;

  constructor(storage: Storage, links: FileLinks) {
    const isStreamed = storage.head !== undefined && storage.open !== undefined;
    const mostThatIsRead = isStreamed ? MAX_PUT_BYTES : MAX_WHOLE_BYTES;
    this.maxUploadBytes = storage.uploadLink ? mostThatIsRead : MAX_PIECE_BYTES;
    this.maxInlineBytes = storage.downloadLink ? undefined : MAX_INLINE_BYTES;
    this.#storage = storage;
    this.#links = links;
  }

  async facts(path: string): Promise<FileFacts | undefined> {
    if (this.#storage.head) return this.#storage.head(path);
    const file = await this.#storage.get(path);
    if (!file) return undefined;
    const { body: _, ...facts } = file;
    return facts;
  }

  async read(path: string, maxBytes: number): Promise<StoredFile | undefined> {
    if (this.#storage.head && this.#storage.open) {
      const facts = await this.#storage.head(path);
      if (facts && facts.sizeBytes > maxBytes) throw new FileTooLargeError(path, maxBytes);
      const bytes = facts && (await this.#storage.open(path, 0));
      return facts && bytes && { ...facts, body: await readBounded(bytes, path, maxBytes) };
    }
    const file = await this.#storage.get(path);
    if (file && file.body.length > maxBytes) throw new FileTooLargeError(path, maxBytes);
    return file;
  }

  async open(path: string, from = 0): Promise<FileStream | undefined> {
    if (this.#storage.head && this.#storage.open) {
      const facts = await this.#storage.head(path);
      const bytes = facts && (await this.#storage.open(path, from));
      return facts && bytes && { ...facts, bytes };
    }
    const file = await this.#storage.get(path);
    if (!file) return undefined;
    const { body, ...facts } = file;
    return { ...facts, bytes: asStream(body.subarray(from)) };
  }

  async write(
    path: string,
    body: Uint8Array,
    contentType: string,
    expected?: ExpectedFile,
  ): Promise<{ etag: string }> {
    await this.#require(path, expected);
    return this.#storage.put(path, body, contentType);
  }

  async copy(from: string, to: string): Promise<boolean> {
    if (this.#storage.copy) return this.#storage.copy(from, to);
    const file = await this.read(from, MAX_WHOLE_BYTES);
    if (file) await this.#storage.put(to, file.body, file.contentType);
    return file !== undefined;
  }

  async delete(path: string): Promise<void> {
    await this.#storage.delete(path);
  }

  async beginParts(path: string, contentType: string): Promise<PartedFile> {
    return { path, contentType, uploadId: '', etags: [], sizeBytes: 0 };
  }

  async writePart(file: PartedFile, body: Uint8Array): Promise<PartedFile> {
    const sizeBytes = file.sizeBytes + body.length;
    if (sizeBytes > MAX_WHOLE_BYTES) throw new FileTooLargeError(file.path, MAX_WHOLE_BYTES);
    const { etag } = await this.#storage.put(partPath(file, file.etags.length), body, PART_TYPE);
    return { ...file, sizeBytes, etags: [...file.etags, etag] };
  }

  /** Deletes the parts last: a retry that finds no parts finds the completed file. */
  async finishParts(file: PartedFile, expected?: ExpectedFile): Promise<{ etag: string }> {
    const etag = await this.#joinParts(file, expected);
    await this.dropParts(file);
    return { etag };
  }

  async #joinParts(file: PartedFile, expected: ExpectedFile | undefined): Promise<string> {
    const parts = await Promise.all(
      file.etags.map((_, at) => this.read(partPath(file, at), MAX_WHOLE_BYTES)),
    );
    if (parts.every((part) => part !== undefined)) {
      const isOwn = parts.every(({ etag }, at) => etag === (file.etags[at] || etag));
      const bytes = parts.reduce((sum, { body }) => sum + body.length, 0);
      if (!isOwn || bytes !== file.sizeBytes) throw new PartReplacedError(file.path);
      await this.#require(file.path, expected);
      const body = Buffer.concat(parts.map((part) => part.body));
      return (await this.#storage.put(file.path, body, file.contentType)).etag;
    }
    const found = await this.facts(file.path);
    if (found?.sizeBytes !== file.sizeBytes) throw new Error(`Parts of ${file.path} are missing`);
    return found.etag;
  }

  /** A storage has no writes with conditions. */
  async #require(path: string, expected: ExpectedFile | undefined): Promise<void> {
    if (expected === undefined) return;
    const etag = (await this.facts(path))?.etag;
    if (etag !== (expected === 'absent' ? undefined : expected.etag)) {
      throw new FileChangedError(path);
    }
  }

  async dropParts(file: PartedFile): Promise<void> {
    // Delete the first part last: its absence means that the others are deleted. An interrupted run may have written
    // one part more.
    for (let at = file.etags.length; at >= 0; at -= 1) {
      await this.#storage.delete(partPath(file, at));
    }
  }

  downloadLink(path: string, request: DownloadRequest): Promise<string> {
    return this.#storage.downloadLink?.(path, request) ?? this.#links.download(path, request);
  }

  uploadLink(path: string, request: UploadRequest): Promise<UploadLink> {
    return this.#storage.uploadLink?.(path, request) ?? this.#links.upload(path, request);
  }
}

const PART_TYPE = 'application/octet-stream';

const partPath = ({ path }: PartedFile, at: number): string => `${path}.part-${at + 1}`;

async function* asStream(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield body;
}
