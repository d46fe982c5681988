import type { Principal } from '../security/principal.ts';

/** Ways to open a document. */
export type DocsEditorMode = 'edit' | 'view' | 'review' | 'comment' | 'fillForms' | 'embedded';

/** Request of a user to open a file in the editor. */
export interface DocsEditorQuery {
  /** Path of the file in the storage. */
  readonly fileId: string;
  readonly fileName: string;
  readonly templateType?: 'TYPE_1' | 'TYPE_2' | 'TYPE_3' | undefined;
  readonly documentId: string;
  readonly mode: DocsEditorMode;
}

/** Decides who may open a file in the editor. A host supplies exactly one, otherwise the editor answers 403. */
export interface DocsEditorAuthorizationService {
  /** @returns whether the user may open the file; only `true` allows, and what throws denies. */
  canOpen(
    query: DocsEditorQuery,
    currentUserId: string,
    principal: Principal,
  ): Promise<boolean> | boolean;
}

/** What a user may take out of a document, and the name that others see; default: everything, and the name in the token. */
export interface DocsEditorPermissions {
  readonly download?: boolean | undefined;
  readonly print?: boolean | undefined;
  readonly copy?: boolean | undefined;
  readonly displayName?: string | undefined;
}

/** Limits what a user who may open a file may do with it. */
export interface DocsEditorPermissionResolver {
  resolve(
    query: DocsEditorQuery,
    currentUserId: string,
    principal: Principal,
  ): Promise<DocsEditorPermissions> | DocsEditorPermissions;
}

/** Metadata of a file. */
export interface FileFacts {
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly etag: string;
  /** SHA-256 of the content in hexadecimal, where the storage provides it. */
  readonly sha256?: string | undefined;
  /** Which version of the file it is, in a storage that keeps old ones. */
  readonly versionId?: string | undefined;
  /** When it was written, where the storage provides it (ISO 8601, UTC). */
  readonly modifiedAt?: string | undefined;
}

/** Precondition of a write: the entity tag of the present content, or that there is none. */
export type ExpectedFile = { readonly etag: string } | 'absent';

/** A file that was written. */
export type WrittenFile = Pick<FileFacts, 'etag' | 'versionId'>;

/** A stored file. */
export interface StoredFile extends FileFacts {
  readonly body: Uint8Array;
}

/** Options of a download link. */
export interface DownloadRequest {
  /** Name under which a browser saves the file. */
  readonly fileName: string;
  readonly contentType?: string;
  /** Default: 900. */
  readonly expiresInSeconds?: number;
  /** Whether a browser shows the file instead of saving it. */
  readonly isInline?: boolean;
}

/** The only content that an upload link accepts. */
export interface UploadRequest {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** SHA-256 of the content in hexadecimal. */
  readonly sha256: string;
  /** Default: 900. */
  readonly expiresInSeconds?: number;
}

/** How to upload a file. */
export interface UploadLink {
  readonly method: 'PUT';
  readonly url: string;
  /** Headers to send as they are. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** Old versions of files. A path that is deleted has none of them any more. */
export interface StorageVersions {
  head(path: string, versionId: string): Promise<FileFacts | undefined>;
  /** The content from a byte on. */
  open(
    path: string,
    versionId: string,
    from: number,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(path: string, versionId: string): Promise<void>;
}

/**
 * File storage; default: the bucket of the stack. The optional members save memory and time: without them
 * files are read and written whole, conditions are checked just before a write, old versions cannot be opened, and links
 * point to a route of the platform that transfers at most 4.5 MB at a time. Without `putIf` the platform's own writes of a
 * document take turns; what another program writes between the check and `put` is lost, which nothing but `putIf` excludes.
 */
export interface Storage {
  get(path: string): Promise<StoredFile | undefined>;
  put(path: string, body: Uint8Array, contentType: string): Promise<WrittenFile>;
  /** Deletes a file, and what `versions` has of it. */
  delete(path: string): Promise<void>;
  head?(path: string): Promise<FileFacts | undefined>;
  /** The content from a byte on. */
  open?(path: string, from: number): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** @returns `false` when there is no such file */
  copy?(from: string, to: string): Promise<boolean>;
  /** Checks and writes in one step. @returns `undefined` when the path does not hold what is expected */
  putIf?(
    path: string,
    body: Uint8Array,
    contentType: string,
    expected: ExpectedFile,
  ): Promise<WrittenFile | undefined>;
  /** Writes what arrives; nothing of it when the bytes end with an error. @returns as `putIf` */
  putStream?(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    contentType: string,
    expected?: ExpectedFile,
  ): Promise<WrittenFile | undefined>;
  /** Where old versions are kept: `put` and `head` name them by `versionId` then. */
  readonly versions?: StorageVersions;
  /** @param versionId an old version, where there are some */
  downloadLink?(path: string, request: DownloadRequest, versionId?: string): Promise<string>;
  uploadLink?(path: string, request: UploadRequest): Promise<UploadLink>;
}
