import type { EventPublisher } from '../../../shared/messaging/wire/event-publisher.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { DOCS_TOPICS, type SavedPayload } from '../events.ts';
import type { KeyKeeper } from '../opening/key-keeper.ts';
import { withoutWrite } from '../opening/own-writes.ts';
import type { RestoredWrite } from '../saving/left-writes.ts';
import type { FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { VersionKeeper } from '../versions/version-keeper.ts';

interface RestoreRecordDependencies {
  readonly sessions: SessionRepository;
  readonly keys: KeyKeeper;
  readonly keeper: VersionKeeper;
  readonly events: Pick<EventPublisher, 'publish'>;
  readonly clock: Clock;
}

const ENDED = 2;

/** Keeps account of restored versions: the next one, the next key, and an event, all or nothing. */
export class RestoreRecord {
  readonly #deps: RestoreRecordDependencies;

  constructor(dependencies: RestoreRecordDependencies) {
    this.#deps = dependencies;
  }

  async stage(unit: UnitOfWork, restored: RestoredWrite): Promise<void> {
    const { sessions, keeper, events, clock } = this.#deps;
    const { fileId, documentId, replaced, version, userId, owner, path, written } = restored;
    const known = await sessions.keyOf(fileId);
    const fileKey = known && withoutWrite(known, owner);
    const isOpened = fileKey !== undefined && fileKey.rev > 0;
    const { key } = isOpened ? fileKey : restored;
    const at = toInstant(clock.now());
    await keeper.stage(unit, {
      ...{ fileId, replaced, openedAt: at, lastPath: fileId },
      ...{ key, path, at, userId, restoredFrom: version, ...written },
    });
    if (isOpened) await this.#stageKey(unit, restored, fileKey);
    else if (fileKey) sessions.stageKey(unit, { ...fileKey, version: fileKey.version + 1 });
    const payload: SavedPayload = {
      ...{ documentId, editedFilePath: path, status: ENDED, key, userId, forceSaveType: null },
      ...{ conflict: false, isTerminal: true, restoredFrom: version },
    };
    await events.publish(DOCS_TOPICS.saved, documentId, payload);
  }

  /** Whoever still has a configuration with the old key saves a copy beside the document. */
  async #stageKey(
    unit: UnitOfWork,
    { fileId, fileName: fn, documentId: did, tenant: tn, path, written, replaced }: RestoredWrite,
    fileKey: FileKey,
  ): Promise<void> {
    const { sessions, keys } = this.#deps;
    const session = await sessions.find(fileKey.key);
    const { etag = fileKey.baseEtag, versionId } =
      (path === fileId ? written : undefined) ?? replaced ?? {};
    const context = { fid: fileId, fn, did, tn };
    keys.stageRotation(unit, fileKey, { etag, versionId, context, session });
  }
}
