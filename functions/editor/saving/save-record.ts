import type { Files } from '../../../shared/files/files.ts';
import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type Callback, type DeliveredSave, isTerminal } from '../domain/callback.ts';
import { DOCS_TOPICS, type SavedPayload, type SaveFailedPayload } from '../events.ts';
import type { KeyKeeper } from '../opening/key-keeper.ts';
import type { EditSession, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { StoredDocument } from './save-writer.ts';

interface SaveRecordDependencies {
  readonly sessions: SessionRepository;
  readonly keys: KeyKeeper;
  readonly files: Files;
  readonly events: Pick<EventPublisher, 'publish'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly metrics: { saveFailed(): void };
}

/** What was stored, and whose key is used up by it. */
interface Saved {
  readonly context: Pick<ContextClaims, 'fid' | 'fn' | 'did' | 'key' | 'tn'>;
  readonly callback: Pick<DeliveredSave, 'userId' | 'forceSaveType'> & { readonly status: number };
  readonly stored: StoredDocument;
  readonly sentHash: string;
  /** As it was read; the unit runs again when it is another one meanwhile. */
  readonly session: EditSession | undefined;
  /** `undefined`: the key is not that of the file any more. */
  readonly fileKey: FileKey | undefined;
  /** Whether the editing goes on, although it had been reported to have ended. */
  readonly goesOn?: boolean | undefined;
}

type Presence = Extract<Callback, { kind: 'presence' }>;

/** What passes by itself. */
const PASSES: ReadonlySet<string> = new Set(['CONCURRENT_UPDATE', 'SERVICE_UNAVAILABLE']);
const MAX_FAILURES = 10;

/** Keeps account of sessions: who edits, what was saved, what has failed. */
export class SaveRecord {
  readonly #deps: SaveRecordDependencies;

  constructor(dependencies: SaveRecordDependencies) {
    this.#deps = dependencies;
  }

  /** Stages that a document is stored: session, key and event, all or nothing. */
  async stageSaved(unit: UnitOfWork, saved: Saved): Promise<void> {
    const { sessions, clock, events } = this.#deps;
    const { context, callback, stored, session, fileKey, sentHash } = saved;
    const { status, userId, forceSaveType } = callback;
    const at = toInstant(clock.now());
    const { path, sizeBytes, hash, conflict, warnings } = stored;
    if (session) {
      const lastSave = { at, status, userId, path, sizeBytes, hash, conflict, warnings };
      const ended = hasEnded(saved) && { state: stateAfter(status), users: [] };
      sessions.stage(
        unit,
        next(session, at, { lastSave, sentHash, recovery: undefined, ...ended }),
      );
    }
    if (fileKey) await this.#stageKey(unit, saved, fileKey);
    const payload: SavedPayload = {
      ...{ documentId: context.did, editedFilePath: path, status, key: context.key },
      ...{ userId, forceSaveType, conflict, isTerminal: hasEnded(saved) },
    };
    await events.publish(DOCS_TOPICS.saved, context.did, payload);
  }

  async #stageKey(unit: UnitOfWork, saved: Saved, fileKey: FileKey): Promise<void> {
    const { context, stored, sentHash, session } = saved;
    const { sessions, keys, files } = this.#deps;
    const isOwn = stored.path === context.fid;
    const known = isOwn && stored.etag !== undefined;
    const facts = known ? stored : await files.facts(context.fid);
    const { etag = fileKey.baseEtag, versionId } = facts ?? {};
    const { converted = fileKey.converted } = stored;
    const kept = { ...fileKey, ...(converted && { converted }) };
    if (hasEnded(saved)) {
      keys.stageRotation(unit, kept, { etag, versionId, context, session });
      return;
    }
    const version = fileKey.version + 1;
    const ours = isOwn ? { ourEtag: etag, sentHash } : {};
    sessions.stageKey(unit, { ...kept, ...ours, version });
  }

  /** Who edits now. Where too many come at once the next report tells: an editor shows a refusal to its user. */
  async presence(context: ContextClaims, report: Presence): Promise<void> {
    try {
      await this.#keepPresence(context, report);
    } catch (cause) {
      if (!(cause instanceof Problem) || !PASSES.has(cause.code)) throw cause;
      this.#deps.log.warn('The editors of a document could not be stored', { code: cause.code });
    }
  }

  async #keepPresence({ key, fid }: ContextClaims, { status, users }: Presence): Promise<void> {
    const { sessions, unitOfWork, clock } = this.#deps;
    const state = status === 1 ? 'OPEN' : 'CLOSED';
    await unitOfWork(async (unit) => {
      const session = await sessions.find(key);
      if (!session || session.state === 'SAVED') return;
      // What failed for good leaves the key as it was: whoever edits under it again is in the session again.
      if (session.state === 'FAILED' && (await sessions.keyOf(fid))?.key !== key) return;
      const isSame = session.state === state && session.users.join('\n') === users.join('\n');
      if (isSame) return;
      const present = status === 1 ? users : [];
      sessions.stage(unit, next(session, toInstant(clock.now()), { state, users: present }));
    });
  }

  /** What was edited is lost, or left with the editing server: the key is used up. */
  async lost(
    context: ContextClaims,
    { status }: Extract<Callback, { kind: 'lost' }>,
  ): Promise<void> {
    const { sessions, unitOfWork, keys, files, log } = this.#deps;
    const reason = 'DOCS_CONVERSION_FAILED';
    const isNew = await unitOfWork(async (unit) => {
      const [session, fileKey] = await Promise.all([
        sessions.find(context.key),
        sessions.keyOf(context.fid),
      ]);
      if (session?.state === 'SAVED' || session?.state === 'FAILED') return false;
      await this.#stageFailure(unit, { context, session, status, reason, isFinal: status === 3 });
      if (status === 3 && fileKey?.key === context.key) {
        const etag = (await files.facts(context.fid))?.etag ?? fileKey.baseEtag;
        keys.stageRotation(unit, fileKey, { etag, context, session });
      }
      return true;
    });
    if (!isNew) return;
    log.error('The editing server could not save a document', { code: reason });
    this.#deps.metrics.saveFailed();
  }

  /** Why a save was not stored; never fails itself: the answer to the save comes first. */
  async failed(context: ContextClaims, status: number, cause: unknown): Promise<void> {
    const { sessions, unitOfWork, log, metrics } = this.#deps;
    const isKnown = cause instanceof Problem;
    const reason = isKnown ? cause.code : 'DOCS_SAVE_FAILED';
    metrics.saveFailed();
    const isFinal = isKnown && cause.status < 500 && isTerminal(status);
    try {
      await unitOfWork(async (unit) => {
        const session = await sessions.find(context.key);
        await this.#stageFailure(unit, { context, session, status, reason, isFinal });
      });
    } catch (error) {
      log.error('A failed save could not be recorded', { code: reason, cause: error });
    }
  }

  async #stageFailure(
    unit: UnitOfWork,
    { context, session, status, reason, isFinal }: Failure,
  ): Promise<void> {
    const { sessions, clock, events } = this.#deps;
    const at = toInstant(clock.now());
    if (session) {
      const failures = [...session.failures, { at, status, reason }].slice(-MAX_FAILURES);
      const ended = isFinal && { state: 'FAILED' as const, users: [] };
      sessions.stage(unit, next(session, at, { failures, ...ended }));
    }
    const payload: SaveFailedPayload = {
      ...{ documentId: context.did, fileId: context.fid, status, key: context.key, reason },
      isTerminal: isTerminal(status),
    };
    await events.publish(DOCS_TOPICS.saveFailed, context.did, payload);
  }
}

const hasEnded = ({ callback, goesOn }: Saved): boolean => !goesOn && isTerminal(callback.status);

interface Failure {
  readonly context: ContextClaims;
  readonly session: EditSession | undefined;
  readonly status: number;
  readonly reason: string;
  /** Whether nothing more comes of the session. */
  readonly isFinal: boolean;
}

const stateAfter = (status: number) => (status === 3 ? ('FAILED' as const) : ('SAVED' as const));

const next = (session: EditSession, at: string, change: Partial<EditSession>): EditSession => ({
  ...session,
  ...change,
  changedAt: at,
  version: session.version + 1,
});
