import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { SaveDownload } from '../saving/save-download.ts';
import type { SaveService } from '../saving/save-service.ts';
import type { RecoveryProgress } from '../store/recovery-progress.ts';
import type { EditSession } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import { COMMAND_ERRORS, type CommandClient } from './command-client.ts';

interface ForgottenFilesDependencies {
  readonly commands: CommandClient;
  readonly sessions: SessionRepository;
  readonly progress: RecoveryProgress;
  readonly saving: SaveService;
  readonly download: Pick<SaveDownload, 'addressOf' | 'hashOf'>;
  /** The machine's clock. */
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
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

/** Fetches documents that the editing server could not deliver: it keeps them, and tells nobody. */
export class ForgottenFiles {
  readonly #deps: ForgottenFilesDependencies;

  constructor(dependencies: ForgottenFilesDependencies) {
    this.#deps = dependencies;
  }

  async recover(): Promise<RecoveryReport> {
    const { commands, progress, clock, log } = this.#deps;
    const until = clock.now() + BEGINS_MS;
    const { keys = [] } = await commands.send({ c: 'getForgottenList' });
    const report = { found: 0, recovered: 0, failed: 0 };
    for await (const session of this.#ownOf(behind(keys, await progress.after()))) {
      // What ends the function does not keep the next run from others.
      await progress.keep(session.key);
      report.found += 1;
      try {
        if (await this.#recoverOne(session)) report.recovered += 1;
      } catch (cause) {
        report.failed += 1;
        log.error('A forgotten document could not be recovered', { cause });
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
  async #recoverOne(session: EditSession): Promise<boolean> {
    const { commands, saving, clock } = this.#deps;
    const { key, rev, fileId, fileName, documentId, tenant } = session;
    if (await this.#isEdited(session)) return false;
    const sent = await this.#contentOf(key);
    if (!sent) return false;
    const userId = session.lastSave?.userId ?? null;
    const context = {
      ...({ typ: 'docs-cb', fid: fileId, fn: fileName, did: documentId, mode: 'edit' } as const),
      ...{ sub: userId ?? 'system', key, rev, exp: Math.floor(clock.now() / 1_000) },
      ...(tenant !== '' && { tn: tenant }),
    };
    const { url, hash } = sent;
    const save = { kind: 'save', status: 2, url, fileType: undefined } as const;
    // Stored, and only the answer to it has not arrived.
    const isStored = session.state === 'SAVED' && session.sentHash === hash;
    if (!isStored) await saving.save(context, { ...save, userId, forceSaveType: null }, hash);
    // The editing server keeps one file for a key: meanwhile another one may have taken the place.
    if ((await this.#contentOf(key))?.hash !== hash) return false;
    await commands.send({ c: 'deleteForgotten', key });
    return true;
  }

  async #contentOf(
    key: string,
  ): Promise<{ readonly url: string; readonly hash: string } | undefined> {
    const { commands, download } = this.#deps;
    const { error, url } = await commands.send({ c: 'getForgotten', key });
    if (error !== COMMAND_ERRORS.none || url === undefined) return undefined;
    return { url, hash: await download.hashOf(download.addressOf(url)) };
  }
}

/** Keys in the order of runs: those behind a key, then from the beginning. */
function behind(keys: readonly string[], after: string): readonly string[] {
  const sorted = [...new Set(keys)].sort();
  const at = sorted.findIndex((key) => key > after);
  return at < 0 ? sorted : [...sorted.slice(at), ...sorted.slice(0, at)];
}
