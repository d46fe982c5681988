import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { SaveRepository } from '../store/save-repository.ts';
import type { EditSession, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { SessionOpenings } from './session-openings.ts';

interface KeyKeeperDependencies {
  readonly sessions: SessionRepository;
  readonly saves: Pick<SaveRepository, 'isUnderWay'>;
  readonly openings: Pick<SessionOpenings, 'keep' | 'stageFirst'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** What is opened. */
export interface OpenedFile {
  readonly fileId: string;
  readonly fileName: string;
  readonly documentId: string;
  readonly tenant: string;
  readonly etag: string;
  readonly versionId?: string | undefined;
}

/** What has ended with a key. */
interface Ended {
  /** Of what is stored now. */
  readonly etag: string;
  readonly versionId?: string | undefined;
  readonly context: Pick<ContextClaims, 'fid' | 'fn' | 'did' | 'tn'>;
  readonly session: EditSession | undefined;
}

/** How long an opening waits for a save that writes the file at this moment (ms), and between two looks. */
const WAIT_MS = 5_000;
const LOOK_MS = 250;

/** Gives files their keys, and makes the next one when what is stored is not what the key stands for. */
export class KeyKeeper {
  readonly #deps: KeyKeeperDependencies;

  constructor(dependencies: KeyKeeperDependencies) {
    this.#deps = dependencies;
  }

  /** The key of a file as it is stored now; of callers at once all get the same. @param known as it was read */
  async currentKey(file: OpenedFile, known: FileKey | undefined): Promise<FileKey> {
    const current = await this.#currentKey(file, known);
    await this.#deps.openings.keep(file, current);
    return current;
  }

  async #currentKey(file: OpenedFile, known: FileKey | undefined): Promise<FileKey> {
    if (isOf(known, file.etag)) return known;
    const settled = known && (await this.#settled(file, known));
    if (settled) return settled;
    const { unitOfWork, sessions } = this.#deps;
    return unitOfWork(async (unit) => {
      const found = await sessions.keyOf(file.fileId);
      return isOf(found, file.etag) ? found : this.#stageNext(unit, file, found);
    });
  }

  /**
   * A save writes the file before its key knows: the key stays that of those who edit. Where the save takes long, or its
   * call has gone, its key goes out too: the next attempt of the save tells.
   */
  async #settled({ fileId, etag }: OpenedFile, known: FileKey): Promise<FileKey | undefined> {
    const { saves, sessions, pause = sleep } = this.#deps;
    if (!(await saves.isUnderWay(known.key))) return undefined;
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
      await pause(LOOK_MS);
      const found = await sessions.keyOf(fileId);
      const isKept = found?.key === known.key;
      if (isOf(found, etag)) return found;
      if (!isKept || !(await saves.isUnderWay(known.key))) return undefined;
    }
    return known;
  }

  /** Stages the next key of a file, whose sessions have ended. */
  stageRotation(unit: UnitOfWork, current: FileKey, ended: Ended): FileKey {
    const { context, session, etag, versionId } = ended;
    const { fid: fileId, fn: fileName, did: documentId, tn } = context;
    // Whoever saves may be of another tenant than whoever has opened it first.
    const tenant = (documentId === session?.documentId ? session.tenant : tn) ?? '';
    return this.#stageNext(
      unit,
      { fileId, fileName, documentId, tenant, etag, versionId },
      current,
    );
  }

  #stageNext(unit: UnitOfWork, file: OpenedFile, before: FileKey | undefined): FileKey {
    const rev = (before?.rev ?? 0) + 1;
    const key = newKey(file, rev);
    const version = (before?.version ?? 0) + 1;
    const { converted } = before ?? {};
    return this.#deps.openings.stageFirst(unit, file, {
      ...{ fileId: file.fileId, key, rev, version },
      ...{ baseEtag: file.etag, baseVersionId: file.versionId },
      ...(converted && { converted }),
    });
  }
}

const isOf = (known: FileKey | undefined, etag: string): known is FileKey =>
  known !== undefined && (etag === known.baseEtag || etag === known.ourEtag);

/** Nobody can guess a key, and no other application of the same editing server makes the same. */
function newKey({ tenant, fileId }: OpenedFile, rev: number): string {
  const hmac = createHmac('sha256', randomBytes(32));
  return hmac.update(JSON.stringify([tenant, fileId, rev])).digest('base64url');
}
