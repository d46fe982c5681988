import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import type { WrittenFile } from '../../../shared/ports/documents.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { DOCS_TOPICS, type SavedPayload } from '../events.ts';
import type { KeyKeeper } from '../opening/key-keeper.ts';
import { withoutWrite } from '../saving/begun-writes.ts';
import type { FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { DocumentVersion } from '../store/version-items.ts';
import type { VersionKeeper } from '../versions/version-keeper.ts';
import type { FoundDocument } from './document-finder.ts';

interface RestoreRecordDependencies {
  readonly sessions: SessionRepository;
  readonly keys: KeyKeeper;
  readonly keeper: VersionKeeper;
  readonly events: Pick<EventPublisher, 'publish'>;
  readonly clock: Clock;
}

/** A version that is restored. */
interface Restored {
  readonly found: FoundDocument;
  readonly version: DocumentVersion;
  readonly userId: string;
  /** Who writes. */
  readonly owner: string;
  readonly path: string;
  /** Absent: at a path that nothing else is ever written to. */
  readonly written: WrittenFile | undefined;
}

const ENDED = 2;

/** Keeps account of restored versions: the next one, the next key, and an event, all or nothing. */
export class RestoreRecord {
  readonly #deps: RestoreRecordDependencies;

  constructor(dependencies: RestoreRecordDependencies) {
    this.#deps = dependencies;
  }

  async stage(unit: UnitOfWork, restored: Restored): Promise<void> {
    const { sessions, keeper, events, clock } = this.#deps;
    const { found, version, userId, owner, path, written } = restored;
    const { documentId } = found.query;
    const known = await sessions.keyOf(found.path);
    const fileKey = known && withoutWrite(known, owner);
    const key = fileKey?.key ?? found.current.key;
    const at = toInstant(clock.now());
    await keeper.stage(unit, {
      ...{ fileId: found.path, replaced: found.facts, openedAt: at, lastPath: found.path },
      ...{ key, path, at, userId, restoredFrom: version.number, ...written },
    });
    if (fileKey) await this.#stageKey(unit, restored, fileKey);
    const payload: SavedPayload = {
      ...{ documentId, editedFilePath: path, status: ENDED, key, userId, forceSaveType: null },
      ...{ conflict: false, isTerminal: true, restoredFrom: version.number },
    };
    await events.publish(DOCS_TOPICS.saved, documentId, payload);
  }

  /** Whoever still has a configuration with the old key saves a copy beside the document. */
  async #stageKey(
    unit: UnitOfWork,
    { found, path, written }: Restored,
    fileKey: FileKey,
  ): Promise<void> {
    const { sessions, keys } = this.#deps;
    const { fileName: fn, documentId: did } = found.query;
    const session = await sessions.find(fileKey.key);
    const { etag, versionId } = (path === found.path ? written : undefined) ?? found.facts;
    const context = { fid: found.path, fn, did };
    keys.stageRotation(unit, fileKey, { etag, versionId, context, session });
  }
}
