import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import {
  digestOf,
  isAmong,
  isKeptLongEnough,
  keptUntil,
  type OpenedAs,
  withOpening,
} from '../domain/openings.ts';
import type { EditSession, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';

interface SessionOpeningsDependencies {
  readonly sessions: SessionRepository;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly docs: { readonly callbackContextTokenExpiration: number };
}

/** What is opened, by which name. */
interface Opened extends OpenedAs {
  readonly fileId: string;
  readonly fileName: string;
}

/** Keeps account of the documents that a session was opened as: each of them shows it. */
export class SessionOpenings {
  readonly #deps: SessionOpeningsDependencies;

  constructor(dependencies: SessionOpeningsDependencies) {
    this.#deps = dependencies;
  }

  /** Stages a session that begins, and its key with it. */
  stageFirst(unit: UnitOfWork, opened: Opened, fileKey: Omit<FileKey, 'openings'>): FileKey {
    const { sessions } = this.#deps;
    const until = this.#keptUntil();
    const openings = { digests: [digestOf(opened)], keptUntil: until };
    const next = { ...fileKey, openings };
    sessions.stageKey(unit, next);
    sessions.stageNew(unit, this.#sessionOf(opened, next, until));
    return next;
  }

  /** Keeps the session of a key with a document that it is opened as; once, and anew before its time is over. */
  async keep(opened: Opened, fileKey: FileKey): Promise<void> {
    if (this.#isKept(opened, fileKey)) return;
    const { unitOfWork, sessions } = this.#deps;
    await unitOfWork(async (unit) => {
      const found = await sessions.keyOf(opened.fileId);
      if (found?.key !== fileKey.key || this.#isKept(opened, found)) return;
      const session = await sessions.find(found.key);
      const openings = this.#isInTime(found) ? found.openings : undefined;
      const known = openings ?? { digests: [], keptUntil: this.#keptUntil() };
      const version = found.version + 1;
      const next = { ...found, version, openings: withOpening(known, digestOf(opened)) };
      sessions.stageKey(unit, next);
      this.#stageSession(unit, { opened, fileKey: next, session, until: known.keptUntil });
    });
  }

  #stageSession(
    unit: UnitOfWork,
    work: {
      readonly opened: Opened;
      readonly fileKey: FileKey;
      readonly session: EditSession | undefined;
      readonly until: number;
    },
  ): void {
    const { sessions, clock } = this.#deps;
    const { opened, fileKey, session, until } = work;
    if (!session) {
      sessions.stageNew(unit, this.#sessionOf(opened, fileKey, until));
      return;
    }
    const { version, ttl } = session;
    if (ttl < until) sessions.stage(unit, { ...session, version: version + 1, ttl: until });
    if (digestOf(session) === digestOf(opened)) return;
    const openedAt = toInstant(clock.now());
    sessions.stageOpening(unit, session.key, { ...opened, openedAt, ttl: until });
  }

  #isKept(opened: Opened, fileKey: FileKey): boolean {
    const { openings } = fileKey;
    return openings !== undefined && this.#isInTime(fileKey) && isAmong(openings, digestOf(opened));
  }

  #isInTime({ openings }: FileKey): boolean {
    const { clock, docs } = this.#deps;
    const life = docs.callbackContextTokenExpiration;
    return openings !== undefined && isKeptLongEnough(openings.keptUntil, clock.now(), life);
  }

  #keptUntil(): number {
    const { clock, docs } = this.#deps;
    return keptUntil(clock.now(), docs.callbackContextTokenExpiration);
  }

  #sessionOf(
    { fileId, fileName, documentId, tenant }: Opened,
    { key, rev }: FileKey,
    ttl: number,
  ): EditSession {
    const at = toInstant(this.#deps.clock.now());
    return {
      ...{ key, rev, fileId, fileName, documentId, tenant, state: 'NEW', users: [] },
      ...{ openedAt: at, changedAt: at, failures: [], version: 1, ttl },
    };
  }
}
