import type { WriteGuard } from '../../../shared/store/commit-writes.ts';
import { notExists, versionIs } from '../../../shared/store/conditions.ts';
import { type PageRequest, type ReadPage, readPage } from '../../../shared/store/paged-read.ts';
import type { Item, Key, Table } from '../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { documentKey, openingKey, sessionKey, sessionsPartition } from './document-keys.ts';
import type { EditSession, FileKey, SessionOpening } from './session-items.ts';

interface FileKeyItem extends Item {
  readonly fileKey: FileKey;
}

interface SessionItem extends Item {
  readonly session: EditSession;
}

interface OpeningItem extends Item {
  readonly opening: Pick<SessionOpening, 'documentId' | 'fileName' | 'tenant'>;
}

/** Keys of files, and what is known of the editing under each of them. */
export class SessionRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async keyOf(fileId: string): Promise<FileKey | undefined> {
    return (await this.#table.get<FileKeyItem>(documentKey(fileId)))?.fileKey;
  }

  async find(key: string): Promise<EditSession | undefined> {
    return (await this.#table.get<SessionItem>(sessionKey(key)))?.session;
  }

  /** The key of a file, and a session of it, in one request. */
  async editingOf(
    fileId: string,
    key: string,
  ): Promise<{
    readonly fileKey: FileKey | undefined;
    readonly session: EditSession | undefined;
  }> {
    const keys = [documentKey(fileId), sessionKey(key)];
    const items = await this.#table.getMany<Partial<FileKeyItem & SessionItem> & Key>(keys);
    const found = (wanted: Key) => items.find(({ pk }) => pk === wanted.pk);
    const [fileKey, session] = keys.map(found);
    return { fileKey: fileKey?.fileKey, session: session?.session };
  }

  /** Those that there are, by their keys. */
  async findMany(keys: readonly string[]): Promise<ReadonlyMap<string, EditSession>> {
    const items = await this.#table.getMany<SessionItem>(keys.map(sessionKey));
    return new Map(items.map(({ session }) => [session.key, session]));
  }

  /** Sessions of a document, newest first. */
  async list(
    tenant: string,
    documentId: string,
    page: PageRequest,
  ): Promise<ReadPage<EditSession>> {
    const partition = sessionsPartition(tenant, documentId);
    const query = { index: 'gsi1', partition, reverse: true } as const;
    const found = await readPage<Item>(this.#table, query, page, ['sessions', tenant, documentId]);
    const keys = found.content.flatMap(({ pk, sk }) => [
      { pk, sk },
      { pk, sk: sessionKey('').sk },
    ]);
    const items = await this.#table.getMany<Partial<SessionItem & OpeningItem> & Key>(keys);
    const openings = new Map(items.flatMap(({ pk, opening }) => (opening ? [[pk, opening]] : [])));
    const sessions = new Map(items.flatMap(({ pk, session }) => (session ? [[pk, session]] : [])));
    // Each is shown as the document that is asked for.
    const content = [...sessions].map(([pk, session]) => ({ ...session, ...openings.get(pk) }));
    return { ...found, content };
  }

  /** Stages a key of a file; whoever has stored another meanwhile wins, and by default the unit runs again. */
  stageKey(unit: UnitOfWork, fileKey: FileKey, guard: Omit<WriteGuard, 'condition'> = {}): void {
    const { fileId, version } = fileKey;
    unit.put(
      { ...documentKey(fileId), type: 'DOCS_FILE_KEY', version, fileKey },
      { condition: versionIs(version - 1), otherwise: 'retry', ...guard },
    );
  }

  stageNew(unit: UnitOfWork, session: EditSession): void {
    unit.put(toItem(session), { condition: notExists, otherwise: 'retry' });
  }

  /** Stages that a session was opened as one more document; whoever does so again does it anew. */
  stageOpening(unit: UnitOfWork, key: string, opened: SessionOpening): void {
    const { documentId, fileName, tenant, openedAt, ttl } = opened;
    unit.put({
      ...openingKey(key, opened),
      ...{ type: 'DOCS_SESSION_OPENING', ttl, opening: { documentId, fileName, tenant } },
      gsi1pk: sessionsPartition(tenant, documentId),
      gsi1sk: `${openedAt}#${key}`,
    });
  }

  stage(unit: UnitOfWork, session: EditSession): void {
    unit.put(toItem(session), {
      condition: versionIs(session.version - 1),
      otherwise: 'retry',
    });
  }
}

function toItem(session: EditSession) {
  const { key, version, tenant, documentId, openedAt, ttl } = session;
  return {
    ...sessionKey(key),
    ...{ type: 'DOCS_SESSION', version, ttl, session },
    gsi1pk: sessionsPartition(tenant, documentId),
    gsi1sk: `${openedAt}#${key}`,
  };
}
