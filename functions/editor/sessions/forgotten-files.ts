import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { SaveService } from '../saving/save-service.ts';
import type { EditSession } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import { COMMAND_ERRORS, type CommandClient } from './command-client.ts';

interface ForgottenFilesDependencies {
  readonly commands: CommandClient;
  readonly sessions: SessionRepository;
  readonly saving: SaveService;
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

/** Documents of one run; the next one goes on. */
const MOST_IN_A_RUN = 20;

/** Fetches documents that the editing server could not deliver: it keeps them, and tells nobody. */
export class ForgottenFiles {
  readonly #deps: ForgottenFilesDependencies;

  constructor(dependencies: ForgottenFilesDependencies) {
    this.#deps = dependencies;
  }

  async recover(): Promise<RecoveryReport> {
    const { commands, sessions, log } = this.#deps;
    const { keys = [] } = await commands.send({ c: 'getForgottenList' });
    const report = { found: 0, recovered: 0, failed: 0 };
    for (const key of keys) {
      if (report.found === MOST_IN_A_RUN) break;
      // Other applications of the same editing server have keys too.
      const session = await sessions.find(key);
      if (!session) continue;
      report.found += 1;
      try {
        if (await this.#recoverOne(session)) report.recovered += 1;
      } catch (cause) {
        report.failed += 1;
        log.error('A forgotten document could not be recovered', { cause });
      }
    }
    return report;
  }

  /** Over the document while it is the one that the session was opened with, else beside it. */
  async #recoverOne(session: EditSession): Promise<boolean> {
    const { commands, saving, clock } = this.#deps;
    const { key, rev, fileId, fileName, documentId, tenant } = session;
    const { error, url } = await commands.send({ c: 'getForgotten', key });
    if (error !== COMMAND_ERRORS.none || url === undefined) return false;
    const userId = session.lastSave?.userId ?? null;
    const context = {
      ...({ typ: 'docs-cb', fid: fileId, fn: fileName, did: documentId, mode: 'edit' } as const),
      ...{ sub: userId ?? 'system', key, rev, exp: Math.floor(clock.now() / 1_000) },
      ...(tenant !== '' && { tn: tenant }),
    };
    const save = { kind: 'save', status: 2, url, fileType: undefined } as const;
    await saving.save(context, { ...save, userId, forceSaveType: null });
    await commands.send({ c: 'deleteForgotten', key });
    return true;
  }
}
