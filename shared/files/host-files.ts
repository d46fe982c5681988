import type {
  DownloadRequest,
  ExpectedFile,
  FileFacts,
  Storage,
  StoredFile,
  UploadLink,
  UploadRequest,
  WrittenFile,
} from '../ports/documents.ts';
import type { FileLinks } from './file-links.ts';
import {
  FileChangedError,
  type FileStream,
  type Files,
  FileTooLargeError,
  MAX_PIECE_BYTES,
  MAX_PUT_BYTES,
  type PartedFile,
} from './files.ts';
import { HostParts, MAX_WHOLE_BYTES } from './host-parts.ts';
import { readBounded } from './read-bounded.ts';

/** Largest file of a storage without links that others than browsers read whole, in bytes. */
const MAX_INLINE_BYTES = 4 * 1_024 * 1_024;

/** Files in the host's storage; emulates optional operations that the storage lacks. */
export class HostFiles implements Files {
  readonly maxUploadBytes: number;
  readonly maxInlineBytes: number | undefined;
  readonly #storage: Storage;
  readonly #parts: HostParts;
  readonly #links: FileLinks;

  constructor(storage: Storage, links: FileLinks) {
    const isStreamed = storage.head !== undefined && storage.open !== undefined;
    const mostThatIsRead = isStreamed ? MAX_PUT_BYTES : MAX_WHOLE_BYTES;
    this.maxUploadBytes = storage.uploadLink ? mostThatIsRead : MAX_PIECE_BYTES;
    this.maxInlineBytes = storage.downloadLink ? undefined : MAX_INLINE_BYTES;
    this.#storage = storage;
    this.#parts = new HostParts(storage, this);
    this.#links = links;
  }

  get checksAtOnce(): boolean {
    return this.#storage.putIf !== undefined;
  }

  async facts(path: string, versionId?: string): Promise<FileFacts | undefined> {
    if (versionId !== undefined) return this.#storage.versions?.head(path, versionId);
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

  async open(path: string, from = 0, versionId?: string): Promise<FileStream | undefined> {
    if (versionId !== undefined) return this.#openVersion(path, versionId, from);
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

  async #openVersion(
    path: string,
    versionId: string,
    from: number,
  ): Promise<FileStream | undefined> {
    const { versions } = this.#storage;
    const facts = await versions?.head(path, versionId);
    const bytes = facts && (await versions?.open(path, versionId, from));
    return facts && bytes && { ...facts, bytes };
  }

  async write(
    path: string,
    body: Uint8Array,
    contentType: string,
    expected?: ExpectedFile,
  ): Promise<WrittenFile> {
    if (expected !== undefined && this.#storage.putIf) {
      const written = await this.#storage.putIf(path, body, contentType, expected);
      if (!written) throw new FileChangedError(path);
      return written;
    }
    await this.#require(path, expected);
    return this.#storage.put(path, body, contentType);
  }

  async copy(from: string, to: string): Promise<boolean> {
    if (this.#storage.copy) return this.#storage.copy(from, to);
    if (this.#storage.putStream) {
      const file = await this.open(from);
      if (file) await this.#storage.putStream(to, file.bytes, file.contentType);
      return file !== undefined;
    }
    const file = await this.read(from, MAX_WHOLE_BYTES);
    if (file) await this.#storage.put(to, file.body, file.contentType);
    return file !== undefined;
  }

  async delete(path: string): Promise<void> {
    await this.#storage.delete(path);
  }

  async deleteVersion(path: string, versionId: string): Promise<void> {
    await this.#storage.versions?.delete(path, versionId);
  }

  async beginParts(path: string, contentType: string): Promise<PartedFile> {
    return { path, contentType, uploadId: '', etags: [], sizeBytes: 0 };
  }

  writePart(file: PartedFile, body: Uint8Array): Promise<PartedFile> {
    return this.#parts.write(file, body);
  }

  finishParts(file: PartedFile, expected?: ExpectedFile): Promise<WrittenFile> {
    return this.#parts.finish(file, expected);
  }

  dropParts(file: PartedFile): Promise<void> {
    return this.#parts.drop(file);
  }

  async #require(path: string, expected: ExpectedFile | undefined): Promise<void> {
    if (expected === undefined) return;
    const etag = (await this.facts(path))?.etag;
    if (etag !== (expected === 'absent' ? undefined : expected.etag)) {
      throw new FileChangedError(path);
    }
  }

  downloadLink(path: string, request: DownloadRequest, versionId?: string): Promise<string> {
    if (this.#storage.downloadLink) return this.#storage.downloadLink(path, request, versionId);
    if (versionId !== undefined) throw new Error('Old versions have no links of the platform');
    return this.#links.download(path, request);
  }

  uploadLink(path: string, request: UploadRequest): Promise<UploadLink> {
    return this.#storage.uploadLink?.(path, request) ?? this.#links.upload(path, request);
  }
}

async function* asStream(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield body;
}
