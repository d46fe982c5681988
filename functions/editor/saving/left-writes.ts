import type { Files } from '../../../shared/files/files.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { WrittenFile } from '../../../shared/ports/documents.ts';
import type { EditedDocuments } from '../../../shared/ports/templates.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { titleOf } from '../domain/file-id.ts';
import { ownWriteOf, withoutWrite } from '../opening/own-writes.ts';
import type { SaveRepository } from '../store/save-repository.ts';
import type { BegunWrite, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { SaveRecord } from './save-record.ts';
import type { StoredDocument } from './save-writer.ts';
import type { SavedVersions } from './saved-versions.ts';

interface LeftWritesDependencies {
  readonly sessions: SessionRepository;
  readonly saves: SaveRepository;
  readonly record: SaveRecord;
  readonly versions: SavedVersions;
  readonly restorations: { stage(unit: UnitOfWork, restored: RestoredWrite): Promise<void> };
  readonly documents: BoundPort<EditedDocuments>;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  /** The machine's clock: tenants share leases. */
  readonly clock: Clock;
}

/** A version that is restored. */
export interface RestoredWrite {
  /** What it takes the place of. */
  readonly fileId: string;
  readonly fileName: string;
  readonly documentId: string;
  readonly replaced?: WrittenFile | undefined;
  /** Number of the version. */
  readonly version: number;
  /** Of the version that was the newest one. */
  readonly key: string;
  readonly userId: string | null;
  /** Of who restores it; empty: none. */
  readonly tenant: string;
  /** Who writes. */
  readonly owner: string;
  readonly path: string;
  /** Absent: at a path that nothing else is ever written to. */
  readonly written: WrittenFile | undefined;
}

/** Writes whose calls have ended before they could keep the account of them. */
export class LeftWrites {
  readonly #deps: LeftWritesDependencies;

  constructor(dependencies: LeftWritesDependencies) {
    this.#deps = dependencies;
  }

  /** Keeps the account of what lies at a path, where its call has ended without doing so. */
  async settle(fileId: string): Promise<void> {
    const { sessions, files, clock } = this.#deps;
    const fileKey = await sessions.keyOf(fileId);
    const facts = fileKey?.writes && (await files.facts(fileId));
    if (!facts || facts.etag === fileKey.ourEtag || facts.etag === fileKey.baseEtag) return;
    const write = await ownWriteOf(files, fileKey, fileId, facts);
    // A restoration whose account is kept has nothing left to do.
    const isFree = write && (write.restored !== undefined || write.leaseUntil <= clock.now());
    if (isFree) await this.finish(fileId, write, facts);
  }

  /**
   * Keeps the account of a write whose call has not: its event, its version, and what another module knows of it. The
   * editing goes on: its key stays.
   * @returns the key of the file with it; `undefined` when somebody else was faster
   */
  async finish(
    fileId: string,
    write: BegunWrite,
    stored: WrittenFile,
  ): Promise<FileKey | undefined> {
    const { sessions, saves, record, versions, unitOfWork } = this.#deps;
    const { path, identity, owner } = write;
    await unitOfWork(async (unit) => {
      const fileKey = await sessions.keyOf(fileId);
      const key = write.restored ? (fileKey?.key ?? '') : write.key;
      const session = key === '' ? undefined : await sessions.find(key);
      const isLeft = fileKey?.writes?.some((each) => each.owner === owner && each.path === path);
      if (!fileKey || !isLeft) return;
      const isTaken = await this.#takeElsewhere(unit, fileId, write, stored);
      if (!isTaken) {
        sessions.stageKey(unit, { ...withoutWrite(fileKey, owner), version: fileKey.version + 1 });
        return;
      }
      const { restored } = write;
      if (restored) {
        const fileName = session?.fileName ?? titleOf('', fileId);
        await this.#deps.restorations.stage(unit, {
          ...{ ...write, ...restored, path, fileId, fileName, written: stored },
        });
        return;
      }
      saves.stageFinished(unit, { key, identity, owner });
      const document: StoredDocument = {
        ...{ path, sizeBytes: write.sizeBytes, hash: write.hash, warnings: write.warnings },
        ...{ conflict: false, etag: stored.etag, versionId: stored.versionId },
        ...(path !== fileId && { converted: { path, etag: stored.etag } }),
      };
      const { status, userId, forceSaveType, documentId, sentHash, replaced } = write;
      const about = { fid: fileId, key, did: documentId, fn: session?.fileName ?? '' };
      const callback = { status, userId, forceSaveType };
      await record.stageSaved(unit, {
        ...{ context: about, callback, stored: document, sentHash, session },
        ...{ fileKey: withoutWrite(fileKey, owner), goesOn: true },
      });
      const home = { path };
      await versions.stage(
        unit,
        { context: about, callback, plan: { home }, fileKey, session, stored: replaced },
        document,
        undefined,
      );
    });
    return sessions.keyOf(fileId);
  }

  async #takeElsewhere(
    unit: UnitOfWork,
    fileId: string,
    { path, sizeBytes, hash, userId, restored }: BegunWrite,
    stored: WrittenFile,
  ): Promise<boolean> {
    const { documents } = this.#deps;
    if (path !== fileId || !documents.isOn) return true;
    const saved = await documents.use().save(unit, {
      ...{ fileId, userId: userId ?? 'system', isTerminal: restored !== undefined },
      ...(restored && { restoredFrom: restored.path }),
      content: { sizeBytes, hash, isStored: true, write: async () => stored },
    });
    return saved !== 'conflict';
  }
}
