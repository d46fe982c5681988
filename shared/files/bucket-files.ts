import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type {
  DownloadRequest,
  ExpectedFile,
  FileFacts,
  StoredFile,
  UploadLink,
  UploadRequest,
  WrittenFile,
} from '../ports/documents.ts';
import { isAbsent, unlessAbsent } from './bucket/absent.ts';
import { createBucketClient } from './bucket/bucket-client.ts';
import { deleteAllVersions } from './bucket/delete-versions.ts';
import { changedAt, conditionOf } from './bucket/expected-file.ts';
import { bytesOf, factsOf, writtenOf } from './bucket/object-facts.ts';
import {
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

/** Files in a bucket; a separate file, so that the S3 client is loaded on first use. */
export class BucketFiles implements Files {
  readonly maxUploadBytes = MAX_PUT_BYTES;
  readonly checksAtOnce = true;
  readonly #bucket: string;
  readonly #client: S3Client;
  readonly #linkClient: S3Client;

  /** @param linkClient signs links; the same client when left out */
  constructor(bucket: string, client = createBucketClient(), linkClient = client) {
    this.#bucket = bucket;
    this.#client = client;
    this.#linkClient = linkClient;
  }

  facts(path: string, versionId?: string): Promise<FileFacts | undefined> {
    const command = new HeadObjectCommand({
      ...this.#at(path, versionId),
      ChecksumMode: 'ENABLED',
    });
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

  async open(path: string, from = 0, versionId?: string): Promise<FileStream | undefined> {
    try {
      const output = await this.#get(path, from, versionId);
      return output && { ...factsOf(output), bytes: bytesOf(output) };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'InvalidRange') throw error;
      const facts = await this.facts(path, versionId);
      return facts && { ...facts, bytes: Readable.from([]) };
    }
  }

  async write(
    path: string,
    body: Uint8Array,
    contentType: string,
    expected?: ExpectedFile,
  ): Promise<WrittenFile> {
    const command = new PutObjectCommand({
      ...this.#at(path),
      Body: body,
      ContentType: contentType,
      ...conditionOf(expected),
    });
    try {
      return writtenOf(await this.#client.send(command));
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

  async deleteVersion(path: string, versionId: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(path, versionId)));
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

  async finishParts(file: PartedFile, expected?: ExpectedFile): Promise<WrittenFile> {
    if (file.etags.length === 0) return this.#finishEmpty(file, expected);
    const Parts = file.etags.map((ETag, at) => ({ ETag, PartNumber: at + 1 }));
    try {
      const command = new CompleteMultipartUploadCommand({
        ...this.#partsOf(file),
        MultipartUpload: { Parts },
        ...conditionOf(expected),
      });
      return writtenOf(await this.#client.send(command));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.name === 'InvalidPart') throw new PartReplacedError(file.path);
      if (error.name !== 'NoSuchUpload') throw changedAt(file.path, expected, error);
      const facts = await this.facts(file.path);
      if (facts?.sizeBytes !== file.sizeBytes) throw error;
      return facts;
    }
  }

  /** S3 completes no upload without parts. */
  async #finishEmpty(file: PartedFile, expected?: ExpectedFile): Promise<WrittenFile> {
    const written = await this.write(file.path, new Uint8Array(), file.contentType, expected);
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

  downloadLink(path: string, request: DownloadRequest, versionId?: string): Promise<string> {
    return presignDownload(this.#linkClient, this.#at(path, versionId), request);
  }

  uploadLink(path: string, request: UploadRequest): Promise<UploadLink> {
    return presignUpload(this.#client, this.#at(path), request);
  }

  #get(
    path: string,
    from: number,
    versionId?: string,
  ): Promise<GetObjectCommandOutput | undefined> {
    const range = from > 0 ? { Range: `bytes=${from}-` } : {};
    const command = new GetObjectCommand({ ...this.#at(path, versionId), ...range });
    return unlessAbsent(() => this.#client.send(command));
  }

  #at(path: string, versionId?: string): { Bucket: string; Key: string; VersionId?: string } {
    const version = versionId === undefined ? {} : { VersionId: versionId };
    return { Bucket: this.#bucket, Key: path, ...version };
  }

  #partsOf({ path, uploadId }: PartedFile) {
    return { ...this.#at(path), UploadId: uploadId };
  }
}
