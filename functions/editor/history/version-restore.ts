import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileChangedError, type Files, FileTooLargeError } from '../../../shared/files/files.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { WrittenFile } from '../../../shared/ports/documents.ts';
import type { EditedDocuments, EditorSave } from '../../../shared/ports/templates.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { once } from '../../../shared/primitives/once.ts';
import { requireSeen } from '../../../shared/problems/seen-version.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { extensionOf } from '../domain/file-id.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { type Arrived, SaveSink } from '../downloads/save-sink.ts';
import { problems } from '../errors.ts';
import type { BegunWrites } from '../saving/begun-writes.ts';
import { WriteBusy } from '../saving/write-intents.ts';
import type { WrittenContent } from '../store/session-items.ts';
import type { DocumentVersion } from '../store/version-items.ts';
import type { AskedDocument, DocumentFinder, FoundDocument } from './document-finder.ts';
import type { IdleCheck } from './idle-check.ts';
import type { RestoreRecord } from './restore-record.ts';
import {
  type DocumentHistory,
  historyOf,
  type VersionService,
  versionOf,
} from './version-service.ts';

interface VersionRestoreDependencies {
  readonly finder: DocumentFinder;
  readonly versionService: VersionService;
  readonly idleCheck: IdleCheck;
  readonly record: RestoreRecord;
  readonly begun: Pick<BegunWrites, 'beginRestoration' | 'isFinished' | 'release'>;
  readonly ids: IdGenerator;
  readonly files: Files;
  readonly documents: BoundPort<EditedDocuments>;
  readonly unitOfWork: RunUnitOfWork;
}

/** A version that is being restored. */
interface Restoration {
  readonly found: FoundDocument;
  readonly version: DocumentVersion;
  readonly principal: Principal;
  readonly owner: string;
}

/** How a version is written. */
interface Writing {
  begin(content: Omit<WrittenContent, 'path'>): Promise<void>;
  write(): Promise<WrittenFile>;
}

/** Most of a document that is in memory where its module has to read it. */
const MOST_READ = 64 * 1_024 * 1_024;

/** Makes old versions the newest ones. */
export class VersionRestore {
  readonly #deps: VersionRestoreDependencies;

  constructor(dependencies: VersionRestoreDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param ifMatch number of the version that the caller takes for the current one
   * @returns the versions with the restored one
   * @throws Problem as `VersionService.open`; `VERSION_CONFLICT` (412), `DOCS_DOCUMENT_CLOSED`, `DOCS_DOCUMENT_OPEN`,
   *   `DOCS_DOCUMENT_CHANGED` (409), `DOCS_SAVE_TOO_LARGE` (413), `DOCS_SERVER_UNAVAILABLE` (502)
   */
  async restore(
    asked: AskedDocument & { readonly ifMatch?: string | undefined },
    number: number,
    principal: Principal,
  ): Promise<DocumentHistory> {
    const { finder, idleCheck, ids } = this.#deps;
    const owner = ids();
    const found = await finder.find(asked, 'edit', principal);
    requireSeen(found.current.number, { ifMatch: asked.ifMatch });
    const version = versionOf(found, number);
    if (found.known?.isClosed) throw problems.documentClosed();
    if (version.number === found.current.number) return historyOf(found);
    await idleCheck.require(found);
    try {
      await this.#restore({ found, version, principal, owner });
    } catch (error) {
      await this.#deps.begun.release(found.path, owner).catch(() => undefined);
      if (!(error instanceof FileChangedError || error instanceof WriteBusy)) throw error;
      const { current } = await finder.find(asked, 'edit', principal);
      requireSeen(current.number, { ifMatch: asked.ifMatch });
      throw problems.documentChanged();
    }
    return historyOf(await finder.find(asked, 'edit', principal));
  }

  async #restore(work: Restoration): Promise<void> {
    const { found, version } = work;
    const { path, known } = found;
    const sink = new SaveSink({
      files: this.#deps.files,
      path: async () => path,
      contentType: contentTypeOf(extensionOf(path)),
      ...(known && !known.takesUnread && { mostInMemory: MOST_READ }),
    });
    try {
      await pipeline(await this.#contentOf(found, version), sink.writable());
      await this.#store(work, await sink.arrived());
    } catch (error) {
      if (error instanceof FileTooLargeError) throw problems.saveTooLarge(error);
      throw error;
    } finally {
      await sink.drop().catch(() => undefined);
    }
  }

  async #contentOf(found: FoundDocument, version: DocumentVersion): Promise<Readable> {
    const { versionService, files } = this.#deps;
    const content = await versionService.contentOf(found, version);
    const file = content && (await files.open(content.path, 0, content.versionId));
    if (!file) throw problems.versionGone({ version: version.number });
    return Readable.from(file.bytes, { objectMode: false });
  }

  /** The content first: what refers to it finds it. */
  async #store(work: Restoration, arrived: Arrived): Promise<void> {
    const { unitOfWork, record, begun } = this.#deps;
    const { found, version, owner } = work;
    const { path } = found;
    const write = once(() => this.#write(found, arrived));
    const facts = factsOf(work);
    let hasBegun = false;
    const begin = async (content: Omit<WrittenContent, 'path'>): Promise<void> => {
      if (hasBegun) return;
      const { version: number, tenant, ...restoration } = facts;
      const restored = { version: number, path: version.path, tenant };
      await begun.beginRestoration({ ...restoration, restored }, { ...content, path });
      hasBegun = true;
    };
    if (!found.known) await begin({ ...contentOf(arrived), warnings: [] });
    const plain = found.known ? undefined : { path, written: await write() };
    await unitOfWork(async (unit) => {
      // Somebody else has found it there, and kept the account of it.
      if (hasBegun && (await begun.isFinished(path, owner))) return;
      const stored = plain ?? (await this.#storeElsewhere(unit, work, arrived, { write, begin }));
      const { fileName } = found.query;
      await record.stage(unit, { ...facts, fileId: path, fileName, ...stored });
    });
  }

  #write({ path, facts }: FoundDocument, arrived: Arrived): Promise<WrittenFile> {
    const { files } = this.#deps;
    const expected = { etag: facts.etag };
    if (arrived.kind === 'parts') return files.finishParts(arrived.file, expected);
    return files.write(path, arrived.bytes, contentTypeOf(extensionOf(path)), expected);
  }

  /** By the rules of the module whose document it is: its fields, hash and status change with it. */
  async #storeElsewhere(
    unit: UnitOfWork,
    { found, version, principal }: Restoration,
    arrived: Arrived,
    { write, begin }: Writing,
  ): Promise<{ readonly path: string; readonly written: WrittenFile | undefined }> {
    const content: EditorSave['content'] =
      arrived.kind === 'whole' ? arrived.bytes : { ...contentOf(arrived), write };
    const saved = await this.#deps.documents.use().save(unit, {
      ...{ fileId: found.path, content, userId: principal.id },
      ...{ isTerminal: true, restoredFrom: version.path, expected: { etag: found.facts.etag } },
      begin: ({ warningCodes: warnings, ...content }) => begin({ warnings, ...content }),
    });
    if (saved === undefined || saved === 'conflict') throw new FileChangedError(found.path);
    return { path: saved.path, written: saved.written };
  }
}

const contentOf = (arrived: Arrived) => ({
  sizeBytes: arrived.kind === 'whole' ? arrived.bytes.length : arrived.sizeBytes,
  hash: arrived.hash,
});

/** What the account of a restoration has, besides what is written. */
function factsOf({ found, version, principal, owner }: Restoration) {
  const { id: userId, tenant = '' } = principal;
  const { etag, versionId } = found.facts;
  return {
    ...{ owner, userId, tenant, key: found.current.key, documentId: found.query.documentId },
    ...{ replaced: { etag, versionId }, version: version.number },
  };
}
