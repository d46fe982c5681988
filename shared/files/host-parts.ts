import type { ExpectedFile, FileFacts, Storage, WrittenFile } from '../ports/documents.ts';
import {
  FileChangedError,
  type Files,
  FileTooLargeError,
  MAX_PUT_BYTES,
  type PartedFile,
  PartReplacedError,
} from './files.ts';
import { readBounded } from './read-bounded.ts';

/** Largest file of a storage that reads and writes whole files only, in bytes. */
export const MAX_WHOLE_BYTES = 64 * 1_024 * 1_024;

const PART_TYPE = 'application/octet-stream';

/** Files in parts in the host's storage: each part is a file beside it until all are joined. */
export class HostParts {
  readonly #storage: Storage;
  readonly #files: Pick<Files, 'facts' | 'open' | 'write'>;
  readonly #maxBytes: number;

  constructor(storage: Storage, files: Pick<Files, 'facts' | 'open' | 'write'>) {
    this.#storage = storage;
    this.#files = files;
    this.#maxBytes = storage.putStream ? MAX_PUT_BYTES : MAX_WHOLE_BYTES;
  }

  async write(file: PartedFile, body: Uint8Array): Promise<PartedFile> {
    const sizeBytes = file.sizeBytes + body.length;
    if (sizeBytes > this.#maxBytes) throw new FileTooLargeError(file.path, this.#maxBytes);
    const { etag } = await this.#storage.put(partPath(file, file.etags.length), body, PART_TYPE);
    return { ...file, sizeBytes, etags: [...file.etags, etag] };
  }

  /** Deletes the parts last: a retry that finds no parts finds the completed file. */
  async finish(file: PartedFile, expected: ExpectedFile | undefined): Promise<WrittenFile> {
    const parts = await Promise.all(
      file.etags.map((_, at) => this.#files.facts(partPath(file, at))),
    );
    const isWhole = parts.every((part) => part !== undefined);
    // Whoever says what it replaces finishes once: what lies there is of another writer of the same path.
    if (!isWhole && expected !== undefined) throw new PartReplacedError(file.path);
    const written = isWhole
      ? await this.#join(file, parts, expected)
      : await this.#joinedBefore(file);
    await this.drop(file);
    return written;
  }

  async drop(file: PartedFile): Promise<void> {
    // Delete the first part last: its absence means that the others are deleted. An interrupted run may have written
    // one part more.
    for (let at = file.etags.length; at >= 0; at -= 1) {
      await this.#storage.delete(partPath(file, at));
    }
  }

  async #join(
    file: PartedFile,
    parts: readonly FileFacts[],
    expected: ExpectedFile | undefined,
  ): Promise<WrittenFile> {
    const { path, contentType } = file;
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    if (sizeBytes !== file.sizeBytes) throw new PartReplacedError(path);
    const joined = this.#bytesOf(file);
    if (!this.#storage.putStream) {
      const body = await readBounded(joined, path, MAX_WHOLE_BYTES);
      return this.#files.write(path, body, contentType, expected);
    }
    const written = await this.#storage.putStream(path, joined, contentType, expected);
    if (!written) throw new FileChangedError(path);
    return written;
  }

  async *#bytesOf(file: PartedFile): AsyncGenerator<Uint8Array> {
    for (const [at, etag] of file.etags.entries()) {
      const part = await this.#files.open(partPath(file, at));
      if (!part || (etag !== '' && part.etag !== etag)) throw new PartReplacedError(file.path);
      yield* part.bytes;
    }
  }

  async #joinedBefore(file: PartedFile): Promise<WrittenFile> {
    const facts = await this.#files.facts(file.path);
    if (facts?.sizeBytes === file.sizeBytes) return facts;
    throw new Error(`Parts of ${file.path} are missing`);
  }
}

const partPath = ({ path }: PartedFile, at: number): string => `${path}.part-${at + 1}`;
