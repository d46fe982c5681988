import { FileChangedError, type Files } from '../../../shared/files/files.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { withoutWrite } from '../opening/own-writes.ts';
import type { BegunWrite, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';

interface WriteIntentsDependencies {
  readonly sessions: SessionRepository;
  readonly files: Pick<Files, 'checksAtOnce'>;
  readonly unitOfWork: RunUnitOfWork;
  /** The machine's clock: tenants share leases. */
  readonly clock: Clock;
}

/** Another save writes the document, and its storage cannot tell which one comes last. */
export class WriteBusy extends Error {}

/** Writes of calls that have ended and are remembered at once. */
const MOST_WRITES = 4;
const MOST_TRIES = 4;

/** Stores what is about to be written, with the key of its file. */
export class WriteIntents {
  readonly #deps: WriteIntentsDependencies;

  constructor(dependencies: WriteIntentsDependencies) {
    this.#deps = dependencies;
  }

  /** The key of a file; of one that was never opened a place for its writes, which nobody edits under. */
  async #keyAt(fileId: string): Promise<FileKey> {
    const known = await this.#deps.sessions.keyOf(fileId);
    return known ?? { fileId, key: '', rev: 0, baseEtag: '', version: 0 };
  }

  /** Stores a write with the key of a file as it is: somebody who opens the file changes that, too. @throws as `store` */
  async storeAt(fileId: string, write: BegunWrite): Promise<FileKey> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.store(await this.#keyAt(fileId), write);
      } catch (error) {
        if (!(error instanceof FileChangedError) || tries === MOST_TRIES) throw error;
      }
    }
  }

  /**
   * Stores a write in place of the earlier one of its call.
   * @param fileKey as it was read
   * @throws FileChangedError when it is another one meanwhile; WriteBusy
   */
  async store(fileKey: FileKey, write: BegunWrite): Promise<FileKey> {
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
        const otherwise = () => new FileChangedError(fileKey.fileId);
        // Who finds its own one there plans anew, and replaces it.
        sessions.stageKey(unit, next, { otherwise, isPlain: true });
      }),
    );
    return next;
  }

  /** Where the write of a call goes that is beside its document: others may write there, too. */
  turnOf(fileKey: FileKey, owner: string): string | undefined {
    if (this.#deps.files.checksAtOnce) return undefined;
    const path = fileKey.writes?.find((write) => write.owner === owner)?.path;
    return path === fileKey.fileId ? undefined : path;
  }

  /** Of the saves of several documents to one place, one writes at a time. @throws FileChangedError, WriteBusy */
  async takeTurn(fileKey: FileKey, owner: string): Promise<void> {
    const path = this.turnOf(fileKey, owner);
    const write = fileKey.writes?.find((each) => each.owner === owner);
    if (path === undefined || !write) return;
    // The account of it is kept with its document.
    await this.storeAt(path, { ...write, key: '', hash: '' });
  }

  async endTurn(path: string, owner: string): Promise<void> {
    await this.#deps.unitOfWork((unit) => this.stageTurnEnded(unit, path, owner));
  }

  async stageTurnEnded(unit: UnitOfWork, path: string, owner: string): Promise<void> {
    const { sessions } = this.#deps;
    const fileKey = await sessions.keyOf(path);
    if (!fileKey?.writes?.some((write) => write.owner === owner)) return;
    sessions.stageKey(unit, { ...withoutWrite(fileKey, owner), version: fileKey.version + 1 });
  }
}
