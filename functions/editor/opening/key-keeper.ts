import { createHmac, randomBytes } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import type { WrittenFile } from '../../../shared/ports/documents.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { apart, type RunUnitOfWork, type UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { BegunWrite, EditSession, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import { ownWriteOf } from './own-writes.ts';
import type { SessionOpenings } from './session-openings.ts';

interface KeyKeeperDependencies {
  readonly sessions: SessionRepository;
  readonly openings: Pick<SessionOpenings, 'keep' | 'stageFirst'>;
  readonly files: Pick<Files, 'facts' | 'open'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  /** Keeps the account of a write whose call has not. */
  finish(fileId: string, write: BegunWrite, stored: WrittenFile): Promise<unknown>;
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
    const { unitOfWork } = this.#deps;
    return unitOfWork(async (unit) => {
      const { found, now, isOwn } = await this.#look(file);
      return found && isOwn ? found : this.#stageNext(unit, now, found);
    });
  }

  /** A save writes the file before its key knows: the key stays that of those who edit, also when its call has gone. */
  async #look(file: OpenedFile) {
    const { sessions, files } = this.#deps;
    const { fileId } = file;
    for (;;) {
      const before = await sessions.keyOf(fileId);
      const facts = before && (await files.facts(fileId));
      if (!facts) return { found: before, now: file, isOwn: isOf(before, file.etag) };
      const { version } = before;
      const { etag, versionId } = facts;
      const now = { ...file, etag, versionId };
      if (isOf(before, etag)) return { found: before, now, isOwn: true };
      // Whoever has put it there has said so before.
      const found = await sessions.keyOf(fileId);
      const own = await ownWriteOf(files, found, fileId, facts);
      if (own?.restored) {
        // It ends the key; whoever edits goes on under the next one.
        await apart(() => this.#deps.finish(fileId, own, facts));
        continue;
      }
      const isOwn = own !== undefined;
      if (isOwn || found?.version === version) return { found, now, isOwn };
    }
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
    const { converted, writes = [] } = before ?? {};
    const nowMs = this.#deps.clock.now();
    const live = writes.filter((write) => write.leaseUntil > nowMs || write.restored !== undefined);
    return this.#deps.openings.stageFirst(unit, file, {
      ...{ fileId: file.fileId, key, rev, version },
      ...{ baseEtag: file.etag, baseVersionId: file.versionId },
      ...(converted && { converted }),
      ...(live.length > 0 && { writes: live }),
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
