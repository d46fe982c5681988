import type { WrittenFile } from '../../../shared/ports/documents.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeliveredSave } from '../domain/callback.ts';
import type { EditSession, FileKey } from '../store/session-items.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import type { Looked, VersionKeeper } from '../versions/version-keeper.ts';
import type { StoredDocument } from './save-writer.ts';

/** A save that is stored. */
interface Saved {
  readonly context: Pick<ContextClaims, 'key'>;
  readonly callback: Pick<DeliveredSave, 'userId' | 'history'>;
  readonly plan: { readonly home: { readonly path: string } };
  readonly fileKey: FileKey | undefined;
  readonly session: EditSession | undefined;
  /** What lay there before. */
  readonly stored: WrittenFile | undefined;
}

interface SavedVersionsDependencies {
  readonly keeper: VersionKeeper;
  readonly clock: Clock;
}

/** Makes versions of saves; copies beside a document are none. */
export class SavedVersions {
  readonly #deps: SavedVersionsDependencies;

  constructor(dependencies: SavedVersionsDependencies) {
    this.#deps = dependencies;
  }

  /** What the version of a save is staged behind, for the first try. */
  look(path: string): Promise<Looked> {
    return this.#deps.keeper.look(path);
  }

  async stage(
    unit: UnitOfWork,
    { context, callback, plan, fileKey, session, stored: replaced }: Saved,
    { path, etag, versionId, conflict }: StoredDocument,
    changes: Uint8Array | undefined,
    looked?: Looked,
  ): Promise<void> {
    if (conflict) return;
    const { keeper, clock } = this.#deps;
    const at = toInstant(clock.now());
    const made = {
      ...{ fileId: plan.home.path, replaced, openedAt: session?.openedAt ?? at },
      ...{ key: context.key, path, etag, versionId, at, changes },
      ...{ userId: callback.userId, history: callback.history },
      lastPath: session?.lastSave?.path,
      openedWith: fileKey && { etag: fileKey.baseEtag, versionId: fileKey.baseVersionId },
    };
    await keeper.stage(unit, made, looked);
  }
}
