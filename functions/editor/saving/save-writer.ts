import { createHash } from 'node:crypto';
import type { ExpectedFile, Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { FileFacts } from '../../../shared/ports/documents.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { problems } from '../errors.ts';
import type { FileKey } from '../store/session-items.ts';
import { isNoDocument, normaliseSave } from './normalise-save.ts';
import type { SavePlan } from './save-plan.ts';
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
  /** Where it took a place beside a document of another format. */
  readonly converted?: FileKey['converted'];
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
   * @throws FileChangedError when what lies there is not what the plan says any more
   */
  async write(planned: PlannedSave, arrived: Arrived): Promise<StoredDocument> {
    if (arrived.kind === 'parts') return this.#finish(planned, arrived);
    const { path, home } = planned.plan;
    const { bytes, warnings } = await normaliseSave(arrived.bytes, home.extension);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const facts = { sizeBytes: bytes.length, hash, warnings };
    const kept = await this.#alreadyStored(planned, [
      facts,
      { sizeBytes: arrived.bytes.length, hash: arrived.hash, warnings },
    ]);
    if (kept) return kept;
    const type = contentTypeOf(home.extension);
    const { etag } = await this.#files.write(path, bytes, type, expectedOf(planned));
    return storedAt(planned.plan, etag, facts);
  }

  async #finish(planned: PlannedSave, arrived: ArrivedInParts): Promise<StoredDocument> {
    const { sizeBytes, hash } = arrived;
    const facts = { sizeBytes, hash, warnings: ['DOCUMENT_TOO_LARGE_TO_NORMALISE'] };
    const kept = await this.#alreadyStored(planned, [facts]);
    if (kept) return kept;
    const { etag } = await this.#finishAt(planned.plan.path, arrived, expectedOf(planned));
    return storedAt(planned.plan, etag, facts);
  }

  /**
   * Writes parts over the document as it was read.
   * @throws FileChangedError when it is another one meanwhile
   */
  async overwrite({ plan, stored }: PlannedSave, arrived: ArrivedInParts): Promise<void> {
    await this.#finishAt(plan.home.path, arrived, expectation(stored));
  }

  /** Parts lie where the plan before the download has said; the next try begins with the plan of then. */
  async #finishAt(path: string, { file }: ArrivedInParts, expected: ExpectedFile | undefined) {
    if (file.path === path) return this.#files.finishParts(file, expected);
    throw problems.saveNotPossible({ detail: 'The document has changed meanwhile.' });
  }

  /**
   * What lies in the place of a save, when it is what is to be stored, or what was sent: an earlier call of the same save
   * ended before it could say so, or nothing has changed.
   */
  async #alreadyStored(
    { plan, stored }: PlannedSave,
    contents: readonly Content[],
  ): Promise<StoredDocument | undefined> {
    const { home, mayBeStored } = plan;
    const mayBe = mayBeStored && contents.some(({ sizeBytes }) => sizeBytes === stored?.sizeBytes);
    if (!mayBe || !stored) return undefined;
    const found = stored.sha256 ?? (await hashFile(this.#files, home.path))?.hash;
    const same = contents.find(({ hash }) => hash === found);
    return same && storedAt({ ...plan, path: home.path, conflict: false }, stored.etag, same);
  }
}

export type ArrivedInParts = Extract<Arrived, { kind: 'parts' }>;

/** What a document may be. */
type Content = Pick<StoredDocument, 'sizeBytes' | 'hash' | 'warnings'>;

function storedAt(
  { path, conflict, home }: SavePlan,
  etag: string,
  content: Content,
): StoredDocument {
  const isConverted = home.isConverted && path === home.path;
  return { path, conflict, etag, ...content, ...(isConverted && { converted: { path, etag } }) };
}

/** What may lie where a save is written; a copy has a name that is its own. */
const expectedOf = ({ plan, stored }: PlannedSave): ExpectedFile | undefined =>
  plan.path === plan.home.path ? expectation(stored) : undefined;

const expectation = (stored: FileFacts | undefined): ExpectedFile =>
  stored ? { etag: stored.etag } : 'absent';
