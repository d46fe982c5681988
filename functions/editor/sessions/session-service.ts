import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import { problems } from '../errors.ts';
import type { DocumentAccess } from '../opening/document-access.ts';
import type { EditSession } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import { COMMAND_ERRORS, type CommandClient } from './command-client.ts';

interface SessionServiceDependencies {
  readonly sessions: SessionRepository;
  readonly access: DocumentAccess;
  readonly commands: CommandClient;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/**
 * What became of a session: `SAVED` by the command, `UNCHANGED` since the last save, `REQUESTED` and not stored yet,
 * `CLOSED`: not being edited.
 */
type CommandResult = 'SAVED' | 'UNCHANGED' | 'REQUESTED' | 'CLOSED';

/** A session that was given a command. */
export interface CommandedSession {
  readonly session: EditSession;
  readonly result: CommandResult;
}

const WAIT_MS = 10_000;
const LOOK_MS = 500;
/** Sessions of a document that are looked at for open ones. */
const MOST_SESSIONS = 50;

/** Shows who edits a document, and lets a host save or close it before it acts. */
export class SessionService {
  readonly #deps: SessionServiceDependencies;

  constructor(dependencies: SessionServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Sessions of a document, newest first. @throws Problem `FORBIDDEN` (403) */
  async list(
    documentId: string,
    page: PageRequest,
    principal: Principal,
  ): Promise<ReadPage<EditSession>> {
    const found = await this.#deps.sessions.list(principal.tenant ?? '', documentId, page);
    await this.#require(found.content, 'view', principal);
    return found;
  }

  /**
   * Has the editing server save what is being edited, and waits for it.
   * @throws Problem `FORBIDDEN` (403), `DOCS_SESSION_NOT_FOUND` (404), `DOCS_SERVER_UNAVAILABLE` (502)
   */
  async save(documentId: string, principal: Principal): Promise<readonly CommandedSession[]> {
    return this.#command(documentId, principal, (session) => this.#saveOne(session));
  }

  /** Has the editing server send all editors away; what they changed is saved. @throws Problem as `save` */
  async close(documentId: string, principal: Principal): Promise<readonly CommandedSession[]> {
    return this.#command(documentId, principal, async ({ key }) => {
      const { error } = await this.#deps.commands.send({ c: 'drop', key });
      return error === COMMAND_ERRORS.none ? 'REQUESTED' : resultOf(error);
    });
  }

  async #command(
    documentId: string,
    principal: Principal,
    command: (session: EditSession) => Promise<CommandResult>,
  ): Promise<readonly CommandedSession[]> {
    const tenant = principal.tenant ?? '';
    const page = { size: MOST_SESSIONS };
    const { content } = await this.#deps.sessions.list(tenant, documentId, page);
    if (content.length === 0) throw problems.sessionNotFound();
    await this.#require(content, 'edit', principal);
    const open = content.filter(({ state }) => state === 'OPEN' || state === 'NEW');
    return Promise.all(open.map(async (session) => ({ session, result: await command(session) })));
  }

  async #saveOne(session: EditSession): Promise<CommandResult> {
    const { commands, sessions, pause = sleep } = this.#deps;
    const { key } = session;
    const { error } = await commands.send({ c: 'forcesave', key });
    if (error !== COMMAND_ERRORS.none) return resultOf(error);
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
      const { lastSave } = (await sessions.find(key)) ?? session;
      if (lastSave && !isDeepStrictEqual(lastSave, session.lastSave)) return 'SAVED';
      await pause(LOOK_MS);
    }
    return 'REQUESTED';
  }

  /** A document may have been opened with several files: the host is asked about each. */
  async #require(
    sessions: readonly EditSession[],
    mode: 'view' | 'edit',
    principal: Principal,
  ): Promise<void> {
    const byFile = new Map(sessions.map((session) => [session.fileId, session]));
    for (const { fileId, fileName, documentId } of byFile.values()) {
      await this.#deps.access.require({ fileId, fileName, documentId, mode }, principal);
    }
  }
}

function resultOf(error: number): CommandResult {
  if (error === COMMAND_ERRORS.noSuchKey) return 'CLOSED';
  if (error === COMMAND_ERRORS.notChanged) return 'UNCHANGED';
  throw problems.serverUnavailable({ code: `COMMAND_${error}` });
}
