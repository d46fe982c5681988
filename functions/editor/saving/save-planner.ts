import type { Files } from '../../../shared/files/files.ts';
import type { FileFacts } from '../../../shared/ports/documents.ts';
import type { DeliveredSave } from '../domain/callback.ts';
import { ownWriteOf } from '../opening/own-writes.ts';
import type { BegunWrite, EditSession, FileKey } from '../store/session-items.ts';
import type { SessionRepository } from '../store/session-repository.ts';
import type { ContextClaims } from '../tokens/token-claims.ts';
import { homeOf, isOurs, planSave, type SavePlan } from './save-plan.ts';

interface SavePlannerDependencies {
  readonly sessions: SessionRepository;
  readonly files: Files;
}

/** What is known of the editing of a document. */
export interface KnownEditing {
  readonly fileKey: FileKey | undefined;
  readonly session: EditSession | undefined;
}

/** Where a save goes, and what has been read to decide it. */
export interface PlannedSave extends KnownEditing {
  readonly plan: SavePlan;
  /** What lies in the place of the save; its write replaces nothing else. */
  readonly stored: FileFacts | undefined;
  /** The write that has put it there and whose call has not said so. */
  readonly begun: BegunWrite | undefined;
}

/** What the sessions of the file had stored before the download, and what has been downloaded. */
interface Earlier {
  readonly before: FileKey | undefined;
  readonly sentHash: string;
}

/** Plans saves by what is stored when it is asked. */
export class SavePlanner {
  readonly #deps: SavePlannerDependencies;

  constructor(dependencies: SavePlannerDependencies) {
    this.#deps = dependencies;
  }

  async plan(
    context: ContextClaims,
    callback: DeliveredSave,
    earlier?: Earlier,
  ): Promise<PlannedSave> {
    const { fid: fileId, fn: fileName, key } = context;
    const home = homeOf(fileId, fileName, callback);
    const [known, stored] = await Promise.all([
      this.editingOf(context),
      this.#deps.files.facts(home.path),
    ]);
    const { fileKey } = known;
    const overtaken =
      earlier && callback.status === 6 && isOvertaken(earlier.before, fileKey)
        ? earlier.sentHash.slice(0, 8)
        : undefined;
    const isForeign = stored && fileKey?.key === key && !isOurs(home, fileKey, stored);
    const begun = isForeign
      ? await ownWriteOf(this.#deps.files, fileKey, home.path, stored)
      : undefined;
    const isOwn = begun !== undefined;
    const plan = planSave({ fileId, home, key, callback, fileKey, stored, isOwn, overtaken });
    return { ...known, plan, stored, begun };
  }

  /** What the sessions of the file have stored, before a download. */
  before({ fid }: ContextClaims): Promise<FileKey | undefined> {
    return this.#deps.sessions.keyOf(fid);
  }

  editingOf({ fid, key }: ContextClaims): Promise<KnownEditing> {
    return this.#deps.sessions.editingOf(fid, key);
  }
}

/**
 * Whether another save was stored meanwhile: what is downloaded may be older than that. What had begun before is older
 * itself.
 */
const isOvertaken = (before: FileKey | undefined, now: FileKey | undefined): boolean =>
  before?.key !== now?.key || before?.ourEtag !== now?.ourEtag;
