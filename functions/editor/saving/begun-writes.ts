import { FileChangedError, type Files } from '../../../shared/files/files.ts';
import type { BoundPort } from '../../../shared/module/bind-port.ts';
import type { WrittenFile } from '../../../shared/ports/documents.ts';
import type { EditedDocuments } from '../../../shared/ports/templates.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { titleOf } from '../domain/file-id.ts';
import type { RestoreRecord } from '../history/restore-record.ts';
import { ownWriteOf, withoutWrite } from '../opening/own-writes.ts';
import { LEASE_MS, type SaveRepository } from '../store/save-repository.ts';
import type {
  BegunWrite,
  FileKey,
  RestoredContent,
  WrittenContent,
} from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { SaveRecord } from './save-record.ts';
import type { StoredDocument } from './save-writer.ts';
import type { SavedVersions } from './saved-versions.ts';
import type { SaveWork } from './saves-elsewhere.ts';

interface BegunWritesDependencies {
  readonly sessions: SessionRepository;
  readonly saves: SaveRepository;
  readonly record: SaveRecord;
  readonly versions: SavedVersions;
  readonly restorations: Pick<RestoreRecord, 'stage'>;
  readonly documents: BoundPort<EditedDocuments>;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  /** The machine's clock: tenants share leases. */
  readonly clock: Clock;
}

/** Another save writes the document, and its storage cannot tell which one comes last. */
export class WriteBusy extends Error {}

/** Writes of calls that have ended and are remembered at once. */
const MOST_WRITES = 4;
/** Whoever restores a version leaves nothing open. */
const ENDED = 2;

/**
 * Says what a save writes before it does: whoever finds it there knows whose it is when the call has ended in between, and
 * keeps the account in its place. One save at a time writes a document where the storage cannot check and write in one step.
 */
export class BegunWrites {
  readonly #deps: BegunWritesDependencies;

  constructor(dependencies: BegunWritesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @param fileKey as it was read
   * @returns the key of the file as it is stored with it
   * @throws FileChangedError when it is another one meanwhile; WriteBusy
   */
  async begin(
    work: SaveWork,
    sentHash: string,
    content: WrittenContent,
    fileKey: FileKey,
  ): Promise<FileKey> {
    return this.#begin(fileKey, writeOf(work, sentHash, content, this.#deps.clock.now()));
  }

  /**
   * As `begin`, for an old version that is written again, also of a file that was never opened.
   * @throws FileChangedError, WriteBusy
   */
  async beginRestoration(
    restoration: Pick<BegunWrite, 'owner' | 'key' | 'userId' | 'documentId' | 'replaced'> & {
      readonly restored: RestoredContent;
    },
    content: WrittenContent,
  ): Promise<void> {
    const now = this.#deps.clock.now();
    await this.#begin(await this.#keyAt(content.path), {
      ...{ ...content, ...restoration, identity: '', sentHash: '' },
      ...{ leaseUntil: now + LEASE_MS, at: toInstant(now), status: ENDED, forceSaveType: null },
    });
  }

  /** The key of a file; of one that was never opened a place for its writes, which nobody edits under. */
  async #keyAt(fileId: string): Promise<FileKey> {
    const known = await this.#deps.sessions.keyOf(fileId);
    return known ?? { fileId, key: '', rev: 0, baseEtag: '', version: 0 };
  }

  /** Whether the account of a write is kept, and by somebody else: it has gone from its place. */
  async isFinished(fileId: string, owner: string): Promise<boolean> {
    const fileKey = await this.#deps.sessions.keyOf(fileId);
    return !fileKey?.writes?.some((write) => write.owner === owner);
  }

  async #begin(fileKey: FileKey, write: BegunWrite): Promise<FileKey> {
    const { sessions, unitOfWork, files, clock } = this.#deps;
    const { owner } = write;
    const now = clock.now();
    const others = (fileKey.writes ?? []).filter((write) => write.owner !== owner);
    const isBusy = others.some(({ leaseUntil }) => leaseUntil > now);
    if (isBusy && !files.checksAtOnce) throw new WriteBusy();
    const writes = [...others.slice(-MOST_WRITES), write];
    const next = { ...fileKey, writes, version: fileKey.version + 1 };
    await apart(() =>
      unitOfWork(async (unit) => {
        sessions.stageKey(unit, next, () => new FileChangedError(fileKey.fileId));
      }),
    );
    return next;
  }

  /**
   * Stages that the write of a save has ended with its account.
   * @returns the key of the file without it; `undefined` when it is not that of the save
   */
  stageEnded(
    unit: UnitOfWork,
    { plan, claim: { owner } }: SaveWork,
    fileKey: FileKey | undefined,
    { conflict }: Pick<StoredDocument, 'conflict'>,
  ): FileKey | undefined {
    if (!fileKey) return undefined;
    if (!plan.isStale) return conflict ? withoutWrite(fileKey, owner) : withoutWrites(fileKey);
    const isBegun = fileKey.writes?.some((write) => write.owner === owner);
    const next = { ...withoutWrite(fileKey, owner), version: fileKey.version + 1 };
    if (isBegun) this.#deps.sessions.stageKey(unit, next);
    return undefined;
  }

  /** Lets others write a document at once; what was written may lie there. */
  async release(fileId: string, owner: string): Promise<void> {
    const { sessions, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const fileKey = await sessions.keyOf(fileId);
      if (!fileKey?.writes?.some((write) => write.owner === owner)) return;
      const writes = fileKey.writes.map((write) =>
        write.owner === owner ? { ...write, leaseUntil: 0 } : write,
      );
      sessions.stageKey(unit, { ...fileKey, writes, version: fileKey.version + 1 });
    });
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

/** A key of a file whose sessions have written it, all of them. */
function withoutWrites({ writes: _, ...fileKey }: FileKey): FileKey {
  return fileKey;
}

function writeOf(
  { context, callback, claim, stored, plan }: SaveWork,
  sentHash: string,
  content: WrittenContent,
  now: number,
): BegunWrite {
  const { status, userId, forceSaveType } = callback;
  const isHome = content.path === plan.home.path;
  return {
    ...content,
    ...{ key: context.key, identity: claim.identity, owner: claim.owner },
    ...{ leaseUntil: now + LEASE_MS, at: toInstant(now), sentHash },
    ...{ status, userId, forceSaveType, documentId: context.did },
    ...(isHome && stored && { replaced: { etag: stored.etag, versionId: stored.versionId } }),
  };
}
