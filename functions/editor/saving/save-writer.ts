import { createHash } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { ExpectedFile, FileFacts, WrittenFile } from '../../../shared/ports/documents.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import type { Arrived } from '../downloads/save-sink.ts';
import { problems } from '../errors.ts';
import type { SaveClaim } from '../store/save-repository.ts';
import type { FileKey, WrittenContent } from '../store/session-items.ts';
import type { CopyPlaces } from './copy-places.ts';
import { isNoDocument, type NormalisedSave, normaliseSave } from './normalise-save.ts';
import type { SavePlan } from './save-plan.ts';
import type { PlannedSave } from './save-planner.ts';

/** What is stored of a save. */
export interface StoredDocument {
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly conflict: boolean;
  readonly warnings: readonly string[];
  readonly etag?: string | undefined;
  readonly versionId?: string | undefined;
  /** Where it took a place beside a document of another format. */
  readonly converted?: FileKey['converted'];
}

interface SaveWriterDependencies {
  readonly files: Files;
  readonly places: CopyPlaces;
}

/** A save with its place. */
interface ClaimedSave extends PlannedSave {
  readonly claim: SaveClaim;
  /** Called before anything is written. */
  begin(content: WrittenContent): Promise<void>;
}

/** Stores documents that belong to no other module. */
export class SaveWriter {
  readonly #files: Files;
  readonly #places: CopyPlaces;
  readonly #known = new WeakMap<ArrivedWhole, Promise<NormalisedSave>>();

  constructor({ files, places }: SaveWriterDependencies) {
    this.#files = files;
    this.#places = places;
  }

  /** @throws Problem `DOCS_SAVE_UNAVAILABLE` (503) for content that is not a document */
  requireDocument(arrived: Arrived, extension: string): void {
    if (arrived.kind !== 'whole' || !isNoDocument(arrived.bytes, extension)) return;
    throw problems.saveNotPossible({ detail: 'What was downloaded is no document.' });
  }

  /** What is stored of a document; asked for again: the same. */
  normalised(arrived: ArrivedWhole, extension: string): Promise<NormalisedSave> {
    const known = this.#known.get(arrived) ?? normaliseSave(arrived.bytes, extension);
    this.#known.set(arrived, known);
    return known;
  }

  /**
   * Stores a document where its plan says; content that lies there already is not stored again.
   * @throws FileChangedError when what lies there is not what the plan says any more
   */
  async write(planned: ClaimedSave, arrived: Arrived): Promise<StoredDocument> {
    if (arrived.kind === 'parts') return this.#finish(planned, arrived);
    const { extension } = planned.plan.home;
    const { bytes, warnings } = await this.normalised(arrived, extension);
    const isSame = bytes === arrived.bytes;
    const hash = isSame ? arrived.hash : createHash('sha256').update(bytes).digest('hex');
    const facts = { sizeBytes: bytes.length, hash, warnings };
    const kept = await this.#alreadyStored(planned, [
      facts,
      { sizeBytes: arrived.bytes.length, hash: arrived.hash, warnings },
    ]);
    if (kept) return kept;
    const place = await this.#placeOf(planned, hash);
    const { path, expected } = place;
    if (!place.stored) await planned.begin({ path, ...facts });
    const written =
      place.stored ?? (await this.#files.write(path, bytes, contentTypeOf(extension), expected));
    return storedAt({ ...planned.plan, path }, written, facts);
  }

  async #finish(planned: ClaimedSave, arrived: ArrivedInParts): Promise<StoredDocument> {
    const { sizeBytes, hash } = arrived;
    const facts = { sizeBytes, hash, warnings: ['DOCUMENT_TOO_LARGE_TO_NORMALISE'] };
    const kept = await this.#alreadyStored(planned, [facts]);
    if (kept) return kept;
    const { path, expected, stored } = await this.#placeOf(planned, hash);
    if (!stored) await planned.begin({ path, ...facts });
    const written = stored ?? (await this.#finishAt(path, arrived, expected));
    return storedAt({ ...planned.plan, path }, written, facts);
  }

  /** Where a save is written, what may lie there, and what does so already. */
  async #placeOf(
    { plan, stored, claim }: ClaimedSave,
    hash: string,
  ): Promise<{
    readonly path: string;
    readonly expected?: ExpectedFile;
    readonly stored?: WrittenFile;
  }> {
    const { path, home, conflict } = plan;
    if (path === home.path) return { path, expected: expectation(stored) };
    // One in another format has a name that only its document gives.
    if (!conflict) return { path };
    const { there, thereHash, ...place } = await this.#places.find(path, claim);
    return there && thereHash === hash ? { path, stored: there } : place;
  }

  /**
   * Writes parts over the document as it was read.
   * @throws FileChangedError when it is another one meanwhile
   */
  overwrite({ plan, stored }: PlannedSave, arrived: ArrivedInParts): Promise<WrittenFile> {
    return this.#finishAt(plan.home.path, arrived, expectation(stored));
  }

  /** Parts lie where the plan before the download has said; the next try begins with the plan of then. */
  async #finishAt(
    path: string,
    { file }: ArrivedInParts,
    expected: ExpectedFile | undefined,
  ): Promise<WrittenFile> {
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
    return same && storedAt({ ...plan, path: home.path, conflict: false }, stored, same);
  }
}

type ArrivedWhole = Extract<Arrived, { kind: 'whole' }>;
export type ArrivedInParts = Extract<Arrived, { kind: 'parts' }>;

/** What a document may be. */
type Content = Pick<StoredDocument, 'sizeBytes' | 'hash' | 'warnings'>;

function storedAt(
  { path, conflict, home }: SavePlan,
  { etag, versionId }: WrittenFile,
  content: Content,
): StoredDocument {
  const isConverted = home.isConverted && path === home.path;
  return {
    path,
    conflict,
    etag,
    versionId,
    ...content,
    ...(isConverted && { converted: { path, etag } }),
  };
}

/** What a save may be written over: what was there when it was planned. */
export const expectation = (stored: FileFacts | undefined): ExpectedFile =>
  stored ? { etag: stored.etag } : 'absent';
