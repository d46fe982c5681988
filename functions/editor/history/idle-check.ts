import { problems } from '../errors.ts';
import { COMMAND_ERRORS, type CommandClient } from '../sessions/command-client.ts';
import type { SaveRepository } from '../store/save-repository.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { FoundDocument } from './document-finder.ts';

interface IdleCheckDependencies {
  readonly sessions: SessionRepository;
  readonly saves: Pick<SaveRepository, 'isUnderWay'>;
  readonly commands: CommandClient;
}

/** Checks whether a document is being edited. */
export class IdleCheck {
  readonly #deps: IdleCheckDependencies;

  constructor(dependencies: IdleCheckDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `DOCS_DOCUMENT_OPEN` (409), `DOCS_SERVER_UNAVAILABLE` (502) when that cannot be found out */
  async require({ path, current }: FoundDocument): Promise<void> {
    const fileKey = await this.#deps.sessions.keyOf(path);
    // Whoever edits a template goes on under the key of the file that was opened.
    const keys = new Set([current.key, ...(fileKey ? [fileKey.key] : [])]);
    for (const key of keys) await this.#requireIdle(key);
  }

  async #requireIdle(key: string): Promise<void> {
    const { sessions, saves, commands } = this.#deps;
    const session = await sessions.find(key);
    if (!session) return;
    const { users } = session;
    if (await saves.isUnderWay(key)) throw problems.documentOpen({ users });
    if (session.state !== 'OPEN') return;
    // The last who leave without a word, such as with a server that was restarted, are still in the account of the session.
    const { error } = await commands.send({ c: 'info', key });
    if (error !== COMMAND_ERRORS.noSuchKey) throw problems.documentOpen({ users });
  }
}
