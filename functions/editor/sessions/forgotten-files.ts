import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { isKey } from '../domain/editor-key.ts';
import { isDue, recoveryAfter } from '../domain/recovery.ts';
import type { SaveDownload } from '../downloads/save-download.ts';
import type { SaveRecord } from '../saving/save-record.ts';
import type { SaveService } from '../saving/save-service.ts';
import type { RecoveryProgress } from '../store/recovery-progress.ts';
import type { EditSession } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import { COMMAND_ERRORS, type CommandClient } from './command-client.ts';

interface ForgottenFilesDependencies {
  readonly commands: CommandClient;
  readonly sessions: SessionRepository;
  readonly progress: RecoveryProgress;
  readonly saving: Pick<SaveService, 'save'>;
  readonly download: Pick<SaveDownload, 'addressOf' | 'hashOf'>;
  readonly record: Pick<SaveRecord, 'failed'>;
  readonly unitOfWork: RunUnitOfWork;
  /** The machine's clock. */
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'info'>;
}

/** What a run has done. */
interface RecoveryReport {
  readonly found: number;
  readonly recovered: number;
  readonly failed: number;
}

/** Documents of one run, keys that are looked at, and how long it begins with another one; the next run goes on. */
const MOST_IN_A_RUN = 20;
const MOST_LOOKED_AT = 1_000;
const AT_ONCE = 100;
const BEGINS_MS = 8_000;
/** The status of a document at the end of its editing. */
const ENDED = 2;

/** Fetches documents that the editing server could not deliver: it keeps them, and tells nobody. */
export class ForgottenFiles {
  readonly #deps: ForgottenFilesDependencies;

  constructor(dependencies: ForgottenFilesDependencies) {
    this.#deps = dependencies;
  }

  async recover(): Promise<RecoveryReport> {
    const { commands, progress, clock, log } = this.#deps;
    const until = clock.now() + BEGINS_MS;
    const { keys: all = [] } = await commands.send({ c: 'getForgottenList' });
    const keys = all.filter(isKey);
    const report = { found: 0, recovered: 0, failed: 0 };
    for await (const session of this.#ownOf(behind(keys, await progress.after()))) {
      if (!isDue(session.recovery, clock.now())) continue;
      // What ends the function does not keep the next run from others.
      await progress.keep(session.key);
      report.found += 1;
      try {
        const outcome = await this.#recoverOne(session);
        if (outcome !== 'left') report[outcome] += 1;
      } catch (cause) {
        report.failed += 1;
        log.error('A document that was left open could not be checked', { cause });
      }
      if (report.found === MOST_IN_A_RUN || clock.now() >= until) break;
    }
    return report;
  }

  /** Other applications of the same editing server have keys too. */
  async *#ownOf(keys: readonly string[]): AsyncGenerator<EditSession> {
    const { sessions, progress } = this.#deps;
    for (let at = 0; at < Math.min(keys.length, MOST_LOOKED_AT); at += AT_ONCE) {
      const looked = keys.slice(at, at + AT_ONCE);
      const own = await sessions.findMany(looked);
      for (const key of looked) {
        const session = own.get(key);
        if (session) yield session;
      }
      await progress.keep(looked.at(-1) ?? '');
    }
  }

  /** Whether somebody edits it again under its key: what was forgotten is in what is saved then. */
  async #isEdited({ key, state, users }: EditSession): Promise<boolean> {
    if (state !== 'OPEN' || users.length === 0) return false;
    const { commands, sessions } = this.#deps;
    const { error } = await commands.send({ c: 'info', key });
    if (error !== COMMAND_ERRORS.none) return false;
    // The editing server has reported who edits.
    const found = await sessions.find(key);
    return found?.state === 'OPEN' && found.users.length > 0;
  }

  /** Over the document while it is the one that the session was opened with, else beside it. */
  async #recoverOne(session: EditSession): Promise<'recovered' | 'failed' | 'left'> {
    const { key } = session;
    if (await this.#isEdited(session)) return 'left';
    const url = await this.#urlOf(key);
    if (url === undefined) return 'left';
    const hash = await this.#store(session, url);
    if (hash === undefined) return 'failed';
    // The editing server keeps one file for a key: meanwhile another one may have taken the place.
    const now = await this.#urlOf(key);
    if (now === undefined || (await this.#hashOf(now)) !== hash) return 'left';
    await this.#deps.commands.send({ c: 'deleteForgotten', key });
    return 'recovered';
  }

  /** @returns what is stored; `undefined` when it cannot be */
  async #store(session: EditSession, url: string): Promise<string | undefined> {
    const { saving, clock } = this.#deps;
    const userId = session.lastSave?.userId ?? null;
    const save = { kind: 'save', status: ENDED, url, fileType: undefined } as const;
    try {
      const hash = await this.#hashOf(url);
      // Stored, and only the answer to it has not arrived.
      const isStored = session.state === 'SAVED' && session.sentHash === hash;
      const context = contextOf(session, clock.now());
      const callback = { ...save, userId, forceSaveType: null };
      if (!isStored) await saving.save(context, callback, hash, async () => undefined);
      return hash;
    } catch (cause) {
      await this.#keepFailure(session, cause);
      return undefined;
    }
  }

  async #urlOf(key: string): Promise<string | undefined> {
    const { error, url } = await this.#deps.commands.send({ c: 'getForgotten', key });
    return error === COMMAND_ERRORS.none ? url : undefined;
  }

  async #hashOf(url: string): Promise<string> {
    const { download } = this.#deps;
    return download.hashOf(download.addressOf(url));
  }

  /** It stays with the editing server. The same is told once: that it goes on failing is nothing new. */
  async #keepFailure(session: EditSession, cause: unknown): Promise<void> {
    const { record, clock, log } = this.#deps;
    const isKnown = cause instanceof Problem;
    const reason = isKnown ? cause.code : 'DOCS_SAVE_FAILED';
    const failed = { reason, isFinal: isKnown && cause.status < 500 };
    const isTold = reason === (session.recovery ?? session.failures.at(-1))?.reason;
    const text = 'A forgotten document could not be recovered';
    if (isTold) log.info(text, { code: reason });
    else log.error(text, { code: reason, cause });
    try {
      if (!isTold) await record.failed(contextOf(session, clock.now()), ENDED, cause);
      await this.#keepTry(session.key, failed);
    } catch (error) {
      log.error('The progress of the recovery of a document could not be stored', { cause: error });
    }
  }

  async #keepTry(
    key: string,
    failed: { readonly reason: string; readonly isFinal: boolean },
  ): Promise<void> {
    const { sessions, unitOfWork, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const session = await sessions.find(key);
      if (!session) return;
      const recovery = recoveryAfter(session.recovery, failed, clock.now());
      sessions.stage(unit, { ...session, recovery, version: session.version + 1 });
    });
  }
}

/** What a token of its editors would say. */
function contextOf(session: EditSession, now: number): ContextClaims {
  const { key, rev, fileId, fileName, documentId, tenant, lastSave } = session;
  return {
    ...({ typ: 'docs-cb', fid: fileId, fn: fileName, did: documentId, mode: 'edit' } as const),
    ...{ sub: lastSave?.userId ?? 'system', key, rev, exp: Math.floor(now / 1_000) },
    ...(tenant !== '' && { tn: tenant }),
  };
}

/** Keys in the order of runs: those behind a key, then from the beginning. */
function behind(keys: readonly string[], after: string): readonly string[] {
  const sorted = [...new Set(keys)].sort();
  const at = sorted.findIndex((key) => key > after);
  return at < 0 ? sorted : [...sorted.slice(at), ...sorted.slice(0, at)];
}
