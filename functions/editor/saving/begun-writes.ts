import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { withoutWrite } from '../opening/own-writes.ts';
import { LEASE_MS } from '../store/save-repository.ts';
import type {
  BegunWrite,
  FileKey,
  RestoredContent,
  WrittenContent,
} from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { StoredDocument } from './save-writer.ts';
import type { SaveWork } from './saves-elsewhere.ts';
import type { WriteIntents } from './write-intents.ts';

interface BegunWritesDependencies {
  readonly intents: WriteIntents;
  readonly sessions: SessionRepository;
  readonly unitOfWork: RunUnitOfWork;
  /** The machine's clock: tenants share leases. */
  readonly clock: Clock;
}

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
    const { intents, clock } = this.#deps;
    const write = writeOf(work, sentHash, content, clock.now());
    const left = intents.turnOf(fileKey, write.owner);
    const next = await intents.store(fileKey, write);
    if (left !== undefined && left !== write.path) await intents.endTurn(left, write.owner);
    await intents.takeTurn(next, write.owner);
    return next;
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
    const { intents, clock } = this.#deps;
    const now = clock.now();
    await intents.storeAt(content.path, {
      ...{ ...content, ...restoration, identity: '', sentHash: '' },
      ...{ leaseUntil: now + LEASE_MS, at: toInstant(now), status: ENDED, forceSaveType: null },
    });
  }

  /** Whether the account of a write is kept, and by somebody else: it has gone from its place. */
  async isFinished(fileId: string, owner: string): Promise<boolean> {
    const fileKey = await this.#deps.sessions.keyOf(fileId);
    return !fileKey?.writes?.some((write) => write.owner === owner);
  }

  /**
   * Stages that the write of a save has ended with its account.
   * @returns the key of the file without it; `undefined` when it is not that of the save
   */
  async stageEnded(
    unit: UnitOfWork,
    { plan, claim: { owner } }: SaveWork,
    fileKey: FileKey | undefined,
    { conflict }: Pick<StoredDocument, 'conflict'>,
  ): Promise<FileKey | undefined> {
    if (!fileKey) return undefined;
    const { intents, sessions, clock } = this.#deps;
    const turn = intents.turnOf(fileKey, owner);
    if (turn !== undefined) await intents.stageTurnEnded(unit, turn, owner);
    if (!plan.isStale) {
      if (conflict) return withoutWrite(fileKey, owner);
      return withLiveWrites(fileKey, owner, clock.now());
    }
    const isBegun = fileKey.writes?.some((write) => write.owner === owner);
    const next = { ...withoutWrite(fileKey, owner), version: fileKey.version + 1 };
    if (isBegun) sessions.stageKey(unit, next);
    return undefined;
  }

  /** Lets others write a document at once; what was written may lie there. */
  async release(fileId: string, owner: string): Promise<void> {
    const { intents, sessions, unitOfWork } = this.#deps;
    await unitOfWork(async (unit) => {
      const fileKey = await sessions.keyOf(fileId);
      if (!fileKey?.writes?.some((write) => write.owner === owner)) return;
      const turn = intents.turnOf(fileKey, owner);
      if (turn !== undefined) await intents.stageTurnEnded(unit, turn, owner);
      const writes = fileKey.writes.map((write) =>
        write.owner === owner ? { ...write, leaseUntil: 0 } : write,
      );
      sessions.stageKey(unit, { ...fileKey, writes, version: fileKey.version + 1 });
    });
  }
}

/** A key of a file whose sessions have written it: what others are writing at the same time stays known. */
function withLiveWrites(fileKey: FileKey, owner: string, now: number): FileKey {
  const { writes: _, ...rest } = fileKey;
  const live = (fileKey.writes ?? []).filter(
    (write) => write.owner !== owner && write.leaseUntil > now,
  );
  return { ...rest, ...(live.length > 0 && { writes: live }) };
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
