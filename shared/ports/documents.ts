/** What a user asks to open in the editor. */
export interface DocsEditorQuery {
  readonly fileId: string;
  readonly fileName: string;
  readonly templateType?: string | undefined;
  readonly documentId: string;
  readonly mode: string;
}

/** Decides who may open a file in the editor. A host supplies exactly one, otherwise the editor answers 403. */
export interface DocsEditorAuthorizationService {
  /** @returns whether the user may open the file; only `true` allows. */
  canOpen(query: DocsEditorQuery, currentUserId: string): Promise<boolean> | boolean;
}

/** A stored file. */
export interface StoredFile {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly etag: string;
}

/** Where files live; the default is the bucket of the stack. */
export interface Storage {
  get(path: string): Promise<StoredFile | undefined>;
  put(path: string, body: Uint8Array, contentType: string): Promise<{ readonly etag: string }>;
  delete(path: string): Promise<void>;
}
