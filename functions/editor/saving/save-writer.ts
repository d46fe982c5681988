import { createHash } from 'node:crypto';
import type { ExpectedFile, Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { FileFacts } from '../../../shared/ports/documents.ts';
import { besides, withExtension } from '../domain/file-id.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { problems } from '../errors.ts';
import { isNoDocument, normaliseSave } from './normalise-save.ts';
import type { PlannedSave } from './save-planner.ts';
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

  /**
   * Stores a document where its plan says; content that lies there already is not stored again.
   * @throws FileChangedError when the document is not the one of the plan any more
   */
  async write(fileId: string, planned: PlannedSave, arrived: Arrived): Promise<StoredDocument> {
    const { plan } = planned;
    if (arrived.kind === 'parts') return this.#finish(fileId, planned, arrived);
    const { bytes, warnings } = await normaliseSave(arrived.bytes, plan.extension);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const facts = { sizeBytes: bytes.length, hash, warnings };
    const kept = await this.#alreadyStored(fileId, planned, [
      facts,
      { sizeBytes: arrived.bytes.length, hash: arrived.hash, warnings },
    ]);
    if (kept) return kept;
    const { path, expected } = await this.#place(fileId, planned, hash);
    const type = contentTypeOf(plan.extension);
    const { etag } = await this.#files.write(path, bytes, type, expected);
    return { path, conflict: plan.conflict, etag, ...facts };
  }

  /** Parts lie where the plan before the download has said; the next try begins with the plan of then. */
  async #finish(
    fileId: string,
    { plan: { path, conflict }, stored }: PlannedSave,
    { file, sizeBytes, hash }: Extract<Arrived, { kind: 'parts' }>,
  ): Promise<StoredDocument> {
    if (file.path !== path) {
      throw problems.saveNotPossible({ detail: 'The document has changed meanwhile.' });
    }
    await this.#files.finishParts(file, path === fileId ? expectedOf(stored) : undefined);
    return { path, sizeBytes, hash, conflict, warnings: ['DOCUMENT_TOO_LARGE_TO_NORMALISE'] };
  }

  /**
   * The document, when it is what is to be stored, or what was sent: an earlier call of the same save ended before it
   * could say so, or nothing has changed.
   */
  async #alreadyStored(
    fileId: string,
    { plan: { conflict, isStale, path }, stored }: PlannedSave,
    contents: readonly Content[],
  ): Promise<StoredDocument | undefined> {
    const mayBe = conflict ? !isStale && !path.includes('.recovered-') : path === fileId;
    if (!mayBe || !stored || contents.every(({ sizeBytes }) => sizeBytes !== stored.sizeBytes)) {
      return undefined;
    }
    const found = await this.#hashOf(fileId, stored);
    const same = contents.find(({ hash }) => hash === found);
    return same && { ...same, path: fileId, conflict: false, etag: stored.etag };
  }

  async #hashOf(path: string, facts: FileFacts): Promise<string | undefined> {
    return facts.sha256 ?? (await hashFile(this.#files, path))?.hash;
  }

  /** Where a document is written, and what may lie there. One in another format takes no other document's place. */
  async #place(
    fileId: string,
    { plan: { path, conflict, extension }, session, stored }: PlannedSave,
    hash: string,
  ): Promise<{ readonly path: string; readonly expected?: ExpectedFile | undefined }> {
    if (path === fileId) return { path, expected: expectedOf(stored) };
    if (conflict) return { path };
    const there = await this.#files.facts(path);
    if (!there) return { path, expected: 'absent' };
    const found = await this.#hashOf(path, there);
    const isOurs = session?.lastSave?.path === path && session.lastSave.hash === found;
    if (isOurs || found === hash) return { path, expected: expectedOf(there) };
    const sum = createHash('sha256').update(fileId).digest('hex').slice(0, 8);
    return { path: besides(withExtension(fileId, extension), `converted-${sum}`) };
  }
}

/** What a document may be. */
type Content = Pick<StoredDocument, 'sizeBytes' | 'hash' | 'warnings'>;

const expectedOf = (facts: FileFacts | undefined): ExpectedFile =>
  facts ? { etag: facts.etag } : 'absent';
