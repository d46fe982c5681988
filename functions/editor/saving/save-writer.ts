import { createHash } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import { besides, withExtension } from '../domain/file-id.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { problems } from '../errors.ts';
import type { FileKey } from '../store/session-items.ts';
import { isNoDocument, normaliseSave } from './normalise-save.ts';
import type { SavePlan } from './save-plan.ts';
import type { Arrived } from './save-sink.ts';

/** What is stored of a save. */
export interface StoredDocument {
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly conflict: boolean;
  readonly warnings: readonly string[];
  readonly etag?: string | undefined;
}

/** Stores documents that no other module knows. */
export class SaveWriter {
  readonly #files: Files;

  constructor({ files }: { readonly files: Files }) {
    this.#files = files;
  }

  /** @throws Problem `DOCS_SAVE_UNAVAILABLE` (503) for what is no document */
  requireDocument(arrived: Arrived, extension: string): void {
    if (arrived.kind !== 'whole' || !isNoDocument(arrived.bytes, extension)) return;
    throw problems.saveNotPossible({ detail: 'What was downloaded is no document.' });
  }

  /** Stores a document where its plan says; content that lies there already is not stored again. */
  async write(
    fileId: string,
    plan: SavePlan,
    arrived: Arrived,
    fileKey: FileKey | undefined,
  ): Promise<StoredDocument> {
    if (arrived.kind === 'parts') return this.#finish(plan, arrived);
    const { bytes, warnings } = await normaliseSave(arrived.bytes, plan.extension);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const facts = { sizeBytes: bytes.length, hash, warnings };
    const kept = await this.#alreadyStored(fileId, plan, hash, fileKey?.sentHash === arrived.hash);
    if (kept) return { ...kept, ...facts };
    const path = await this.#freePath(fileId, plan);
    const { etag } = await this.#files.write(path, bytes, contentTypeOf(plan.extension));
    return { path, conflict: plan.conflict, etag, ...facts };
  }

  async #finish(
    { path, conflict }: SavePlan,
    { file, sizeBytes, hash }: Extract<Arrived, { kind: 'parts' }>,
  ): Promise<StoredDocument> {
    await this.#files.finishParts(file);
    return { path, sizeBytes, hash, conflict, warnings: ['DOCUMENT_TOO_LARGE_TO_NORMALISE'] };
  }

  /**
   * The document, when it is what is to be stored: an earlier call of the same save ended before it could say so, or
   * nothing has changed since the last save.
   */
  async #alreadyStored(
    fileId: string,
    { conflict, isStale, path }: SavePlan,
    hash: string,
    isSame: boolean,
  ): Promise<Pick<StoredDocument, 'path' | 'conflict' | 'etag'> | undefined> {
    const mayBe = conflict ? !isStale && !path.includes('.recovered-') : isSame && path === fileId;
    if (!mayBe) return undefined;
    const facts = await this.#files.facts(fileId);
    if (!facts) return undefined;
    const found = facts.sha256 ?? (await hashFile(this.#files, fileId))?.hash;
    return found === hash ? { path: fileId, conflict: false, etag: facts.etag } : undefined;
  }

  /** A document in another format takes no other document's place. */
  async #freePath(fileId: string, { path, conflict, extension }: SavePlan): Promise<string> {
    if (conflict || path === fileId || !(await this.#files.facts(path))) return path;
    const sum = createHash('sha256').update(fileId).digest('hex').slice(0, 8);
    return besides(withExtension(fileId, extension), `converted-${sum}`);
  }
}
