import type {
  DownloadRequest,
  ExpectedFile,
  FileFacts,
  StoredFile,
  UploadLink,
  UploadRequest,
  WrittenFile,
} from '../ports/documents.ts';

/** The content stream of a file and its metadata. */
export interface FileStream extends FileFacts {
  /** Streams the file; stopping early closes the connection. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A multipart upload that spans several invocations; plain data that the caller stores between them. */
export interface PartedFile {
  readonly path: string;
  readonly contentType: string;
  readonly uploadId: string;
  /** Entity tags of the written parts, in order. */
  readonly etags: readonly string[];
  readonly sizeBytes: number;
}

/** Largest chunk of a file in one request or response: Lambda's limit is 6 MB, and base64 adds a third. */
export const MAX_PIECE_BYTES = 4_500_000;

/** Largest file that S3 takes in one request, in bytes. */
export const MAX_PUT_BYTES = 5 * 1_024 ** 3;

/** Files of the platform by path, in the bucket of the stack or in the storage of the host. */
export interface Files {
  /** Largest file that an upload link takes, in bytes. */
  readonly maxUploadBytes: number;
  /** Largest file of a download in one answer, where links are addresses of the platform itself; `undefined`: any. */
  readonly maxInlineBytes?: number | undefined;
  /** Whether a write checks what it expects and writes in one step. */
  readonly checksAtOnce: boolean;
  /** The metadata of a file, or of an old version of it; `undefined` when it does not exist. */
  facts(path: string, versionId?: string): Promise<FileFacts | undefined>;
  /**
   * A whole file in memory.
   * @throws FileTooLargeError before more than `maxBytes` bytes are in memory.
   */
  read(path: string, maxBytes: number): Promise<StoredFile | undefined>;
  /**
   * A file as a stream.
   * @param from first byte to read; at or beyond the end the stream is empty.
   * @param versionId an old version of it
   */
  open(path: string, from?: number, versionId?: string): Promise<FileStream | undefined>;
  /**
   * @param expected checked in one step with the write; in a storage of the host without such a step just before it
   * @throws FileChangedError when the path does not hold `expected`
   */
  write(
    path: string,
    body: Uint8Array,
    contentType: string,
    expected?: ExpectedFile,
  ): Promise<WrittenFile>;
  /** Copies a file. @returns `false` when there is no such file */
  copy(from: string, to: string): Promise<boolean>;
  /** Deletes a file and every old version of it. */
  delete(path: string): Promise<void>;
  /** Deletes one version of a file. */
  deleteVersion(path: string, versionId: string): Promise<void>;

  beginParts(path: string, contentType: string): Promise<PartedFile>;
  /**
   * Writes the next part; writing the same part again replaces it.
   * @param body at least 5 MiB, unless it is the last: a rule of S3.
   * @throws TooManyPartsError
   */
  writePart(file: PartedFile, body: Uint8Array): Promise<PartedFile>;
  /** Completes the multipart upload; idempotent without `expected`. @throws PartReplacedError, FileChangedError as `write` */
  finishParts(file: PartedFile, expected?: ExpectedFile): Promise<WrittenFile>;
  /** Aborts the multipart upload and deletes its parts. */
  dropParts(file: PartedFile): Promise<void>;

  /** A link that downloads the file, or an old version of it, without a token for some minutes. */
  downloadLink(path: string, request: DownloadRequest, versionId?: string): Promise<string>;
  /** A link that takes one upload, of exactly the size and SHA-256 of the request. */
  uploadLink(path: string, request: UploadRequest): Promise<UploadLink>;
}

/** A file is larger than its reader allows. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
  readonly path: string;
  readonly maxBytes: number;

  constructor(path: string, maxBytes: number) {
    super(`The file ${path} has more than ${maxBytes} bytes, the limit for reading it`);
    this.path = path;
    this.maxBytes = maxBytes;
  }
}

/** A file in parts has as many as the store accepts: its writer must make larger ones. */
export class TooManyPartsError extends Error {
  override readonly name = 'TooManyPartsError';

  constructor(path: string, most: number) {
    super(`The file ${path} has ${most} parts, and no store accepts more; write larger ones`);
  }
}

/** The content of a path is not what a writer expects. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';

  constructor(path: string) {
    super(`The file ${path} is not the one that was to be replaced`);
  }
}

/** A part is not the one that was written: another writer has replaced it. */
export class PartReplacedError extends Error {
  override readonly name = 'PartReplacedError';

  constructor(path: string) {
    super(`Another writer has replaced a part of ${path}`);
  }
}
