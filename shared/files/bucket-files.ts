import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type {
  DownloadRequest,
  FileFacts,
  StoredFile,
  UploadLink,
  UploadRequest,
} from '../ports/documents.ts';
import { clientLimits } from '../primitives/request-limits.ts';
import { isAbsent, unlessAbsent } from './bucket/absent.ts';
import { deleteAllVersions } from './bucket/delete-versions.ts';
import { changedAt, conditionOf } from './bucket/expected-file.ts';
import {
  type ExpectedFile,
  type FileStream,
  type Files,
  FileTooLargeError,
  MAX_PUT_BYTES,
  type PartedFile,
  PartReplacedError,
  TooManyPartsError,
} from './files.ts';
import { presignDownload, presignUpload } from './presigned-links.ts';
import { readBounded } from './read-bounded.ts';

/** A limit of S3. */
const MAX_PARTS = 10_000;

/**
 * An S3 client with the platform's limits. Checksums are computed only where a link requires them.
 * @param endpoint another address of S3, for links
 */
export function createBucketClient(endpoint?: string): S3Client {
  return new S3Client({
    ...clientLimits,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Files in a bucket; a separate file, so that the S3 client is loaded on first use. */
export class BucketFiles implements Files {
  readonly maxUploadBytes = MAX_PUT_BYTES;
  readonly #bucket: string;
  readonly #client: S3Client;
  readonly #linkClient: S3Client;

  /** @param linkClient signs links; the same client when left out */
  constructor(bucket: string, client = createBucketClient(), linkClient = client) {
    this.#bucket = bucket;
    this.#client = client;
    this.#linkClient = linkClient;
  }

  facts(path: string): Promise<FileFacts | undefined> {
    const command = new HeadObjectCommand({ ...this.#at(path), ChecksumMode: 'ENABLED' });
    return unlessAbsent(async () => factsOf(await this.#client.send(command)));
  }

  async read(path: string, maxBytes: number): Promise<StoredFile | undefined> {
    const output = await this.#get(path, 0);
    if (!output) return undefined;
    const facts = factsOf(output);
    const bytes = bytesOf(output);
    if (facts.sizeBytes > maxBytes) {
      bytes.destroy();
      throw new FileTooLargeError(path, maxBytes);
    }
    return { ...facts, body: await readBounded(bytes, path, maxBytes) };
  }

  async open(path: string, from = 0): Promise<FileStream | undefined> {
    try {
      const output = await this.#get(path, from);
      return output && { ...factsOf(output), bytes: bytesOf(output) };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'InvalidRange') throw error;
      const facts = await this.facts(path);
      return facts && { ...facts, bytes: Readable.from([]) };
    }
  }

  async write(
    path: string,
    body: Uint8Array,
    contentType: string,
    expected?: ExpectedFile,
  ): Promise<{ etag: string }> {
    const command = new PutObjectCommand({
      ...this.#at(path),
      Body: body,
      ContentType: contentType,
      ...conditionOf(expected),
    });
    try {
      const { ETag = '' } = await this.#client.send(command);
      return { etag: ETag };
    } catch (error) {
      throw changedAt(path, expected, error);
    }
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = from.split('/').map(encodeURIComponent).join('/');
    const command = new CopyObjectCommand({
      ...this.#at(to),
      CopySource: `${this.#bucket}/${source}`,
    });
    try {
      await this.#client.send(command);
      return true;
    } catch (error) {
      // The refusal may be about the destination.
      if (!isAbsent(error) || (await this.facts(from))) throw error;
      return false;
    }
  }

  delete(path: string): Promise<void> {
    return deleteAllVersions(this.#client, this.#bucket, path);
  }

  async beginParts(path: string, contentType: string): Promise<PartedFile> {
    const command = new CreateMultipartUploadCommand({
      ...this.#at(path),
      ContentType: contentType,
    });
    const { UploadId: uploadId = '' } = await this.#client.send(command);
    return { path, contentType, uploadId, etags: [], sizeBytes: 0 };
  }

  async writePart(file: PartedFile, body: Uint8Array): Promise<PartedFile> {
    if (file.etags.length >= MAX_PARTS) throw new TooManyPartsError(file.path, MAX_PARTS);
    const command = new UploadPartCommand({
      ...this.#partsOf(file),
      PartNumber: file.etags.length + 1,
      Body: body,
    });
    const { ETag = '' } = await this.#client.send(command);
    return { ...file, etags: [...file.etags, ETag], sizeBytes: file.sizeBytes + body.length };
  }

  async finishParts(file: PartedFile, expected?: ExpectedFile): Promise<{ etag: string }> {
    if (file.etags.length === 0) return this.#finishEmpty(file);
    const Parts = file.etags.map((ETag, at) => ({ ETag, PartNumber: at + 1 }));
    try {
      const { ETag = '' } = await this.#client.send(
        new CompleteMultipartUploadCommand({
          ...this.#partsOf(file),
          MultipartUpload: { Parts },
          ...conditionOf(expected),
        }),
      );
      return { etag: ETag };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.name === 'InvalidPart') throw new PartReplacedError(file.path);
      if (error.name !== 'NoSuchUpload') throw changedAt(file.path, expected, error);
      const facts = await this.facts(file.path);
      if (facts?.sizeBytes !== file.sizeBytes) throw error;
      return { etag: facts.etag };
    }
  }

  /** S3 completes no upload without parts. */
  async #finishEmpty(file: PartedFile): Promise<{ etag: string }> {
    const written = await this.write(file.path, new Uint8Array(), file.contentType);
    await this.dropParts(file);
    return written;
  }

  async dropParts(file: PartedFile): Promise<void> {
    try {
      await this.#client.send(new AbortMultipartUploadCommand(this.#partsOf(file)));
    } catch (error) {
      const isGone = error instanceof Error && error.name === 'NoSuchUpload';
      if (!isGone && !isAbsent(error)) throw error;
    }
  }

  downloadLink(path: string, request: DownloadRequest): Promise<string> {
    return presignDownload(this.#linkClient, this.#at(path), request);
  }

  uploadLink(path: string, request: UploadRequest): Promise<UploadLink> {
    return presignUpload(this.#client, this.#at(path), request);
  }

  #get(path: string, from: number): Promise<GetObjectCommandOutput | undefined> {
    const range = from > 0 ? { Range: `bytes=${from}-` } : {};
    const command = new GetObjectCommand({ ...this.#at(path), ...range });
    return unlessAbsent(() => this.#client.send(command));
  }

  #at(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: path };
  }

  #partsOf({ path, uploadId }: PartedFile) {
    return { ...this.#at(path), UploadId: uploadId };
  }
}

type Described = Pick<
  GetObjectCommandOutput,
  'ContentType' | 'ContentLength' | 'ContentRange' | 'ETag' | 'ChecksumSHA256'
>;

function factsOf({ ContentType = '', ETag = '', ...output }: Described): FileFacts {
  const whole = /\/(\d+)$/.exec(output.ContentRange ?? '')?.[1];
  const checksum = output.ChecksumSHA256;
  // The checksum of a file in parts (`…-2`) is one of its parts' checksums.
  const sha256 = checksum && !checksum.includes('-') ? toHex(checksum) : undefined;
  return {
    contentType: ContentType,
    sizeBytes: whole === undefined ? (output.ContentLength ?? 0) : Number(whole),
    etag: ETag,
    ...(sha256 ? { sha256 } : {}),
  };
}

const toHex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

const bytesOf = ({ Body }: GetObjectCommandOutput): Readable =>
  Body instanceof Readable ? Body : Readable.from([]);
