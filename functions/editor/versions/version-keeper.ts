import { createHash } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { FileFacts, WrittenFile } from '../../../shared/ports/documents.ts';
import type { EditedDocuments } from '../../../shared/ports/templates.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { changesPathOf } from '../domain/file-id.ts';
import { contentTypeOf } from '../domain/file-types.ts';
import { ownWriteOf } from '../opening/own-writes.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { DocumentVersion } from '../store/version-items.ts';
import type { VersionRepository } from '../store/version-repository.ts';
import type { VersionEraser } from './version-eraser.ts';

interface VersionKeeperDependencies {
  readonly versions: VersionRepository;
  readonly eraser: Pick<VersionEraser, 'stageRemoval'>;
  readonly sessions: Pick<SessionRepository, 'keyOf'>;
  readonly documents: BoundPort<EditedDocuments>;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly docs: { readonly maxVersions: number };
}

/** What has become the newest content of a document. */
export interface NewVersion extends Omit<DocumentVersion, 'number' | 'changesPath'> {
  /** The file that was opened, and what lay there before. */
  readonly fileId: string;
  readonly replaced: WrittenFile | undefined;
  readonly openedAt: string;
  /** What its session was opened with. */
  readonly openedWith?: WrittenFile | undefined;
  /** Path of the last save of the same session. */
  readonly lastPath?: string | undefined;
  /** The changes as the editing server has packed them. */
  readonly changes?: Uint8Array | undefined;
}

/** The newest version of the document at a path. */
export interface Looked {
  readonly path: string;
  readonly document: string;
  readonly newest: DocumentVersion | undefined;
}

/** What lies at the path of a document, and its versions, newest first. */
export interface DocumentNow {
  readonly facts: FileFacts;
  readonly current: DocumentVersion;
  readonly versions: readonly DocumentVersion[];
}

/** Keeps account of the versions of documents. */
export class VersionKeeper {
  readonly #deps: VersionKeeperDependencies;

  constructor(dependencies: VersionKeeperDependencies) {
    this.#deps = dependencies;
  }

  /** What all files of a document have in common; a document of its own has one. */
  async documentOf(fileId: string): Promise<string> {
    const { documents } = this.#deps;
    const known = documents.isOn ? await documents.use().find(fileId) : undefined;
    return known?.history ?? fileId;
  }

  /** The newest version at a path, as it is now. */
  async look(path: string): Promise<Looked> {
    const document = await this.documentOf(path);
    const [newest] = await this.#deps.versions.list(document, 1);
    return { path, document, newest };
  }

  /**
   * Stages a version, behind what it has replaced when nobody has kept account of that. Old ones beyond the most that are
   * kept go.
   * @param looked read before; whoever has made a version since then wins, and the unit runs again
   * @returns its number; that of the newest one when it is the same
   */
  async stage(unit: UnitOfWork, made: NewVersion, looked?: Looked): Promise<number> {
    const { versions, eraser } = this.#deps;
    const isLooked = looked?.path === made.path;
    const { document, newest } = isLooked ? looked : await this.look(made.path);
    if (newest && isOf(newest, made)) return newest.number;
    const first = await versions.numberAfter(document, newest);
    const base = await this.#baseOf(made, document, newest);
    if (base) versions.stageNew(unit, document, { ...base, number: first });
    const number = base ? first + 1 : first;
    const { key, changes } = made;
    const changesPath = changes && (await this.#writeChanges(document, key, changes));
    versions.stageNew(unit, document, { ...versionOf(made), number, changesPath });
    const { maxVersions } = this.#deps.docs;
    for (let old = first - maxVersions; old <= number - maxVersions; old += 1) {
      await eraser.stageRemoval(unit, document, old);
    }
    return number;
  }

  /** The versions of a document, newest first: the first is what lies there, also when nobody has kept account of it. */
  async listWith(document: string, path: string): Promise<DocumentNow | undefined> {
    const { versions, eraser, sessions, unitOfWork, files, docs } = this.#deps;
    return unitOfWork(async (unit) => {
      const kept = await versions.list(document, docs.maxVersions);
      const facts = await files.facts(path);
      if (!facts) return undefined;
      const [newest] = kept;
      if (newest && isOf(newest, { path, etag: facts.etag })) {
        return { facts, current: newest, versions: kept };
      }
      const number = await versions.numberAfter(document, newest);
      const current = putFromOutside(number, path, facts);
      const shown = (newest: DocumentVersion): DocumentNow => ({
        ...{ facts, current: newest },
        versions: [newest, ...kept].slice(0, docs.maxVersions),
      });
      // Its save keeps the account of it.
      const own = await ownWriteOf(files, await sessions.keyOf(path), path, facts);
      if (own) return shown({ ...current, userId: own.userId });
      versions.stageNew(unit, document, current);
      await eraser.stageRemoval(unit, document, number - docs.maxVersions);
      return shown(current);
    });
  }

  async #baseOf(
    made: NewVersion,
    document: string,
    newest: DocumentVersion | undefined,
  ): Promise<Omit<DocumentVersion, 'number'> | undefined> {
    const { fileId: path, key, openedAt: at, lastPath } = made;
    const before = replacedBy(made, newest);
    if (!before || (path !== made.path && (await this.documentOf(path)) !== document)) {
      return undefined;
    }
    const { etag, versionId } = before;
    const isOwn = made.path !== path && newest !== undefined && newest.path === lastPath;
    if (isOwn || (newest && isOf(newest, { path, etag }))) return undefined;
    return { key, path, versionId, etag, at, userId: null };
  }

  async #writeChanges(document: string, key: string, changes: Uint8Array): Promise<string> {
    const path = changesPathOf(document, key, changes);
    await this.#deps.files.write(path, changes, contentTypeOf('zip'));
    return path;
  }
}

/** What a version has replaced; an interrupted call has left what is stored now in its place. */
function replacedBy(
  { fileId, path, etag, replaced, openedWith }: NewVersion,
  newest: DocumentVersion | undefined,
): WrittenFile | undefined {
  const isStored = path === fileId && replaced?.etag === etag;
  if (!isStored) return replaced;
  const isOther = openedWith !== undefined && openedWith.etag !== etag;
  return newest === undefined && isOther ? openedWith : undefined;
}

/** A version that no session has made. */
function putFromOutside(
  number: number,
  path: string,
  { etag, versionId, modifiedAt = '' }: FileFacts,
): DocumentVersion {
  const key = createHash('sha256')
    .update(JSON.stringify([path, etag]))
    .digest('base64url');
  return { number, key, path, etag, versionId, at: modifiedAt, userId: null };
}

function versionOf(made: NewVersion): Omit<DocumentVersion, 'number'> {
  const { key, path, versionId, etag, at, userId, history, restoredFrom } = made;
  return { key, path, versionId, etag, at, userId, history, restoredFrom };
}

/** Whether a version is what lies at a path. */
const isOf = (
  version: Pick<DocumentVersion, 'path' | 'etag'>,
  { path, etag }: Pick<DocumentVersion, 'path' | 'etag'>,
): boolean =>
  version.path === path &&
  (version.etag === undefined || etag === undefined || version.etag === etag);
